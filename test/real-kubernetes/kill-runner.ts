/** Kills the runner of a platform with everything that it has started, as the death of its container would. */
import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** So many seconds after the start of an apply, or after KubeOne has printed `words`. */
export interface Moment {
  readonly words?: string;
  readonly seconds: number;
}

/**
 * Kills it in the next `kubeone apply` of the platform in `home`. Returns the last output of KubeOne; undefined when it ended before.
 * `work.ended`: no other will come.
 */
export async function killDuringApply(
  home: string,
  { words, seconds }: Moment,
  work: { readonly ended: boolean },
): Promise<string | undefined> {
  const before = new Set((await applying(home)).map(({ pid }) => pid));
  let fresh: readonly Process[] = [];
  while (fresh.length === 0) {
    if (work.ended) return undefined;
    await pause(100);
    fresh = (await applying(home)).filter(({ pid }) => !before.has(pid));
  }
  const runs = async () => (await applying(home)).some(({ pid }) => fresh.some((one) => one.pid === pid));
  const builds = join(home, 'builds');
  while (words !== undefined && !(await linesOfKubeOne(builds)).some((line) => line.includes(words))) {
    if (!(await runs())) return undefined;
    await pause(200);
  }
  await pause(1000 * seconds);
  if (!(await runs())) return undefined;
  for (const { pid } of await runners(home)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
  return (await linesOfKubeOne(builds)).at(-1) ?? '';
}

/** Text of its newest log. */
async function linesOfKubeOne(directory: string): Promise<readonly string[]> {
  const files = (await readdir(directory)).filter((name) => name.startsWith('kubeloom-kubeone-'));
  const logs = await Promise.all(
    files.map(async (name) => ({ file: join(directory, name), at: (await stat(join(directory, name))).mtimeMs })),
  );
  const newest = logs.reduce((one, other) => (other.at > one.at ? other : one));
  return (await readFile(newest.file, 'utf8')).split('\n').filter((line) => line.includes(' kubeone: '));
}

async function applying(home: string): Promise<readonly Process[]> {
  return (await runners(home)).filter(({ command }) => /\/kubeone(-[\d.]+)? apply/.test(command));
}

/** The runners of this platform and their descendants. */
async function runners(home: string): Promise<readonly Process[]> {
  const { stdout } = await run('ps', ['-eo', 'pid=,ppid=,args='], { maxBuffer: 16 << 20 });
  const all = stdout.split('\n').flatMap((line): Process[] => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
  const found = all.filter(({ command }) => command.includes(`${home}/runner/`));
  // The list grows while it is read: children, then their children.
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
  return found;
}
