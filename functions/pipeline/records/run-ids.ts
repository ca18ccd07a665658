/** Names of runs, which are names of executions, too. */
import type { ManifestRecord } from '#contracts/records.ts';

type Attempt = Pick<ManifestRecord, 'name' | 'uid' | 'generation' | 'attempt'>;

export const attemptRunId = ({ name, uid, generation, attempt }: Attempt): string =>
  `${name}-${uid}-g${generation}-a${attempt}`;

/** `checks`: so many of the manifest there were, this one included. */
export const checkRunId = ({ name, uid, generation }: Omit<Attempt, 'attempt'>, checks: number): string =>
  `${name}-${uid}-g${generation}-d${checks.toString(36)}`;

export const isCheckRunId = (runId: string): boolean => /-d[0-9a-z]+$/.test(runId);
