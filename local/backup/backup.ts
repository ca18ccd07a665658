/** Backup and restore of the whole state of a local platform: table, bucket, secrets with their key, executions, its token. */
import { spawn } from 'node:child_process';
import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { openDataDirectory } from '../data-directory.ts';
import { sealInto, unsealFrom } from './sealed-file.ts';

/** Files that the next platform creates again, and programs and machines, which are not state: real hosts stay, as those of a cloud would. */
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
 * Writes a backup. The platform must be down: a backup would contain only a part of what it writes meanwhile. Throws a sentence, and leaves
 * no file then.
 */
export async function backUp({ dataDir, file, passphrase }: BackupOptions): Promise<void> {
  const entries = await readdir(dataDir).catch((): string[] => []);
  if (!entries.includes('token'))
    throw new Error(`${dataDir} is not the directory of a platform; there is nothing to back up`);
  if (isInside(file, dataDir))
    throw new Error(`${file} is inside ${dataDir}: put the backup elsewhere, or the next backup would contain it`);
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
      // An older backup of that name must not be removed.
      if (!isTaken(error)) await rm(file, { force: true });
      throw reported(error, file);
    }
  } finally {
    await directory.release();
  }
}

/** Restores a backup where there is no platform. Leaves nothing when it fails. Throws a sentence. */
export async function restore({ dataDir, file, passphrase }: BackupOptions): Promise<void> {
  await access(file, constants.R_OK).catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? 'does not exist' : 'cannot be read';
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
  const restored = await mkdtemp(join(dirname(target), `.${basename(target)}-restored-`));
  try {
    const tar = spawn('tar', ['--extract', '--gzip', '--directory', restored, '--no-same-owner', '--file=-'], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const ended = endOf(tar, 'tar');
    ended.catch(() => undefined);
    // A wrong passphrase gives random bytes, and tar fails first: the error of the seal is the better reason.
    tar.stdin.on('error', () => undefined);
    try {
      await unsealFrom(file, passphrase, tar.stdin);
    } catch (error) {
      // It still writes its last data: everything can be removed only after it has ended.
      tar.stdin.destroy();
      await ended.catch(() => undefined);
      throw error;
    }
    await ended;
    for (const name of await readdir(restored)) {
      await mkdir(target, { recursive: true, mode: 0o700 });
      await rename(join(restored, name), join(target, name));
    }
    await chmod(target, 0o700);
  } finally {
    await rm(restored, { recursive: true, force: true });
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
  if (isTaken(error)) return new Error(`${file} exists already; a backup never replaces another`);
  if (codeOf(error) !== 'ENOENT') return error;
  return new Error(`${file} cannot be written: there is no directory ${dirname(resolve(file))}`, { cause: error });
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

function isInside(file: string, directory: string): boolean {
  const way = relative(resolve(directory), resolve(file));
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}
