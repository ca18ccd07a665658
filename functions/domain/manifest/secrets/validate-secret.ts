/** Validates Secrets: their form, and the fields that their uses need. No text of a fault ever holds a value. */

import { isMap } from '../../json.ts';
import { withoutAccepted } from '../faults/accepted-warnings.ts';
import { sizeFaults } from '../faults/document-size.ts';
import { error, type Fault, warning } from '../faults/fault.ts';
import { inDocumentOrder, withoutServerFields } from '../faults/kubernetes-document.ts';
import { isUnfinished, withPlaceholders } from '../faults/placeholders.ts';
import { schemaFaults } from '../faults/schema-faults.ts';
import { Secret, secretValues, undecodableFields } from '../schema/secret.ts';
import { secretFieldFaults } from './secret-field-faults.ts';
import type { SecretUse } from './secret-uses.ts';
import { secretWarnings } from './secret-warnings.ts';

/** Names and values together, as JSON: what a parameter of AWS holds. */
const mostBytes = 8192;

export interface SecretVerdict {
  readonly secret?: Secret;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

/** Validates one Secret. Without `uses` only its form is checked: its use is not known. Never throws. */
export function validateSecret(document: unknown, uses: readonly SecretUse[] = []): SecretVerdict {
  const stripped = withoutServerFields(document);
  const vast = sizeFaults(stripped);
  if (vast.length > 0) return { faults: vast, warnings: [] };
  const { faults: form } = schemaFaults(Secret, stripped, ['stringData', 'data']);
  const readable = readableFields(stripped);
  const values = secretValues(readable);
  const undecodable = undecodableFields(readable).map((name) =>
    error(['data', name], 'is not base64 of UTF-8 text', 'encode it, or write it as plain text under stringData'),
  );
  const unusable = Object.keys(values)
    .filter((name) => values[name]?.includes('\0'))
    .map((name) =>
      error(
        [partOf(readable)(name), name],
        'contains the character NUL, which cannot be passed to a tool',
        'remove it; the value is not shown',
      ),
    );
  const found = [...form, ...undecodable, ...unusable];
  /** Without its parts, a Secret lacks every field: reporting each would hide the one mistake. */
  const isWhole = form.every(({ path }) => /^(metadata|apiVersion|stringData\b.|data\b.)/.test(path));
  const needed = isWhole ? [...new Set(uses)].flatMap((use) => secretFieldFaults(values, use, partOf(readable))) : [];
  const judged = [
    ...found,
    ...tooLarge(values),
    ...needed.filter(({ path }) => !found.some((fault) => fieldOf(fault) === fieldOf({ path }))),
  ];
  const unfinished = Object.entries(values).flatMap(([name, value]) =>
    isUnfinished(value) ? [[partOf(readable)(name), name]] : [],
  );
  const faults = withPlaceholders(judged, unfinished);
  const parsed = Secret.safeParse(stripped);
  if (faults.length > 0 || !parsed.success) return { faults: inDocumentOrder(stripped, faults), warnings: [] };
  const isEmpty = Object.keys(values).length === 0;
  const warnings = isEmpty
    ? [warning('empty-secret', [], 'the Secret has no fields', 'give them under stringData')]
    : secretWarnings(values, uses);
  return { secret: parsed.data, faults, warnings: withoutAccepted(stripped, warnings) };
}

function tooLarge(values: Readonly<Record<string, string>>): readonly Fault[] {
  const bytes = new TextEncoder().encode(JSON.stringify(values)).length;
  if (bytes <= mostBytes) return [];
  const reason = `the fields have ${bytes} bytes together, at most ${mostBytes} can be stored`;
  return [error([], reason, 'keep only the fields that are needed, or store them in a Vault (docs/secrets.md)')];
}

/** Fields as far as they are text. */
function readableFields(document: unknown): Required<Pick<Secret, 'stringData' | 'data'>> {
  const textsOf = (part: unknown): Record<string, string> =>
    Object.fromEntries(
      Object.entries(isMap(part) ? part : {}).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    );
  const fields = isMap(document) ? document : {};
  return { stringData: textsOf(fields.stringData), data: textsOf(fields.data) };
}

function partOf({ stringData, data }: ReturnType<typeof readableFields>): (name: string) => string {
  return (name) => (Object.hasOwn(data, name) && !Object.hasOwn(stringData, name) ? 'data' : 'stringData');
}

/** Name of the field a fault is about, whichever part it is in. */
function fieldOf({ path }: Pick<Fault, 'path'>): string {
  return path.replace(/^(stringData|data)/, '');
}
