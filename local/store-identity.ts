/**
 * Whether the stores of a data directory belong together, and none is lost. Each notes its installation and how
 * often that was started; `stores.json` notes the same for all of them.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileDurably } from 'aws-on-loopback/stores/durable-file.ts';
import { StoreFault } from 'aws-on-loopback/stores/store-fault.ts';
import { z } from 'zod';
import { parseJson } from '#domain/json.ts';
import { bucket } from './environment.ts';
import { storeWords } from './store-words.ts';

/** Format of the data directory. Raise it when an older version would misread what this one writes. */
const directoryFormat = 1;
const rootFile = 'stores.json';

const Identity = z.object({ installation: z.string(), start: z.number().int() });
type Identity = z.infer<typeof Identity>;
const Root = Identity.extend({ format: z.number().int() });
type Root = z.infer<typeof Root>;

interface Store {
  readonly holds: string;
  /** The store is lost when this file is; the second name is that of 0.1.0. */
  readonly paths: readonly [string, ...string[]];
  readonly identity?: string;
}

const stores: readonly Store[] = [
  {
    holds: 'the table',
    paths: ['dynamodb/table.sqlite', 'dynamodb/CURRENT'],
    identity: 'dynamodb/identity',
  },
  {
    holds: 'the objects: Terraform states, kubeconfigs, large documents',
    paths: [`s3/${bucket}/objects`],
    identity: `s3/${bucket}/identity`,
  },
  { holds: 'the key of the Secrets', paths: ['ssm/key'], identity: 'ssm/identity' },
  { holds: 'the executions', paths: ['executions.sqlite'] },
  { holds: 'the builds', paths: ['builds.sqlite'] },
];

/** Throws one `StoreFault` that names everything that is lost; with `accept` that is only reported. Returns a function that notes the start, to be called when all stores are open. */
export async function checkStores(
  directory: string,
  options: { readonly accept: boolean; readonly report: (fault: string) => void },
): Promise<() => Promise<void>> {
  const known = await readRoot(directory);
  const root = known ?? (await firstRoot(directory));
  const faults = root.start === 0 ? [] : await faultsOf(directory, root);
  // Stores with notes are younger than their root: without it an older copy of one would not be noticed.
  if (!known && root.start > 0 && root.installation !== '')
    faults.push(`${rootFile} (which stores belong together) is gone`);
  if (faults.length > 0 && !options.accept) {
    const toDo = `${storeWords.restore}, or accept the loss: ${storeWords.acceptLoss}`;
    throw new StoreFault(directory, `is not whole: ${faults.join('; ')}`, toDo);
  }
  faults.forEach(options.report);
  const start = root.start + 1;
  return async () => {
    for (const { identity } of stores) {
      if (identity === undefined) continue;
      await mkdir(dirname(join(directory, identity)), { recursive: true, mode: 0o700 });
      await writeFileDurably(join(directory, identity), JSON.stringify({ installation: root.installation, start }));
    }
    await writeFileDurably(join(directory, rootFile), JSON.stringify({ ...root, start }));
  };
}

async function faultsOf(directory: string, root: Root): Promise<string[]> {
  const all = await Promise.all(stores.map((store) => faultOf(directory, root, store)));
  return all.filter((fault) => fault !== undefined);
}

async function faultOf(directory: string, root: Root, { holds, paths, identity }: Store): Promise<string | undefined> {
  const [path] = paths;
  if (!paths.some((each) => existsSync(join(directory, each)))) return `${path} (${holds}) is gone`;
  const own = identity === undefined ? root : await readIdentity(join(directory, identity));
  // A store of 0.1.0, which recorded nothing.
  if (root.installation === '') return undefined;
  if (own?.installation !== root.installation) return `${path} (${holds}) belongs to another installation`;
  // An interrupted start has written some of the notes.
  const fits = own.start === root.start || own.start === root.start + 1;
  return fits ? undefined : `${path} (${holds}) is of start ${own.start}, the others of start ${root.start}`;
}

async function readRoot(directory: string): Promise<Root | undefined> {
  const path = join(directory, rootFile);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const root = Root.safeParse(parseJson(text)).data;
  if (!root)
    throw new StoreFault(
      path,
      'is damaged',
      `${storeWords.restore}; or remove it, and accept that an older copy of a store is not noticed: ${storeWords.acceptLoss}`,
    );
  if (root.format <= directoryFormat) return root;
  const wrong = `was written by a newer version of Kubeloom (format ${root.format}, this version knows ${directoryFormat})`;
  throw new StoreFault(directory, wrong, 'start that version, or restore a backup of this one');
}

/** For a new directory, one of 0.1.0, and one that has lost its note. */
async function firstRoot(directory: string): Promise<Root> {
  const notes = await Promise.all(stores.map(({ identity }) => identity && readIdentity(join(directory, identity))));
  const [note] = notes.filter((found) => typeof found === 'object');
  if (note) return { ...note, format: directoryFormat };
  const installation = randomUUID();
  const made = { format: directoryFormat, installation };
  const known = stores.some(({ paths }) => paths.some((path) => existsSync(join(directory, path))));
  if (known) {
    const faults = await faultsOf(directory, { ...made, installation: '', start: 1 });
    // Everything of 0.1.0 exists: it is used as if it were new.
    if (faults.length > 0) return { ...made, installation: '', start: 1 };
  }
  const root = { ...made, start: 0 };
  if ((await readdir(directory)).length > 0) await writeFileDurably(join(directory, rootFile), JSON.stringify(root));
  return root;
}

async function readIdentity(path: string): Promise<Identity | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return Identity.safeParse(parseJson(text)).data;
}
