/** Fetches secrets just before use; every value is masked from then on. */
import type { StageContext } from './stage-context.ts';
import { StageFailure } from './stage-failure.ts';

/** The fields of a user's Secret (`<namespace>/<name>`). Throws `SecretMissing`. */
export async function userSecret(
  context: Pick<StageContext, 'ports' | 'mask'>,
  name: string,
  usedBy: string,
): Promise<Readonly<Record<string, string>>> {
  const fields = await context.ports.secrets.get(`user/${name}`);
  if (fields === undefined) {
    throw new StageFailure({
      class: 'credentials',
      code: 'SecretMissing',
      message: `The Secret ${name}, which ${usedBy} needs, does not exist.`,
      resource: usedBy,
      hint: `Apply the Secret ${name} again, then retry.`,
    });
  }
  context.mask.add(Object.values(fields));
  return fields;
}

/** One field of a Secret that must be there. */
export function requiredField(fields: Readonly<Record<string, string>>, field: string, secret: string): string {
  const value = fields[field];
  if (value !== undefined && value.trim() !== '') return value;
  throw new StageFailure({
    class: 'credentials',
    code: 'SecretFieldMissing',
    message: `The Secret ${secret} has no field ${field}.`,
    hint: `Add ${field} to the Secret ${secret}, then retry.`,
  });
}
