/** Reads the requests to stop that the pipeline leaves next to a job: in AWS a build that is stopped from outside is killed. */
import { StopRequest, waypointKeys } from '#contracts/stage.ts';
import type { RunnerPorts } from '#functions/rights/runner-rights.ts';
import { stageCancelled, stageOverdue } from './stage-failure.ts';

/** Aborts with the failure of the job when a request is found at one of `places`; a store that does not answer is asked again. */
export function watchForStop(
  { artifacts }: Pick<RunnerPorts, 'artifacts'>,
  places: readonly string[],
  everyMs = 5_000,
): { readonly signal: AbortSignal; clear(): void } {
  const asked = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const look = async (): Promise<void> => {
    const found = places.map((place) => artifacts.getText(waypointKeys.stop(place)).catch(() => undefined));
    const text = (await Promise.all(found)).find((one) => one !== undefined);
    if (over) return;
    if (text !== undefined) asked.abort(failureOf(text));
    else timer = setTimeout(look, everyMs).unref();
  };
  timer = setTimeout(look, everyMs).unref();
  return {
    signal: asked.signal,
    clear() {
      over = true;
      clearTimeout(timer);
    },
  };
}

function failureOf(text: string): Error {
  return StopRequest.parse(JSON.parse(text)).reason === 'late' ? stageOverdue() : stageCancelled();
}
