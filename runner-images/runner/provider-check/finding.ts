/** What a check of a provider's credentials found, and what a checker gets to work with. */
import type { CheckFinding } from '#contracts/job.ts';

export type { CheckFinding };

/** Whom to ask: tests put servers of their own here. */
export type Bases = Readonly<Record<string, string>>;

export interface CheckInput {
  /** Fields of the Secret, judged already. */
  readonly fields: Readonly<Record<string, string>>;
  /** What the modules of the type need, in the cloud's own words. */
  readonly permissions: readonly string[];
  /** Regions that the manifest names for this provider instance. */
  readonly regions: readonly string[];
  /** Service to base URL, where it is not the usual one. */
  readonly bases: Bases;
}

export type ProviderCheck = (input: CheckInput) => Promise<readonly CheckFinding[]>;

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

/** A quota with what is used of it; none left is a fault, since nothing could be made. */
export function quotaFinding(name: string, used: number, limit: number): CheckFinding {
  const ok = used < limit;
  return {
    about: 'quota',
    name,
    ok,
    message: `${used} of ${limit} used${ok ? '' : ': nothing is left, ask for more'}`,
  };
}

/** Regions of the manifest that are not among those that a cloud told. */
export function unknownRegions(regions: readonly string[], known: readonly string[]): readonly CheckFinding[] {
  const message = `is no region of this account: correct it in the manifest; there are ${known.join(', ')}`;
  return regions
    .filter((region) => !known.includes(region))
    .map((name) => ({ about: 'identity', name, ok: false, message }));
}

/** For what a cloud has no way to tell. */
export function unreported(about: CheckFinding['about'], name: string, message: string): CheckFinding {
  return { about, name, ok: null, message };
}
