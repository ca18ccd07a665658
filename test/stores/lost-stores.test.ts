/** Stores of a data directory that are gone, replaced or of another version are noticed before anything is opened. */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openParameterStore } from 'aws-on-loopback/ssm/parameter-store.ts';
import { describe, expect, it } from 'vitest';
import { openDataDirectory } from '#local/data-directory.ts';
import { checkStores } from '#local/store-identity.ts';
import { storeWords } from '#local/store-words.ts';
import { temporaryDirectory } from '#test/local/clients.ts';

const files = [
  ...['dynamodb/table.sqlite', 's3/kubeloom/objects/one', 'ssm/key', 'executions.sqlite', 'builds.sqlite'],
];

const check = (directory: string, accept = false, reported: string[] = []) =>
  checkStores(directory, { accept, report: (fault) => reported.push(fault) });

/** One that was started twice, and killed then. */
async function used(): Promise<string> {
  const directory = await temporaryDirectory();
  const first = await check(directory);
  for (const file of files) {
    await mkdir(dirname(join(directory, file)), { recursive: true });
    await writeFile(join(directory, file), file);
  }
  await first();
  await (await check(directory))();
  return directory;
}

describe('the stores of a directory', () => {
  it('the stores are complete when the directory is new, and at every later start', async () => {
    const directory = await used();
    for (let start = 0; start < 3; start++) await (await check(directory))();
  });

  it.each([
    ['dynamodb', /dynamodb\/table\.sqlite \(the table\) is gone/],
    ['s3', /s3\/kubeloom\/objects \(the objects: Terraform states, .*\) is gone/],
    ['ssm', /ssm\/key \(the key of the Secrets\) is gone/],
    ['ssm/key', /ssm\/key \(the key of the Secrets\) is gone/],
    ['executions.sqlite', /executions\.sqlite \(the executions\) is gone/],
    ['builds.sqlite', /builds\.sqlite \(the builds\) is gone/],
    ['dynamodb/identity', /table\.sqlite \(the table\) belongs to another installation/],
  ])('the stores are refused without %s, with what is lost and the fix, unless accepted', async (lost, words) => {
    const directory = await used();
    await rm(join(directory, lost), { recursive: true });
    await expect(check(directory)).rejects.toThrow(words);
    await expect(check(directory)).rejects.toThrow(/is not whole.*local restore FILE.*--accept-loss/);
    const reported: string[] = [];
    await check(directory, true, reported);
    expect(reported.join()).toMatch(words);
  });

  it('the stores are refused when one is of an earlier time, or of another directory', async () => {
    const directory = await used();
    const earlier = join(await temporaryDirectory(), 'dynamodb');
    await cp(join(directory, 'dynamodb'), earlier, { recursive: true });
    for (let start = 0; start < 2; start++) await (await check(directory))();
    await rm(join(directory, 'dynamodb'), { recursive: true });
    await cp(earlier, join(directory, 'dynamodb'), { recursive: true });
    await expect(check(directory)).rejects.toThrow(/\(the table\) is of start 2, the others of start 4/);
    await cp(join(await used(), 's3'), join(directory, 's3'), { recursive: true });
    await expect(check(directory)).rejects.toThrow(/objects .* belongs to another installation/);
  });

  it('the stores are refused when a newer version wrote them, and not changed', async () => {
    const directory = await used();
    const path = join(directory, 'stores.json');
    const root = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...root, format: 2 }));
    await expect(check(directory, true)).rejects.toThrow(/written by a newer version of Kubeloom \(format 2/);
    await writeFile(path, '{"format"');
    await expect(check(directory)).rejects.toThrow(/stores\.json is damaged/);
    await rm(path);
    await expect(check(directory)).rejects.toThrow(
      /stores\.json \(which stores belong together\) is gone.*--accept-loss/,
    );
    await (await check(directory, true))();
    await check(directory);
  });

  it('the stores of 0.1.0 are migrated when they are complete, and refused when one is missing', async () => {
    const directory = await used();
    for (const note of ['stores.json', 'dynamodb/identity', 's3/kubeloom/identity', 'ssm/identity'])
      await rm(join(directory, note));
    await check(directory);
    await rm(join(directory, 'stores.json'), { force: true });
    await rm(join(directory, 's3'), { recursive: true });
    await expect(check(directory)).rejects.toThrow(/is not whole: s3\/kubeloom\/objects/);
  });
});

describe('Secrets', () => {
  async function kept(): Promise<string> {
    const directory = await temporaryDirectory();
    await (await openParameterStore(directory)).put('/a', 'SecureString', 'secret');
    return directory;
  }

  it('a lost key of Secrets is not replaced, unless that is accepted', async () => {
    const directory = await kept();
    await rm(join(directory, 'key'));
    await expect(openParameterStore(directory, { words: storeWords })).rejects.toThrow(
      /key is gone, and no Secret can be read without it; restore/,
    );
    await openParameterStore(directory, { acceptLoss: true });
  });

  it('a damaged Secret or a wrong key is reported with its file', async () => {
    const directory = await kept();
    await writeFile(join(directory, 'key'), Buffer.alloc(32));
    await expect(openParameterStore(directory, { words: storeWords })).rejects.toThrow(
      /key does not decrypt the Secret \/a; restore a backup/,
    );
    await writeFile(join(directory, 'broken.json'), '{"name": "/b');
    await expect(openParameterStore(directory, { words: storeWords })).rejects.toThrow(
      /broken\.json \(a Secret\) is damaged; .*remove the file/,
    );
  });
});

it('a damaged lock is reported with its file and the fix', async () => {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, 'lock'), 'garbage '.repeat(200));
  await expect(openDataDirectory(directory)).rejects.toThrow(
    /lock cannot be locked: file is not a database; if no platform/,
  );
});
