/** Warnings about a Secret: a long-lived key where a login without one is possible, and the reverse. No text contains a value. */
import { providerTypeNames, type SecretField } from '../../provider-types.ts';
import { type Fault, warning } from '../faults/fault.ts';
import { type SecretValues, secretFieldFaults, wayOf } from './secret-field-faults.ts';
import { purposeOf, type SecretUse, secretWaysFor } from './secret-uses.ts';

/** Where no use is known, the fields show what it is for: most Secrets are stored before the manifest that names them. */
export function secretWarnings(values: SecretValues, uses: readonly SecretUse[]): readonly Fault[] {
  const known = uses.length > 0 ? uses : providerTypeNames.filter((type) => lastingKey(values, type) !== undefined);
  return [...new Set(known)].flatMap((use) => [...withoutKey(values, use), ...withLastingKey(values, use)]);
}

/** A key that was forgotten looks like a login without one. */
function withoutKey(values: SecretValues, use: SecretUse): readonly Fault[] {
  const [keys = []] = secretWaysFor(use);
  const left = keys.filter(({ name, required }) => required && !Object.hasOwn(values, name)).map(({ name }) => name);
  if (use === 'vault' || left.length === 0 || wayOf(values, use) === keys) return [];
  return [
    warning(
      'keyless-login',
      [],
      `has no ${left.join(' and no ')}: ${purposeOf(use)} is reached without a key, by the identity of the runner in AWS`,
      'nothing to do if this is intended (docs/secrets.md)',
    ),
  ];
}

function withLastingKey(values: SecretValues, use: SecretUse): readonly Fault[] {
  const key = lastingKey(values, use);
  const [, without = []] = secretWaysFor(use);
  if (key === undefined) return [];
  const fields = without.map(({ name, required }) => (required ? name : `[${name}]`)).join(', ');
  return [
    warning(
      'lasting-key',
      [],
      `has a key of ${purposeOf(use)} (${key.map(({ name }) => name).join(' and ')}) that works until it is revoked`,
      `not needed if Kubeloom runs in AWS: give ${fields} instead; otherwise renew it regularly (docs/secrets.md)`,
    ),
  ];
}

/** The fields that only the way with a key has, when that way is complete and the type knows another. */
function lastingKey(values: SecretValues, use: SecretUse): readonly SecretField[] | undefined {
  const [keys = [], ...others] = secretWaysFor(use);
  if (use === 'vault' || others.length === 0 || wayOf(values, use) !== keys) return undefined;
  if (secretFieldFaults(values, use).length > 0) return undefined;
  return keys.filter(({ name }) => !others.flat().some((field) => field.name === name));
}
