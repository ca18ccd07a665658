/** Tries the credentials of one provider instance: identity, permissions, remaining quotas. Changes nothing. */
import { secretFieldFaults } from '#domain/manifest/secrets/secret-field-faults.ts';
import { type ProviderTypeFacts, type ProviderTypeName, providerTypes } from '#domain/provider-types.ts';
import { StageFailure } from '../stage-failure.ts';
import { CheckRefused } from './ask.ts';
import { type CheckFinding, type CheckInput, type CheckOfType, unreported } from './finding.ts';

/** Regions become parts of addresses that credentials are sent to: nothing that could name another host is allowed. */
const regionForm = /^[A-Za-z0-9][A-Za-z0-9 ()_-]*$/;

export const isRegion = (region: string): boolean => regionForm.test(region);

/** Runs the check of the type. Never throws for the answer of a cloud; `none` for types without credentials. */
export async function checkLogin(type: ProviderTypeName, input: CheckInput): Promise<readonly CheckFinding[]> {
  const facts: ProviderTypeFacts = providerTypes[type];
  const none = facts.secretOptional === true && Object.keys(input.fields).length === 0;
  if (facts.secret.length === 0 || none) return [];
  const faults = secretFieldFaults(input.fields, type);
  if (faults.length > 0) {
    return faults.map(({ path, reason, fix }) => ({
      about: 'identity',
      name: path.replace('stringData.', ''),
      ok: false,
      message: `${reason}: ${fix}`,
    }));
  }
  const invalid = input.regions.filter((region) => !isRegion(region));
  if (invalid.length > 0) {
    const message = 'is not a valid name of a region: correct it in the manifest';
    return invalid.map((name) => ({ about: 'identity', name, ok: false, message }));
  }
  // A file for each type; only that of the type is loaded.
  const { check }: { readonly check: CheckOfType } = await import(`./clouds/${type}.ts`);
  try {
    return await check(input);
  } catch (error) {
    if (error instanceof CheckRefused) return [error.finding];
    if (error instanceof StageFailure) {
      const { message, hint } = error.error;
      return [{ about: 'identity', name: type, ok: false, message: `${message} ${hint}` }];
    }
    // An answer in an unexpected form; its text may contain anything, so it is not shown.
    return [
      unreported('identity', type, `answered in an unknown form (${error instanceof Error ? error.name : 'error'})`),
    ];
  }
}
