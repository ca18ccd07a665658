/** Kills the runner of a platform with everything that it has started, as the death of its container would. */
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/**
 * Kills it once the next `kubeone apply` of the platform in `home` has run so many seconds; false when that ended before. `work.ended`:
 * no other will come.
 */
export async function killDuringApply(
  home: string,
  seconds: number,
  work: { readonly ended: boolean },
): Promise<boolean> {
  const before = new Set((await applying(home)).map(({ pid }) => pid));
  let fresh: readonly Process[] = [];
  while (fresh.length === 0) {
    if (work.ended) return false;
    await pause(100);
    fresh = (await applying(home)).filter(({ pid }) => !before.has(pid));
  }
  await pause(1000 * seconds);
  const alive = await applying(home);
  if (!alive.some(({ pid }) => fresh.some((one) => one.pid === pid))) return false;
  for (const { pid } of await runners(home)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
  return true;
}

async function applying(home: string): Promise<readonly Process[]> {
  return (await runners(home)).filter(({ command }) => command.includes('/kubeone.ts apply'));
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
