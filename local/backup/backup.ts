/** Backup and restore of everything that a local platform knows: table, bucket, secrets with their key, executions, its token. */
import { spawn } from 'node:child_process';
import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { openDataDirectory } from '../data-directory.ts';
import { sealInto, unsealFrom } from './sealed-file.ts';

/** Made anew by the next platform, or no knowledge but programs and machines: real hosts stay, as those of a cloud would. */
const leftOut: readonly string[] = [
  'bin',
  'hosts',
  'lock',
  'lock-journal',
  'platform.json',
  'platform.log',
  'ports.json',
  'runner',
];

export interface BackupOptions {
  readonly dataDir: string;
  readonly file: string;
  readonly passphrase: string;
}

/**
 * Writes a backup. The platform must be down: what it writes meanwhile would be in it by half. Throws in words for people, and leaves
 * no file behind then.
 */
export async function backUp({ dataDir, file, passphrase }: BackupOptions): Promise<void> {
  const entries = await readdir(dataDir).catch((): string[] => []);
  if (!entries.includes('token'))
    throw new Error(`${dataDir} is not the directory of a platform; there is nothing to back up`);
  if (isInside(file, dataDir))
    throw new Error(`${file} is inside ${dataDir}: put the backup elsewhere, the next one would have it in it`);
  const directory = await openDataDirectory(dataDir);
  try {
    const members = entries.filter((name) => !leftOut.includes(name)).sort();
    const args = ['--create', '--gzip', '--directory', directory.path, '--file=-', '--', ...members];
    let ended: Promise<void> | undefined;
    try {
      await sealInto(file, passphrase, () => {
        const tar = spawn('tar', args, { stdio: ['ignore', 'pipe', 'pipe'] });
        ended = endOf(tar, 'tar');
        ended.catch(() => undefined);
        return tar.stdout;
      });
      await ended;
    } catch (error) {
      // An older backup of that name is not ours to remove.
      if (!isTaken(error)) await rm(file, { force: true });
      throw reported(error, file);
    }
  } finally {
    await directory.release();
  }
}

/** Puts a backup where no platform is. Nothing is there afterwards when it fails. Throws in words for people. */
export async function restore({ dataDir, file, passphrase }: BackupOptions): Promise<void> {
  await access(file, constants.R_OK).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? 'is not there' : 'cannot be read';
    throw new Error(`${file} ${why}; name a file that \`kubeloom local backup\` wrote`, { cause });
  });
  const target = resolve(dataDir);
  const there = await readdir(target).catch((): string[] => []);
  if (there.some((name) => !leftOut.includes(name))) {
    throw new Error(
      `${target} has a platform in it: move it away, or remove it with \`kubeloom local reset\`, and restore again`,
    );
  }
  await mkdir(dirname(target), { recursive: true });
  const beside = await mkdtemp(join(dirname(target), `.${basename(target)}-restored-`));
  try {
    const tar = spawn('tar', ['--extract', '--gzip', '--directory', beside, '--no-same-owner', '--file=-'], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const ended = endOf(tar, 'tar');
    ended.catch(() => undefined);
    // A passphrase that is wrong gives nonsense, of which tar complains first: the better reason is that of the seal.
    tar.stdin.on('error', () => undefined);
    try {
      await unsealFrom(file, passphrase, tar.stdin);
    } catch (error) {
      // It still writes what it had: only when it has ended can all of that be removed.
      tar.stdin.destroy();
      await ended.catch(() => undefined);
      throw error;
    }
    await ended;
    for (const name of await readdir(beside)) {
      await mkdir(target, { recursive: true, mode: 0o700 });
      await rename(join(beside, name), join(target, name));
    }
    await chmod(target, 0o700);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

function endOf(child: ReturnType<typeof spawn>, name: string): Promise<void> {
  let complaints = '';
  child.stderr?.on('data', (text: Buffer) => {
    complaints = `${complaints}${text}`.slice(-500);
  });
  return new Promise((done, fail) => {
    child.once('error', (cause) => fail(new Error(`${name} is needed and cannot be started`, { cause })));
    child.once('close', (code) =>
      code === 0 ? done() : fail(new Error(`${name} ended with ${code}: ${complaints.trim()}`)),
    );
  });
}

function isTaken(error: unknown): boolean {
  return codeOf(error) === 'EEXIST';
}

function reported(error: unknown, file: string): unknown {
  if (isTaken(error)) return new Error(`${file} is there already; a backup never replaces another`);
  if (codeOf(error) !== 'ENOENT') return error;
  return new Error(`${file} cannot be written: there is no directory ${dirname(resolve(file))}`, { cause: error });
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

function isInside(file: string, directory: string): boolean {
  const way = relative(resolve(directory), resolve(file));
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}
