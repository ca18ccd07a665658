/** Parameters on disk, one file each, values sealed; an index in memory, since one process owns the directory. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { syncDirectory, writeFileDurably } from '../stores/durable-file.ts';
import { oneAtATime } from '../stores/one-at-a-time.ts';
import { plainWords, StoreFault, type StoreWords } from '../stores/store-fault.ts';
import { loadOrMakeKey, seal, unseal } from './sealed-value.ts';

export const StoredParameter = z.strictObject({
  name: z.string(),
  type: z.enum(['String', 'StringList', 'SecureString']),
  version: z.number().int(),
  /** Epoch seconds. */
  modifiedAt: z.number(),
  sealed: z.string(),
});
export type StoredParameter = z.infer<typeof StoredParameter>;

export interface ParameterStore {
  get(name: string): StoredParameter | undefined;
  valueOf(parameter: StoredParameter): string;
  /** Writes a new version. */
  put(name: string, type: StoredParameter['type'], value: string): Promise<StoredParameter>;
  /** False when it did not exist. */
  remove(name: string): Promise<boolean>;
  /** Sorted by name. */
  below(path: string, recursive: boolean): readonly StoredParameter[];
}

/** Throws `StoreFault` for what is damaged. With `acceptLoss`, a lost key is replaced: values that it sealed stay unreadable. */
export async function openParameterStore(
  directory: string,
  { acceptLoss = false, words = plainWords }: { readonly acceptLoss?: boolean; readonly words?: StoreWords } = {},
): Promise<ParameterStore> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const files = (await readdir(directory)).filter((name) => name.endsWith('.json'));
  const key = await loadOrMakeKey(join(directory, 'key'), files.length > 0 && !acceptLoss, words);
  const parameters = new Map<string, StoredParameter>();
  for (const file of files) {
    const parameter = await readParameter(join(directory, file), words);
    parameters.set(parameter.name, parameter);
  }
  const [first] = parameters.values();
  if (first && !acceptLoss) checkKey(key, first, { directory, words });
  const serially = oneAtATime();
  const fileOf = (name: string): string => join(directory, `${createHash('sha256').update(name).digest('hex')}.json`);
  return {
    get: (name) => parameters.get(name),
    valueOf: (parameter) => unseal(key, parameter.name, parameter.sealed),
    put: (name, type, value) =>
      serially(name, async () => {
        const version = (parameters.get(name)?.version ?? 0) + 1;
        const parameter = { name, type, version, modifiedAt: Date.now() / 1000, sealed: seal(key, name, value) };
        await writeFileDurably(fileOf(name), JSON.stringify(parameter), 0o600);
        parameters.set(name, parameter);
        return parameter;
      }),
    remove: (name) =>
      serially(name, async () => {
        if (!parameters.delete(name)) return false;
        await rm(fileOf(name), { force: true });
        await syncDirectory(directory);
        return true;
      }),
    below(path, recursive) {
      const prefix = path.endsWith('/') ? path : `${path}/`;
      return [...parameters.values()]
        .filter(({ name }) => name.startsWith(prefix) && (recursive || !name.slice(prefix.length).includes('/')))
        .sort((one, other) => (one.name < other.name ? -1 : 1));
    },
  };
}

async function readParameter(path: string, { parameter, restore }: StoreWords): Promise<StoredParameter> {
  try {
    return StoredParameter.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    throw new StoreFault(
      path,
      `(a ${parameter}) is damaged`,
      `${restore}, or remove the file and store the ${parameter} again`,
      cause,
    );
  }
}

/** All are sealed with the same key: one value shows whether it is this key. */
function checkKey(
  key: Uint8Array,
  { name, sealed }: StoredParameter,
  { directory, words }: { readonly directory: string; readonly words: StoreWords },
): void {
  try {
    unseal(key, name, sealed);
  } catch (cause) {
    throw new StoreFault(
      join(directory, 'key'),
      `does not decrypt the ${words.parameter} ${name}`,
      words.restore,
      cause,
    );
  }
}
