/** DynamoDB does a batch in part where it is too large or requests come too fast, and names the rest, which is sent again. */
import { PipelineError } from '#domain/errors.ts';
import { pauseAbout, pausesMs } from '../pauses.ts';

/**
 * `send` sends requests and returns those that were not done. Pauses grow while none is done. Throws `ServiceUnavailable`
 * when that lasts for about a second.
 */
export async function sendUntilDone<Request>(
  requests: readonly Request[],
  send: (rest: readonly Request[]) => Promise<readonly Request[]>,
): Promise<void> {
  let rest = requests;
  let idle = 0;
  while (rest.length > 0) {
    const left = await send(rest);
    if (left.length === 0) return;
    idle = left.length < rest.length ? 0 : idle + 1;
    const pauseMs = pausesMs[idle];
    if (pauseMs === undefined) {
      throw new PipelineError('ServiceUnavailable', `DynamoDB does nothing of a batch of ${left.length}; retry later`);
    }
    await pauseAbout(pauseMs);
    rest = left;
  }
}
