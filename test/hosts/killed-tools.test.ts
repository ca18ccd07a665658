/**
 * Tools are killed (kill -9, alone or with their runner), one after another, at random moments of changes on real hosts: afterwards no machine is
 * lost, doubled or unknown. Each tool is killed once; KUBELOOM_KILLS_OF_EACH_TOOL=20 says how often, and then takes other moments each time:
 * KUBELOOM_KILL_SEED takes those of a run before. A kill takes about a minute.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { isRoot } from './host-workshop.ts';
import { clusterOf, Installation } from './installation.ts';
import { smallManifest } from './small-manifest.ts';

const killsOfEach = Number(process.env.KUBELOOM_KILLS_OF_EACH_TOOL ?? 1);
const seed = Number(process.env.KUBELOOM_KILL_SEED ?? (killsOfEach > 1 ? Date.now() % 100_000 : 1));

/** What is waited for, and the longest time in ms until it is killed. */
const tools = [
  { name: 'terraform', runs: /(^|\/)(terraform|tofu)\S* (plan|apply)/, within: 1500 },
  { name: 'ansible-playbook', runs: /ansible-playbook/, within: 4000 },
  { name: 'kubeone', runs: /kubeone\S* apply/, within: 2000 },
  { name: 'kubectl', runs: /kubectl /, within: 300 },
] as const;

const kills = killsOfEach * tools.length;
/** Three minutes a kill: most take half of one, and a change without work for the tool needs one more try. */
const longestMs = kills * 180_000;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

describe.runIf(isRoot)('tools that are killed at random moments', () => {
  const name = 'killed';
  let installation: Installation;
  const random = numbersFrom(seed);

  beforeAll(async () => {
    installation = await Installation.open();
    const manifest = await installation.apply(name, manifestOf(1));
    expect(manifest.status, JSON.stringify(clusterOf(manifest).failure)).toBe('Done');
  });
  afterAll(() => installation?.close());

  const manifestOf = (count: number) =>
    smallManifest({
      name,
      compute: {
        near: { provider: 'local-1', region: 'here', count },
        far: { provider: 'local-2', region: 'there', count },
      },
    });

  /** Runners of this installation with all that they have started. */
  function processes(): readonly Process[] {
    const all = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 16 << 20 })
      .split('\n')
      .flatMap((line): Process[] => {
        const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
        return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
      });
    const found = all.filter(({ command }) => command.includes(`${installation.home}/runner/`));
    for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
    return found;
  }

  /** Returns how it was killed; undefined when the tool had no work, or had done it, before `change` ended. */
  async function killIn(change: { ended: boolean }, tool: (typeof tools)[number]): Promise<string | undefined> {
    const [whole, delay] = [random() < 0.5, Math.round(random() * tool.within)];
    const atWork = () => processes().filter(({ command }) => tool.runs.test(command));
    const seen = async () => {
      while (!change.ended && atWork().length === 0) await pause(50);
      await pause(delay);
      return atWork();
    };
    let meant = await seen();
    // It had done its work when the moment came: the next time that it works has another chance.
    while (!change.ended && meant.length === 0) meant = await seen();
    if (meant.length === 0) return undefined;
    for (const { pid } of whole ? processes() : meant) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
    }
    return `after ${delay} ms${whole ? ', with its runner' : ''}`;
  }

  async function prove(manifest: ManifestDescription): Promise<void> {
    expect(manifest.status, JSON.stringify(clusterOf(manifest).failure)).toBe('Done');
    const nodes = clusterOf(manifest).nodes.map((node) => node.name);
    expect(await installation.hosts()).toEqual(nodes.toSorted());
  }

  it(
    'every machine is known and none is doubled after each of the kills',
    async () => {
      const killedTimes = new Map<string, number>();
      let done = 0;
      for (let count = 2; done < kills; count = 3 - count) {
        const change = { ended: false };
        const tool = tools[done % tools.length] ?? tools[0];
        const killed = killIn(change, tool);
        let manifest = await installation.apply(name, manifestOf(count));
        let retries = 0;
        for (; manifest.status !== 'Done' && retries < 4; retries += 1) manifest = await installation.retry(name);
        change.ended = true;
        const what = await killed;
        const killedNow = what === undefined ? `${tool.name} had no work to kill` : `killed ${tool.name} ${what}`;
        process.stdout.write(`seed ${seed}: ${count} and ${count} compute nodes: ${killedNow}; ${retries} retries\n`);
        await prove(manifest);
        if (what === undefined) continue;
        killedTimes.set(tool.name, (killedTimes.get(tool.name) ?? 0) + 1);
        done += 1;
      }
      process.stdout.write(`kills by tool: ${JSON.stringify(Object.fromEntries(killedTimes))}\n`);
    },
    longestMs,
  );

  it('a deletion after all of them leaves nothing behind', async () => {
    await installation.remove(name);
    expect(await installation.leftovers()).toEqual([]);
  });
});

/** The same numbers for the same seed, from 0 to 1 (mulberry32). */
function numbersFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
