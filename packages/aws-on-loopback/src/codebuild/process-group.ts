/** Processes that outlive their parent: their certain identity, and how to end a whole group of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** The identity of a process: ids are reused, start times are not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Boot of the machine and ticks since then; '' where /proc is missing. */
  readonly startedAt: string;
}

interface Stat {
  readonly state: string;
  readonly group: number;
  readonly startedAt: string;
}

/** The identity of a living process; undefined when it does not exist. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readStat(pid);
  if (stat) return { pid, startedAt: stat.startedAt };
  return hasProc() ? undefined : { pid, startedAt: '' };
}

/** True when exactly that process lives. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  if (!hasProc()) return canSignal(pid);
  const stat = readStat(pid);
  return stat !== undefined && stat.startedAt === startedAt && stat.state !== 'Z';
}

/** Sends a signal to a process group; false when it is empty. */
export function signalGroup(leader: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/** Kills all that a build started, in whatever group, and waits until it is gone: as when a container ends. */
export async function killBuild(leader: number, variable: string): Promise<void> {
  signalGroup(leader, 'SIGKILL');
  await until(() => {
    if (!hasProc()) return !canSignal(-leader);
    const left = new Set([...membersOf(leader), ...startedBy(variable)]);
    for (const pid of left) kill(pid);
    return left.size === 0;
  }, 5_000);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** Living members of a group that were started by a build, known by a variable of its environment. */
export function groupMembers(leader: number, variable: string): readonly number[] {
  if (!hasProc()) return [];
  return membersOf(leader).filter((pid) => environmentOf(pid).includes(variable));
}

/** Leaders of the groups with processes that a build started; none where /proc is missing. A leader may have ended before its group. */
export function groupsOf(variable: string): readonly ProcessIdentity[] {
  if (!hasProc()) return [];
  const groups = new Set(startedBy(variable).flatMap((pid) => readStat(pid)?.group ?? []));
  return [...groups].map((pid) => identify(pid) ?? { pid, startedAt: '' });
}

/** Processes that only wait to be reaped have no environment. */
function startedBy(variable: string): readonly number[] {
  return processes().filter((pid) => environmentOf(pid).split('\0').includes(variable));
}

/** Processes that only wait to be reaped do not count. */
function membersOf(leader: number): readonly number[] {
  return processes().filter((pid) => {
    const stat = readStat(pid);
    return stat?.group === leader && stat.state !== 'Z';
  });
}

function processes(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/**
 * Ends a group that an earlier process left: SIGINT to its leader, so that tools can store their state,
 * SIGTERM to all after the grace, then SIGKILL. Does nothing when the group is no longer that of the build.
 */
export async function endGroup(leader: ProcessIdentity, variable: string, graceMs: number): Promise<void> {
  const remains = (): boolean => groupMembers(leader.pid, variable).length > 0;
  if (isAlive(leader) && remains()) {
    process.kill(leader.pid, 'SIGINT');
    await until(() => !isAlive(leader), graceMs);
  }
  if (!remains()) return;
  signalGroup(leader.pid, 'SIGTERM');
  await until(() => !remains(), Math.min(graceMs, 2_000));
  if (!remains()) return;
  signalGroup(leader.pid, 'SIGKILL');
  await until(() => !remains(), 5_000);
}

async function until(holds: () => boolean, limitMs: number): Promise<void> {
  for (const end = performance.now() + limitMs; !holds() && performance.now() < end; ) await pause(20);
}

let proc: boolean | undefined;
function hasProc(): boolean {
  proc ??= readStat(process.pid) !== undefined;
  return proc;
}

function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program is in brackets and may hold anything, brackets and spaces too.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { state: fields[0] ?? '', group: Number(fields[2]), startedAt: `${boot}:${fields[19]}` };
  } catch {
    return undefined;
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

function canSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
