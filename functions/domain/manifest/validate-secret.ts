/** Judges Secrets: their form, and the fields that their uses need. No text of a fault ever holds a value. */
import { type ProviderTypeName, providerTypes, type SecretField } from '#domain/provider-types.ts';
import { sizeFaults } from './document-size.ts';
import { error, type Fault, warning } from './fault.ts';
import type { InputManifest } from './input-manifest.ts';
import { inDocumentOrder, isMap, withoutServerFields } from './kubernetes-document.ts';
import { nearest } from './rules/references.ts';
import { schemaFaults } from './schema-faults.ts';
import { Secret, secretValues, undecodableFields } from './secret.ts';

/** What a Secret is for: the credentials of a provider type, the SSH key of static nodes, a token for git. */
export type SecretUse = ProviderTypeName | 'ssh' | 'git';

export interface SecretVerdict {
  readonly secret?: Secret;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

const uncheckedField = (name: string, required: boolean): SecretField => ({
  name,
  required,
  format: 'any text that is not empty',
  accepts: (value) => value.length > 0,
});
const privateKey: SecretField = {
  name: 'privatekey',
  required: true,
  format: 'an SSH private key in PEM form',
  accepts: (value) => /^-----BEGIN [A-Z ]*PRIVATE KEY-----\s[\s\S]*-----END [A-Z ]*PRIVATE KEY-----$/.test(value),
};

/** The fields that a use needs. */
export function secretFieldsFor(use: SecretUse): readonly SecretField[] {
  if (use === 'ssh') return [privateKey];
  if (use === 'git') return [uncheckedField('token', true), uncheckedField('username', false)];
  return providerTypes[use].secret;
}

/** Judges one Secret. Without `uses` only its form is judged: what it is for is not known. Never throws. */
export function validateSecret(document: unknown, uses: readonly SecretUse[] = []): SecretVerdict {
  const stripped = withoutServerFields(document);
  const vast = sizeFaults(stripped);
  if (vast.length > 0) return { faults: vast, warnings: [] };
  const { faults: form } = schemaFaults(Secret, stripped, ['stringData', 'data']);
  const readable = readableFields(stripped);
  const undecodable = undecodableFields(readable).map((name) =>
    error(['data', name], 'is not base64 of UTF-8 text', 'encode it, or write it as it is under stringData'),
  );
  const values = secretValues(readable);
  const said = [...form, ...undecodable];
  /** Without its parts, a Secret lacks every field: saying so of each would hide the one slip. */
  const isWhole = form.every(({ path }) => /^(metadata|apiVersion|stringData\b.|data\b.)/.test(path));
  const needed = isWhole ? [...new Set(uses)].flatMap((use) => missingOrWrong(values, use, partOf(readable))) : [];
  const faults = [...said, ...needed.filter(({ path }) => !said.some((fault) => fieldOf(fault) === fieldOf({ path })))];
  const parsed = Secret.safeParse(stripped);
  if (faults.length > 0 || !parsed.success) return { faults: inDocumentOrder(stripped, faults), warnings: [] };
  const isEmpty = Object.keys(values).length === 0;
  const warnings = isEmpty ? [warning([], 'the Secret has no fields', 'give them under stringData')] : [];
  return { secret: parsed.data, faults, warnings };
}

/** The faults of the fields of a Secret for a use; the runner asks this again with the values it fetched. */
export function secretFieldFaults(values: Readonly<Record<string, string>>, use: SecretUse): readonly Fault[] {
  return missingOrWrong(values, use, () => 'stringData');
}

/** What the Secrets that a manifest refers to are for, by `<namespace>/<name>`. */
export function secretUses(manifest: InputManifest): ReadonlyMap<string, readonly SecretUse[]> {
  const uses = new Map<string, SecretUse[]>();
  const note = (reference: { readonly name: string; readonly namespace: string }, use: SecretUse): void => {
    const key = `${reference.namespace}/${reference.name}`;
    const before = uses.get(key) ?? [];
    if (!before.includes(use)) uses.set(key, [...before, use]);
  };
  for (const { providerType, secretRef } of manifest.spec.providers) {
    if (secretRef !== undefined && providerTypes[providerType].secret.length > 0) note(secretRef, providerType);
  }
  for (const pool of manifest.spec.nodePools.static) for (const node of pool.nodes) note(node.secretRef, 'ssh');
  return uses;
}

function missingOrWrong(
  values: Readonly<Record<string, string>>,
  use: SecretUse,
  part: (name: string) => string,
): Fault[] {
  const fields = secretFieldsFor(use);
  const spare = Object.keys(values).filter((name) => !fields.some((field) => field.name === name));
  return fields.flatMap((field) => {
    const path = [part(field.name), field.name];
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    if (value === undefined || value === '') {
      if (value === '' && field.required) {
        return [error(path, `is empty, ${purpose(use)} needs it`, `give it: ${field.format}`)];
      }
      const near = value === undefined ? nearest(field.name, spare) : undefined;
      if (!field.required && near === undefined) return [];
      const fix = near === undefined ? `add it: ${field.format}` : `is the field "${near}" meant to be it? Rename it`;
      return [error(path, `is missing, ${purpose(use)} needs it`, fix)];
    }
    return field.accepts(value)
      ? []
      : [error(path, `is not what ${purpose(use)} needs`, `it must be ${field.format}; the value is not shown`)];
  });
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

/** Name of the field a fault is about, whichever part it stands in. */
function fieldOf({ path }: Pick<Fault, 'path'>): string {
  return path.replace(/^(stringData|data)/, '');
}

function purpose(use: SecretUse): string {
  if (use === 'ssh') return 'SSH to static nodes';
  if (use === 'git') return 'a private git repository';
  return providerTypes[use].title;
}
