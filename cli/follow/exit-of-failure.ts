/** The exit code that names the kind of a failure, of one run or of several. Pure. */
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import type { ErrorClass } from '#domain/errors.ts';
import { exitCodes } from '../exit-codes.ts';

/** By the class of the failure. */
export const exitCodeOfClass = {
  user: exitCodes.runRefused,
  credentials: exitCodes.runCredentials,
  quota: exitCodes.runNoRoom,
  capacity: exitCodes.runNoRoom,
  transient: exitCodes.runNoAnswer,
  conflict: exitCodes.runNoAnswer,
  platform: exitCodes.runPlatform,
  stuck: exitCodes.runPlatform,
  bug: exitCodes.runPlatform,
} as const satisfies Record<ErrorClass, number>;

type Failed = Pick<ManifestDescription, 'lastRun'> & {
  readonly clusters: readonly Pick<ManifestDescription['clusters'][number], 'failure' | 'heldPools'>[];
};

/** The code of a run that did not lead to what was asked for; several kinds, and failures without a kind, have the general one. */
export function exitCodeOfFailure({ lastRun, clusters }: Failed): number {
  const kinds = clusters.flatMap(({ failure, heldPools }) => [
    ...(failure ? [failure.code === 'Cancelled' ? exitCodes.runInterrupted : exitCodeOfClass[failure.class]] : []),
    ...heldPools.flatMap((held) => (held.class === undefined ? [] : [exitCodeOfClass[held.class]])),
  ]);
  if (kinds.length === 0 && lastRun?.status === 'Aborted') return exitCodes.runInterrupted;
  return commonExitCode(kinds) || exitCodes.runFailed;
}

/** The code of several results together: that of a refusal that is worse than a failed run, else the kind of the runs that failed, or the general code. */
export function commonExitCode(codes: readonly number[]): number {
  const worst = Math.max(exitCodes.ok, ...codes.map((code) => (isOfRun(code) ? exitCodes.runFailed : code)));
  const [kind, ...others] = new Set(codes.filter(isOfRun));
  return worst === exitCodes.runFailed && kind !== undefined && others.length === 0 ? kind : worst;
}

/** The ten codes from 10 on are kinds of what 6 means in general. */
const isOfRun = (code: number): boolean => code === exitCodes.runFailed || (code >= 10 && code <= 19);
