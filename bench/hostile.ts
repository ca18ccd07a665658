/**
 * Hostile bodies: how long the API takes to answer, how long it blocks other callers meanwhile, and what memory that takes.
 * `node bench/run.ts hostile`. Each body is sent to a platform of its own while `/v1/health` is polled: as its first request, when code is
 * still loaded, and once more.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { round } from './numbers.ts';
import { cpuSeconds, type OwnPlatform, onPlatform } from './platform-process.ts';

const size = 990_000;
const bodies: Readonly<Record<string, string>> = {
  commasInMap: `{${','.repeat(size)}}`,
  commasInList: `[${','.repeat(size)}]`,
  closingBrackets: '}\n'.repeat(size / 2),
  nestedLists: '['.repeat(size / 2) + ']'.repeat(size / 2),
  oneKey: 'a: 1\n'.repeat(size / 5),
  textLines: `- |\n${' x\n'.repeat(size / 3)}`,
  ...slowForExpressions(120_000),
  ...slowForExpressions(size),
};

/** Texts that an expression with two loops over the same characters reads again from each of them. */
function slowForExpressions(length: number): Readonly<Record<string, string>> {
  const source = (url: string) => document('GitSource', 'source', { url, ref: 'main', path: '.', every: '5m' });
  const template = (text: string) => document('InventoryTemplate', 'template', { version: 1, document: { a: text } });
  return {
    [`dotsInAddress${length}`]: source('.'.repeat(length)),
    [`slashesInAddress${length}`]: source(`a.b${'/'.repeat(length)} `),
    [`tabsInReference${length}`]: template(`\${A??"${'\t'.repeat(length)}\t??"]}`),
    [`stepsInReference${length}`]: template(`\${A${'["a"]'.repeat(length / 5)}!}`),
    [`dashesInName${length}`]: document('GitSource', `${'-'.repeat(length)}!`, {}),
  };
}

function document(kind: string, name: string, spec: object): string {
  return JSON.stringify({ apiVersion: 'kubeloom.dev/v1', kind, metadata: { name, namespace: 'team' }, spec });
}

export async function measureHostile() {
  const results: Record<string, object> = {};
  for (const [name, body] of Object.entries(bodies))
    results[name] = await onPlatform((own) => measure(own, body), { tickSeconds: 3600 });
  return {
    what: 'one POST /v1/validate with one of these bodies',
    aim: { answerMs: 1000, healthWaitedMs: 150 },
    ...results,
  };
}

async function measure({ platform }: OwnPlatform, body: string): Promise<object> {
  const memoryBefore = await peakMegabytes(platform.pid);
  const first = await once(platform, body);
  const memory = { peakMbBefore: memoryBefore, peakMbAfter: await peakMegabytes(platform.pid) };
  const { answerMs, healthWaitedMs, cpuSeconds } = await once(platform, body);
  return { ...first, ...memory, again: { answerMs, healthWaitedMs, cpuSeconds } };
}

async function once({ apiUrl, token, pid }: OwnPlatform['platform'], body: string) {
  const cpuBefore = await cpuSeconds(pid);
  const asked = performance.now();
  let open = true;
  const answer = (async () => {
    const response = await fetch(`${apiUrl}/v1/validate`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await response.text();
    open = false;
    return { status: response.status, answerBytes: text.length, answerMs: Math.round(performance.now() - asked) };
  })();
  let waited = 0;
  while (open) {
    const began = performance.now();
    await fetch(`${apiUrl}/v1/health`);
    waited = Math.max(waited, performance.now() - began);
    await pause(5);
  }
  const cpu = round((await cpuSeconds(pid)) - cpuBefore);
  return { ...(await answer), healthWaitedMs: Math.round(waited), cpuSeconds: cpu };
}

async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
}
