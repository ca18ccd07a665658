/** What requests for access have in common: their time, and waiting for their results. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import type { OpenedNodes, SshRequest } from '#contracts/access-requests.ts';
import type { IssuedKubeconfig } from '#contracts/http-documents.ts';
import { questionLimitMs } from '#contracts/job.ts';
import { accessSeconds } from '#domain/cluster-roles.ts';
import type { CliClient, ManifestName } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';

export interface Patience {
  /** @default 1000 */
  readonly pollMs?: number;
  /** Builds may be queued. */
  readonly limitMs: number;
}

/** `90m`, `8h`, `1h30m`. Throws `CliError` for any other text, and for times that are too short or too long. */
export function ttlSeconds(ttl: string): number {
  const [whole, hours = 0, minutes = 0] = /^(?:(\d{1,4})h)?(?:(\d{1,5})m)?$/.exec(ttl) ?? [];
  const seconds = Number(hours) * 3600 + Number(minutes) * 60;
  if (whole && seconds >= accessSeconds.least && seconds <= accessSeconds.most) return seconds;
  throw new CliError(`--ttl is a time from 10m to 24h, such as 90m or 8h, not "${ttl}"`, exitCodes.usage);
}

/** The result that `given` finds in the answer; polls until it exists. Throws `CliError` when the request was refused. */
export async function accessOutcome<
  Answer extends Pick<IssuedKubeconfig, 'id' | 'status' | 'problem' | 'build'>,
  Given,
>(
  look: () => Promise<Answer>,
  given: (answer: Answer) => Given | null,
  { pollMs = 1000, limitMs }: Patience,
): Promise<Given> {
  const started = Date.now();
  for (;;) {
    const answer = await look();
    const found = given(answer);
    if (found !== null) return found;
    const waited = Date.now() - started;
    if (answer.status !== 'running' || waited > limitMs) throw new CliError(whyNot(answer), exitCodes.fault);
    // A short interval at first: quick answers are not delayed by polling.
    await sleep(waited < 3000 ? Math.min(pollMs, 100) : pollMs);
  }
}

/** Grants a key access to the requested nodes. Returns each node, with the reason if access failed. Throws `CliError`. */
export async function openedNodes(
  api: CliClient,
  place: ManifestName & { readonly cluster: string },
  request: z.input<typeof SshRequest>,
): Promise<OpenedNodes> {
  const { id } = await api.requestSshAccess(place, request);
  const limitMs = 2 * questionLimitMs.ssh;
  return accessOutcome(
    () => api.getSshAccess({ ...place, id }),
    (answer) => answer.opened,
    { limitMs },
  );
}

function whyNot({ id, status, problem, build }: Pick<IssuedKubeconfig, 'id' | 'status' | 'problem' | 'build'>): string {
  if (problem !== null) return problem;
  return status === 'running'
    ? `request ${id} has not ended yet: build ${build} is running or queued`
    : `request ${id} ended without a result; the log of build ${build} says why`;
}
