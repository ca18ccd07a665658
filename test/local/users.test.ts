/** Users of a platform: made, found by their tokens, removed; of a token only the digest stays. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { addUser, listUsers, removeUser, usersFile, usersOf } from '#local/users.ts';
import { refusal, temporaryDirectory } from './clients.ts';

const now = new Date('2026-11-20T12:00:00Z');
const add = (directory: string, name: string, groups: readonly string[] = []) =>
  addUser(directory, { name, groups, now });

describe('a user', () => {
  it('a user is found by its token and by nothing else, until it is removed', async () => {
    const directory = await temporaryDirectory();
    const find = usersOf(usersFile(directory));
    expect(await find('klu_anything')).toBeUndefined();
    const ann = await add(directory, 'ann', ['dev', 'ops', 'dev']);
    const bob = await add(directory, 'bob');
    expect(await find(ann.token)).toEqual({ name: 'ann', groups: ['dev', 'ops'], createdAt: now.toISOString() });
    expect((await find(bob.token))?.name).toBe('bob');
    const { users } = JSON.parse(await readFile(usersFile(directory), 'utf8')) as { users: { digest: string }[] };
    for (const near of [`${ann.token}x`, ann.token.slice(0, -1), ann.token.toUpperCase(), users[0]?.digest ?? ''])
      expect(await find(near)).toBeUndefined();
    await removeUser(directory, 'ann');
    expect(await find(ann.token)).toBeUndefined();
    expect((await find(bob.token))?.name).toBe('bob');
    const again = await add(directory, 'ann');
    expect([await find(ann.token), (await find(again.token))?.groups]).toEqual([undefined, []]);
  });

  it('a user leaves no token behind, and its file is its owner’s alone', async () => {
    const directory = await temporaryDirectory();
    const { token, user } = await add(directory, 'ann', ['dev']);
    const text = await readFile(usersFile(directory), 'utf8');
    expect(text).not.toContain(token.slice(4));
    expect(JSON.stringify([user, await listUsers(directory)])).not.toContain(token.slice(4));
    expect((await stat(usersFile(directory))).mode & 0o777).toBe(0o600);
  });

  it('no user is lost when many are added at once', async () => {
    const directory = await temporaryDirectory();
    const names = Array.from({ length: 10 }, (_, n) => `user-${n}`);
    await Promise.all(names.map((name) => add(directory, name)));
    expect((await listUsers(directory)).map(({ name }) => name)).toEqual(names);
  });

  it.each([
    ['local', [], 'is the owner'],
    ['', [], 'is not a valid user name'],
    ['Ann', [], 'is not a valid user name'],
    ['ann:x', [], 'is not a valid user name'],
    ['../ann', [], 'is not a valid user name'],
    ['ann', ['a group'], 'is not a valid group'],
    ['ann', ['a,b'], 'is not a valid group'],
    ['ann', ['[a]'], 'is not a valid group'],
    ['taken', [], 'there is a user "taken" already'],
  ])('a user %j with groups %j is refused', async (name, groups, sentence) => {
    const directory = await temporaryDirectory();
    await add(directory, 'taken');
    expect((await refusal(add(directory, name, groups))).message).toContain(sentence);
    expect((await listUsers(directory)).map((user) => user.name)).toEqual(['taken']);
  });

  it('a user that does not exist cannot be removed', async () => {
    expect((await refusal(removeUser(await temporaryDirectory(), 'ann'))).message).toContain('there is no user "ann"');
  });
});

it('a file that is no list of users is refused without being quoted', async () => {
  const directory = await temporaryDirectory();
  for (const text of [
    '{"users":[{"name":"ann"',
    '{"users":[{"name":"ann","digest":"s3cret","groups":[],"createdAt":""}]}',
  ]) {
    await writeFile(usersFile(directory), text);
    const uses = [() => usersOf(usersFile(directory))('x'), () => listUsers(directory), () => add(directory, 'bob')];
    for (const use of uses) {
      const { message } = await refusal(use());
      expect(message).toContain('is not a list of users');
      expect(message).not.toContain('s3cret');
    }
    expect(await readFile(usersFile(directory), 'utf8')).toBe(text);
  }
});
