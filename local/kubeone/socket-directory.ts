/** A directory for the sockets of ssh connections. The next process removes directories of killed processes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates the directory. Its path is short, since names of sockets are limited to 108 characters. */
export function makeSocketDirectory(parent = tmpdir()): string {
  for (const name of readdirSync(parent)) {
    const [, owner = ''] = /^ko-([0-9a-z]+-[0-9a-z]+)-\w{6}$/.exec(name) ?? [];
    if (owner === '' || ownerOf(Number.parseInt(owner, 36)) === owner) continue;
    rmSync(join(parent, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(parent, `ko-${ownerOf(process.pid) ?? 'unknown'}-`));
}

/** Id and start time of a process, which are unique until the machine restarts; undefined when it does not exist. */
export function ownerOf(pid: number): string | undefined {
  try {
    // After the name of the command, which may have blanks, field 22 is the start time.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return `${pid.toString(36)}-${Number(fields[19]).toString(36)}`;
  } catch {
    return undefined;
  }
}
