/** Checks the promises to clients: every acknowledged generation exists and has ended. */
import { setTimeout as pause } from 'node:timers/promises';
import type { LoadClient, Owned, Promised, ShownManifest } from './load-client.ts';
import { countEach } from './numbers.ts';

const ends: readonly string[] = ['Done', 'Failed'];

export async function verify(clients: readonly LoadClient[], patienceMs: number): Promise<object> {
  const give = performance.now() + patienceMs;
  const lost: string[] = clients.flatMap(({ lostUpdates }) => lostUpdates);
  const unfinished: string[] = [];
  const failed: string[] = [];
  const ended: string[] = [];
  for (const client of clients) {
    for (const target of client.owned.filter(({ promised }) => promised !== undefined)) {
      const verdict = await endOf(client, target, give);
      if (verdict.startsWith('Failed otherwise')) failed.push(`${target.name}: ${verdict}`);
      if (verdict.startsWith('lost')) lost.push(`${target.name}: ${verdict}`);
      else if (verdict.startsWith('at')) unfinished.push(`${target.name}: ${verdict}`);
      ended.push(verdict.split(':')[0] ?? '');
    }
  }
  return {
    lostUpdates: lost.length,
    unfinished: unfinished.length,
    ended: countEach(ended),
    samples: [...lost, ...unfinished, ...failed].slice(0, 10),
  };
}

async function endOf(client: LoadClient, { name, promised }: Owned, give: number): Promise<string> {
  for (;;) {
    const { status, body } = await client.look(name);
    if (status === 404) return promised?.deleting || promised?.doubtful ? 'gone' : 'lost: not there';
    const verdict = judge(body, promised);
    if (!verdict.startsWith('at') || performance.now() > give) return verdict;
    await pause(200);
  }
}

function judge(
  { generation = 0, status = '', lastRun, clusters = [] }: ShownManifest,
  promised: Promised | undefined,
): string {
  // A manifest that was deleted and created again by an interrupted write starts at generation 1.
  const isNewManifest = promised?.deleting && promised.doubtful;
  if (generation < (promised?.generation ?? 0) && !isNewManifest)
    return `lost: generation ${generation} instead of ${promised?.generation}`;
  if (!ends.includes(status)) return `at ${status}: generation ${generation}`;
  const why = clusters.flatMap(({ failure }) => (failure ? [`${failure.code} ${failure.message}`] : []));
  if (status !== 'Failed') return status;
  // A run that was interrupted three times waits for a person; with enough kills, that happens.
  const often = lastRun?.status === 'Aborted' && /-a([3-9]|\d\d)$/.test(lastRun.runId);
  return `Failed ${often ? 'after three interruptions' : 'otherwise'}: ${lastRun?.runId} ${lastRun?.status}, ${why.join('; ')}`;
}
