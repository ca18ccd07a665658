/** Reads the requests to stop that the pipeline leaves next to a job: in AWS a build that is stopped from outside is killed. */
import { StopRequest, waypointKeys } from '#contracts/stage.ts';
import type { RunnerPorts } from '#functions/rights/runner-rights.ts';
import { stageCancelled, stageOverdue } from './stage-failure.ts';

/**
 * Aborts with the failure of the job when a request is found at one of `places`; the request to a store that does not answer is retried.
 * `looked` is what the first look found: a build may have waited for so long that its work does not have to start.
 */
export function watchForStop(
  { artifacts }: Pick<RunnerPorts, 'artifacts'>,
  places: readonly string[],
  everyMs = 5_000,
): { readonly signal: AbortSignal; readonly looked: Promise<Error | undefined>; clear(): void } {
  const asked = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const look = async (): Promise<Error | undefined> => {
    const found = places.map((place) => artifacts.getText(waypointKeys.stop(place)).catch(() => undefined));
    const text = (await Promise.all(found)).find((one) => one !== undefined);
    if (over) return undefined;
    const failure = text === undefined ? undefined : failureOf(text);
    if (failure) asked.abort(failure);
    else timer = setTimeout(look, everyMs).unref();
    return failure;
  };
  return {
    signal: asked.signal,
    looked: look(),
    clear() {
      over = true;
      clearTimeout(timer);
    },
  };
}

function failureOf(text: string): Error {
  return StopRequest.parse(JSON.parse(text)).reason === 'late' ? stageOverdue() : stageCancelled();
}
