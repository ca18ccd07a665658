/** Whether what clients were promised was kept: every acknowledged generation is there and has come to an end. */
import { setTimeout as pause } from 'node:timers/promises';
import type { LoadClient, Owned, Shown } from './load-client.ts';

const ends: readonly string[] = ['Done', 'Failed'];

export async function verify(clients: readonly LoadClient[], patienceMs: number): Promise<object> {
  const give = performance.now() + patienceMs;
  const lost: string[] = clients.flatMap(({ lostUpdates }) => lostUpdates);
  const unfinished: string[] = [];
  const ended: Record<string, number> = {};
  for (const client of clients) {
    for (const target of client.owned.filter(({ promised }) => promised !== undefined)) {
      const verdict = await endOf(client, target, give);
      if (verdict.startsWith('lost')) lost.push(`${target.name}: ${verdict}`);
      else if (verdict.startsWith('at')) unfinished.push(`${target.name}: ${verdict}`);
      ended[verdict.split(':')[0] ?? ''] = (ended[verdict.split(':')[0] ?? ''] ?? 0) + 1;
    }
  }
  return {
    lostUpdates: lost.length,
    unfinished: unfinished.length,
    ended,
    samples: [...lost, ...unfinished].slice(0, 10),
  };
}

async function endOf(client: LoadClient, { name, promised }: Owned, give: number): Promise<string> {
  for (;;) {
    const { status, body } = await client.look(name);
    if (status === 404) return promised?.deleting || promised?.doubtful ? 'gone' : 'lost: not there';
    const verdict = judge(body, promised?.generation ?? 0);
    if (!verdict.startsWith('at') || performance.now() > give) return verdict;
    await pause(200);
  }
}

function judge({ generation = 0, status = '' }: Shown, promised: number): string {
  if (generation < promised) return `lost: generation ${generation} instead of ${promised}`;
  return ends.includes(status) ? status : `at ${status}: generation ${generation}`;
}
