/** The directory with the whole state of a platform: its lock, its token, its ports, the address of its API. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { identify, isAlive } from 'aws-on-loopback/codebuild/process-group.ts';
import { removeLeftovers, writeFileDurably } from 'aws-on-loopback/stores/durable-file.ts';
import { StoreFault } from 'aws-on-loopback/stores/store-fault.ts';
import { z } from 'zod';
import { parseJson } from '#domain/json.ts';
import { bucket } from './environment.ts';

export const PlatformFile = z.object({
  apiUrl: z.string(),
  token: z.string(),
  pid: z.number().int(),
  /** Distinguishes the process from a later one with the same id. */
  startedAt: z.string(),
  runner: z.enum(['real', 'sim']),
  since: z.string(),
  oidc: z.object({ issuer: z.string(), audiences: z.array(z.string()) }).optional(),
  endpoints: z.record(z.string(), z.string()),
  /** Absent from files of older platforms. */
  metricsUrl: z.string().optional(),
  ports: z.record(z.string(), z.number()),
});
export type PlatformFile = z.infer<typeof PlatformFile>;

export interface DataDirectory {
  readonly path: string;
  readonly token: string;
  /** Ports of the last platform here, to be used again: processes that outlived it still find the new one. */
  readonly ports: Readonly<Record<string, number>>;
  publish(file: PlatformFile): Promise<void>;
  /** Removes the record of the platform and unlocks the directory. */
  release(): Promise<void>;
}

/** Takes the directory. Throws when a living platform has it. */
export async function openDataDirectory(directory: string): Promise<DataDirectory> {
  const path = resolve(directory);
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
  const unlock = await lockOnceFree(path);
  // A command may write `users.json` right now; all else is written by the process that has the lock.
  await removeLeftovers(path, minuteMs);
  for (const store of ['ssm', 'dynamodb', join('s3', bucket)]) await removeLeftovers(join(path, store));
  const token = await loadOrMakeToken(join(path, 'token'));
  const ports = (await readPorts(join(path, 'ports.json'))) ?? {};
  return {
    path,
    token,
    ports,
    async publish(file) {
      await writeFileDurably(join(path, 'ports.json'), JSON.stringify(file.ports));
      await writeFileDurably(join(path, 'platform.json'), `${JSON.stringify(file, null, 2)}\n`, 0o600);
    },
    async release() {
      await rm(join(path, 'platform.json'), { force: true });
      unlock();
    },
  };
}

/** A directory that is gone with the platform. */
export async function openTemporaryDirectory(): Promise<DataDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'kubeloom-'));
  const token = randomBytes(32).toString('base64url');
  return { path, token, ports: {}, publish: async () => {}, release: () => rm(path, { recursive: true, force: true }) };
}

/** The record of the running platform of a directory; undefined when none runs. */
export async function readPlatformFile(directory: string): Promise<PlatformFile | undefined> {
  const text = await readFile(join(directory, 'platform.json'), 'utf8').catch(() => undefined);
  const file = text === undefined ? undefined : PlatformFile.safeParse(parseJson(text)).data;
  return file && isAlive(file) ? file : undefined;
}

/** The identity of this process, for `platform.json`. */
export function installationIdentity(): { readonly pid: number; readonly startedAt: string } {
  return identify(process.pid) ?? { pid: process.pid, startedAt: '' };
}

/** Waits for the lock of a platform's process that is ending: a killed one ends thread by thread. */
async function lockOnceFree(path: string, limitMs = 10_000): Promise<() => void> {
  for (const end = performance.now() + limitMs; ; await pause(25)) {
    try {
      return await lock(path);
    } catch (error) {
      if (error instanceof StoreFault || performance.now() >= end || (await readPlatformFile(path))) throw error;
    }
  }
}

/** The kernel frees a lock of SQLite with the process, however that ends: no lock is ever stale. */
async function lock(path: string): Promise<() => void> {
  const database = new DatabaseSync(join(path, 'lock'), { timeout: 0 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    if (!isBusy(cause)) {
      const { message } = cause as Error;
      throw new StoreFault(
        join(path, 'lock'),
        `cannot be locked: ${message}`,
        'if no platform runs there, remove that file',
        cause,
      );
    }
    const holder = await readPlatformFile(path);
    const who = holder ? `process ${holder.pid}, ${holder.apiUrl}` : 'another process';
    throw new Error(`a platform has ${path} already (${who}); stop it with \`kubeloom local down\``, { cause });
  }
  return () => database.close();
}

/** SQLITE_BUSY: a living process has it. */
const isBusy = (cause: unknown): boolean => (cause as { errcode?: number }).errcode === 5;

const minuteMs = 60_000;

/** What Kubeloom makes has 43 of 64 signs; words and repetitions have fewer. */
const leastToken = 32;
const leastSigns = 10;

async function loadOrMakeToken(path: string): Promise<string> {
  const stored = (await readFile(path, 'utf8').catch(() => '')).trim();
  const signs = new Set(stored).size;
  if (stored.length >= leastToken && signs >= leastSigns) return stored;
  if (stored !== '')
    throw new StoreFault(
      path,
      `has a token that can be guessed: ${stored.length} characters, ${signs} different ones; at least ${leastToken} and ${leastSigns} are needed`,
      'remove that file: the next start makes a new token, and `kubeloom` on this machine uses it',
    );
  const token = randomBytes(32).toString('base64url');
  await writeFileDurably(path, `${token}\n`, 0o600);
  return token;
}

async function readPorts(path: string): Promise<Record<string, number> | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  return z.record(z.string(), z.number()).safeParse(parseJson(text)).data;
}
