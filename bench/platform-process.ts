/** A platform in a process of its own, and what that has used so far, read from /proc: CPU time, resident memory. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliClient, cliClient } from '#cli/connection/api-client.ts';
import type { PlatformFile } from '#local/data-directory.ts';
import { down, up } from '#local/supervisor.ts';

export interface OwnPlatform {
  readonly platform: PlatformFile;
  readonly api: CliClient;
  readonly dataDir: string;
}

/** Starts a simulating platform with everything on disk, and removes both when the work has ended. */
export async function onPlatform<Result>(
  work: (own: OwnPlatform) => Promise<Result>,
  options: { readonly tickSeconds?: number } = {},
): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kubeloom-bench-'));
  try {
    const platform = await up({ dataDir, apiPort: 0, runner: 'sim', ...options });
    return await work({ platform, api: cliClient(platform), dataDir });
  } finally {
    await down(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Resident memory of a process and all its children, bytes; 0 when it is gone. */
export async function residentBytes(pid: number): Promise<number> {
  const own = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '0 0');
  const below = await Promise.all((await childrenOf(pid)).map(residentBytes));
  return Number(own.split(' ')[1]) * 4096 + below.reduce((sum, bytes) => sum + bytes, 0);
}

/** User and system time of a process with all its threads, seconds. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lines = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  );
  return lines.flatMap((line) => line.split(' ').filter(Boolean).map(Number));
}
