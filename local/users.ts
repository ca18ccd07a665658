/** Users of a platform apart from its owner: names, groups and digests of their tokens, in `users.json` of its directory. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { writeFileDurably } from 'aws-on-loopback/stores/durable-file.ts';
import { z } from 'zod';

const User = z.strictObject({
  name: z.string(),
  /** SHA-256 of the token, hexadecimal; the token itself is not stored. It is random, so it needs no salt. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  groups: z.array(z.string()),
  createdAt: z.string(),
});
const UsersFile = z.strictObject({ users: z.array(User) });

/** The public fields of a user. */
export type LocalUser = Readonly<Omit<z.infer<typeof User>, 'digest'>>;

/** The file of a platform's directory. */
export const usersFile = (directory: string): string => join(directory, 'users.json');

/** The owner's subject; no user has this name. */
export const ownerName = 'local';

/** In its tokens and in RoleBindings: no issuer can use such a subject, as the gateway refuses it. */
export const subjectOf = (name: string): string => `${ownerName}:${name}`;

const nameShape = /^[a-z0-9]([-a-z0-9._]{0,61}[a-z0-9])?$/;
// API Gateway passes on groups as one text with spaces between them, in brackets.
const groupShape = /^[\w.:@/-]{1,128}$/;

/** Creates a user and its token, which is not shown again. Throws when the name is taken or not valid. */
export async function addUser(
  directory: string,
  { name, groups, now }: { readonly name: string; readonly groups: readonly string[]; readonly now: Date },
): Promise<{ readonly user: LocalUser; readonly token: string }> {
  if (!nameShape.test(name))
    throw new Error(`"${name}" is not a valid user name; use up to 63 lower-case letters, digits, "-", "." and "_"`);
  if (name === ownerName) throw new Error(`"${ownerName}" is the owner of the platform; choose another name`);
  const invalid = groups.find((group) => !groupShape.test(group));
  if (invalid !== undefined)
    throw new Error(`"${invalid}" is not a valid group; use letters, digits and any of . _ : @ / -`);
  return changing(directory, (users) => {
    if (users.some((user) => user.name === name))
      throw new Error(`there is a user "${name}" already; for a new token remove and add it again`);
    const token = `klu_${randomBytes(32).toString('base64url')}`;
    const user = { name, groups: [...new Set(groups)], createdAt: now.toISOString() };
    return { users: [...users, { ...user, digest: digestOf(token).toString('hex') }], result: { user, token } };
  });
}

/** Its token is refused from the next request on. Throws when there is no such user. */
export function removeUser(directory: string, name: string): Promise<void> {
  return changing(directory, (users) => {
    if (!users.some((user) => user.name === name))
      throw new Error(`there is no user "${name}"; \`kubeloom local user list\` lists them`);
    return { users: users.filter((user) => user.name !== name), result: undefined };
  });
}

/** By name. Throws when the file cannot be understood. */
export async function listUsers(directory: string): Promise<readonly LocalUser[]> {
  const users = await readUsers(usersFile(directory));
  return users.map(({ digest: _, ...user }) => user).toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Finds users by their tokens; the file is read again when it has changed. Rejects when it cannot be understood. */
export function usersOf(path: string): (token: string) => Promise<LocalUser | undefined> {
  let read: { readonly version: string; readonly users: readonly z.infer<typeof User>[] } | undefined;
  return async (token) => {
    const version = await versionOf(path);
    if (read?.version !== version) read = { version, users: await readUsers(path) };
    const given = digestOf(token);
    // All of them, always: the time it takes must not show which one is close.
    const [found] = read.users.filter(({ digest }) => timingSafeEqual(Buffer.from(digest, 'hex'), given));
    return found && { name: found.name, groups: found.groups, createdAt: found.createdAt };
  };
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Every change is a new file: its number and time distinguish one from the next. */
async function versionOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(unlessMissing);
  return found === undefined ? 'none' : `${found.ino}-${found.mtimeNs}-${found.size}`;
}

async function readUsers(path: string): Promise<readonly z.infer<typeof User>[]> {
  const text = await readFile(path, 'utf8').catch(unlessMissing);
  if (text === undefined) return [];
  try {
    return UsersFile.parse(JSON.parse(text)).users;
  } catch {
    // Not the message of the parser or the schema: it may quote the content of the file.
    throw new Error(`${path} is not a list of users; fix it, or remove it and add the users again`);
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** One change after another, also of several processes. */
async function changing<Result>(
  directory: string,
  change: (users: readonly z.infer<typeof User>[]) => {
    readonly users: readonly z.infer<typeof User>[];
    readonly result: Result;
  },
): Promise<Result> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const unlock = await locked(join(directory, 'users.lock'));
  try {
    const path = usersFile(directory);
    const { users, result } = change(await readUsers(path));
    await writeFileDurably(path, `${JSON.stringify({ users }, null, 2)}\n`, 0o600);
    return result;
  } finally {
    unlock();
  }
}

/** The kernel frees a lock of SQLite with the process that had it: no lock is ever stale. */
async function locked(path: string, limitMs = 10_000): Promise<() => void> {
  const end = performance.now() + limitMs;
  for (;;) {
    const database = new DatabaseSync(path, { timeout: 0 });
    try {
      database.exec('BEGIN EXCLUSIVE');
      return () => database.close();
    } catch (cause) {
      database.close();
      if (performance.now() > end) throw new Error('another process is changing the users; retry', { cause });
    }
    await pause(10);
  }
}
