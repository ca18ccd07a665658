/** Judges Secrets: their form, and the fields that their uses need. No text of a fault ever holds a value. */
import { type ProviderTypeName, providerTypes, type SecretField } from '#domain/provider-types.ts';
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
  const form = schemaFaults(Secret, stripped, true);
  const parsed = Secret.safeParse(stripped);
  if (!parsed.success) return { faults: inDocumentOrder(stripped, form), warnings: [] };
  const secret = parsed.data;
  const undecodable = undecodableFields(secret);
  const values = secretValues(secret);
  const faults = [
    ...undecodable.map((name) =>
      error(['data', name], 'is not base64 of UTF-8 text', 'encode it, or write it as it is under stringData'),
    ),
    ...[...new Set(uses)]
      .flatMap((use) => missingOrWrong(values, use, partOf(secret)))
      .filter(({ path }) => !undecodable.some((name) => path === `data.${name}`)),
  ];
  const warnings =
    Object.keys(values).length === 0 && undecodable.length === 0
      ? [warning([], 'the Secret has no fields', 'give them under stringData')]
      : [];
  return faults.length === 0 ? { secret, faults, warnings } : { faults: inDocumentOrder(stripped, faults), warnings };
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
      const near = nearest(field.name, spare);
      if (!field.required && (value === '' || near === undefined)) return [];
      const fix = near === undefined ? `add it: ${field.format}` : `is the field "${near}" meant to be it? Rename it`;
      return [error(path, `is missing, ${purpose(use)} needs it`, fix)];
    }
    return field.accepts(value)
      ? []
      : [error(path, `is not what ${purpose(use)} needs`, `it must be ${field.format}; the value is not shown`)];
  });
}

function partOf(secret: Secret): (name: string) => string {
  return (name) =>
    isMap(secret.data) && Object.hasOwn(secret.data, name) && !Object.hasOwn(secret.stringData ?? {}, name)
      ? 'data'
      : 'stringData';
}

function purpose(use: SecretUse): string {
  if (use === 'ssh') return 'SSH to static nodes';
  if (use === 'git') return 'a private git repository';
  return providerTypes[use].title;
}
