/** Damage that changes what a store says, and leaves it readable. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openItemStore } from 'aws-on-loopback/dynamodb/item-store.ts';
import { openBucket } from 'aws-on-loopback/s3/bucket.ts';
import { StoreFault } from 'aws-on-loopback/stores/store-fault.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDataDirectory } from '#local/data-directory.ts';
import { expiringPrefixes } from '#local/housekeeping.ts';
import { storeWords } from '#local/store-words.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-flipped-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const file = () => join(directory, 'table.sqlite');
const keyOf = (at: number) => `team/manifest-${String(at).padStart(4, '0')}`;

/** A table with some items, closed. */
function filled(): void {
  const store = openItemStore(file());
  const items = store.range('item-t');
  const write = (at: number) => () =>
    items.put(keyOf(at), { pk: { S: keyOf(at) }, text: { S: `document ${at} `.repeat(12) } }, () => undefined);
  store.transaction(Array.from({ length: 400 }, (_, at) => write(at)));
  store.close();
}

/** What the table answers for every key; a StoreFault where it notices damage. */
function answers(): string | StoreFault {
  try {
    const store = openItemStore(file());
    try {
      const found: unknown[] = [];
      for (let at = 0; at < 400; at += 1)
        store.range('item-t').get(keyOf(at), (error, value) => {
          if (error) throw error;
          found.push(value);
        });
      return JSON.stringify(found);
    } finally {
      store.close();
    }
  } catch (error) {
    if (error instanceof StoreFault) return error;
    throw error;
  }
}

describe('the table', () => {
  it('200 flipped bytes anywhere are noticed, or change no answer', () => {
    filled();
    const whole = readFileSync(file());
    const before = answers();
    let noticed = 0;
    for (let at = 4096; at + 200 < whole.length; at += 4096 + 1365) {
      const damaged = Buffer.from(whole);
      for (let byte = at; byte < at + 200; byte += 1) damaged[byte] = (damaged[byte] ?? 0) ^ 0xff;
      for (const name of readdirSync(directory)) if (/-(wal|shm)$/.test(name)) rmSync(join(directory, name));
      writeFileSync(file(), damaged);
      const after = answers();
      if (after instanceof StoreFault) noticed += 1;
      else expect(after, `bytes ${at} to ${at + 200}`).toBe(before);
    }
    expect(noticed).toBeGreaterThan(5);
  });

  it('a lost or emptied number of commits is refused with the way out, and accepted on request', () => {
    filled();
    for (const lose of [
      () => rmSync(`${file()}-commits`),
      () => writeFileSync(`${file()}-commits`, ''),
      () => writeFileSync(`${file()}-commits`, Buffer.alloc(8)),
    ]) {
      lose();
      expect(() => openItemStore(file(), { words: storeWords })).toThrow(/number of commits.*--accept-loss/s);
      openItemStore(file(), { acceptLoss: true }).close();
      openItemStore(file()).close();
    }
  });
});

describe('the objects', () => {
  const write = async (key: string): Promise<void> => {
    const bucket = await openBucket(directory, { flush: false });
    const bytes = async function* () {
      yield Buffer.from('text');
    };
    await bucket.commit(key, await bucket.receive(bytes()), { headers: {}, when: {} });
  };
  const cut = () => {
    for (const name of readdirSync(directory)) writeFileSync(join(directory, name), 'half');
  };

  it('a damaged log is put aside and reported, and the bucket opens', async () => {
    await write('runs/team/shop/shop-g1/w00/log');
    cut();
    const reported: Error[] = [];
    const bucket = await openBucket(directory, {
      flush: false,
      expiring: expiringPrefixes,
      report: (fault) => reported.push(fault),
    });
    expect(bucket.head('runs/team/shop/shop-g1/w00/log')).toBeUndefined();
    expect(reported.map(String)).toEqual([expect.stringContaining('is not a stored object')]);
    expect(readdirSync(directory)).toEqual([expect.stringMatching(/\.damaged$/)]);
  });

  it('a damaged Terraform state is not passed over', async () => {
    await write('terraform/team/shop/x.tfstate');
    cut();
    await expect(openBucket(directory, { flush: false, expiring: expiringPrefixes })).rejects.toThrow(
      'is not a stored object',
    );
  });
});

describe('the data directory', () => {
  const leftover = (folder: string, name: string, ageMs = 0): string => {
    mkdirSync(join(directory, folder), { recursive: true });
    const path = join(directory, folder, name);
    writeFileSync(path, 'half');
    const then = (Date.now() - ageMs) / 1000;
    utimesSync(path, then, then);
    return path;
  };
  const uuid = 'b5c8a520-6a3e-4a3b-9d2e-0f4a2b8c7d61';

  it('files that a killed writer left are removed at the start, and no others', async () => {
    leftover('ssm', `abc.json.${uuid}.new`);
    leftover('', `users.json.${uuid}.new`, 3_600_000);
    // A command that adds a user may be at work.
    leftover('', `users.json.${uuid.replace('b', 'c')}.new`);
    leftover('ssm', 'notes.new');
    leftover('ssm', 'abc.json');
    const opened = await openDataDirectory(directory);
    await opened.release();
    expect(readdirSync(join(directory, 'ssm')).toSorted()).toEqual(['abc.json', 'notes.new']);
    expect(readdirSync(directory).filter((name) => name.endsWith('.new'))).toEqual([
      `users.json.${uuid.replace('b', 'c')}.new`,
    ]);
  });

  it.each(['x', 'password', 'a'.repeat(43), 'abcabcabcabcabcabcabcabcabcabcabcabc'])(
    'the token %j is refused, with the way to a new one',
    async (token) => {
      writeFileSync(join(directory, 'token'), `${token}\n`);
      await expect(openDataDirectory(directory)).rejects.toThrow(/can be guessed.*remove that file/s);
      expect(readFileSync(join(directory, 'token'), 'utf8')).toBe(`${token}\n`);
    },
  );

  it('a token of before is kept, and a missing one is made', async () => {
    const first = await openDataDirectory(directory);
    await first.release();
    const second = await openDataDirectory(directory);
    await second.release();
    expect(second.token).toBe(first.token);
    expect(first.token).toHaveLength(43);
  });
});
