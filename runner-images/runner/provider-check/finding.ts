/** Findings of a check of a provider's credentials, and the input of a check. */
import type { CheckFinding } from '#contracts/job.ts';

export type { CheckFinding };

/** Addresses of APIs: tests put servers of their own here. */
export type Bases = Readonly<Record<string, string>>;

export interface CheckInput {
  /** Fields of the Secret, already validated. */
  readonly fields: Readonly<Record<string, string>>;
  /** What the modules of the type need, in the cloud's own words. */
  readonly permissions: readonly string[];
  /** Regions that the manifest names for this provider instance. */
  readonly regions: readonly string[];
  /** Service to base URL, where it is not the usual one. */
  readonly bases: Bases;
}

/** What a login needs. */
export type LoginInput = Pick<CheckInput, 'fields' | 'bases'>;

export type CheckOfType = (input: CheckInput) => Promise<readonly CheckFinding[]>;

export const identity = (name: string, message: string): CheckFinding => ({
  about: 'identity',
  name,
  ok: true,
  message,
});

/** Whether a permission is there; `missing` says what to do where it is not. */
export function permissionFinding(name: string, ok: boolean, missing = 'is missing: grant it'): CheckFinding {
  return { about: 'permission', name, ok, message: ok ? 'is granted' : missing };
}

/** A quota and its use; none left is a fault, since nothing could be created. */
export function quotaFinding(name: string, used: number, limit: number): CheckFinding {
  const ok = used < limit;
  return {
    about: 'quota',
    name,
    ok,
    message: `${used} of ${limit} used${ok ? '' : ': nothing is left, request a higher quota'}`,
  };
}

/** Regions of the manifest that are not among those that a cloud lists. */
export function unknownRegions(regions: readonly string[], known: readonly string[]): readonly CheckFinding[] {
  const message = `is not a region of this account: correct it in the manifest; there are ${known.join(', ')}`;
  return regions
    .filter((region) => !known.includes(region))
    .map((name) => ({ about: 'identity', name, ok: false, message }));
}

/** For facts that a cloud's API does not show. */
export function unreported(about: CheckFinding['about'], name: string, message: string): CheckFinding {
  return { about, name, ok: null, message };
}
