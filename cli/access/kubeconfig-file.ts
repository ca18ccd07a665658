/** Kubeconfigs on disk: each has the key of an admin, so only its owner may read it. */
import { chmod, mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type Document, isMap, isSeq, parse, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { CliError, exitCodes } from '../exit-codes.ts';

/** Throws `CliError` when there is such a file and it is not to be replaced. */
export async function writeKubeconfig(file: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600, flag: force ? 'w' : 'wx' });
    // The mode above is that of a new file.
    if (force) await chmod(file, 0o600);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? `${file} exists: add --force to replace it` : `cannot write ${file}: ${message}`;
    throw new CliError(why, exitCodes.usage, { cause });
  }
}

const lists = ['clusters', 'users', 'contexts'] as const;

/**
 * Adds the cluster, user and context of `text`, all under `name`, to the file that kubectl reads first; returns that file. Other
 * entries, comments and the current context stay. Throws `CliError` when the name is taken.
 */
export async function mergeKubeconfig(text: string, name: string, force: boolean): Promise<string> {
  const file = kubectlFile();
  const before = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return 'apiVersion: v1\nkind: Config\n';
    throw new CliError(`cannot read ${file}: ${error.message}`, exitCodes.usage, { cause: error });
  });
  const document = parseDocument(before);
  if (document.errors.length > 0 || !isMap(document.contents))
    throw new CliError(`${file} is not a readable kubeconfig: nothing was changed`, exitCodes.usage);
  const added = parse(text) as Record<string, readonly Record<string, unknown>[]>;
  for (const list of lists) {
    const key = list.slice(0, -1);
    const value = list === 'contexts' ? { cluster: name, user: name } : added[list]?.[0]?.[key];
    put(entriesOf(document, list), { name, [key]: value }, { file, document, force });
  }
  if (!document.get('current-context')) document.set('current-context', name);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Written to a file next to it and renamed: a reader gets either the whole old file or the whole new one. A link stays a link.
  const target = await realpath(file).catch(() => file);
  const fresh = `${target}.${process.pid}`;
  await writeFile(fresh, document.toString(), { mode: 0o600, flag: 'wx' });
  await rename(fresh, target);
  return file;
}

/** As kubectl does: of several files in KUBECONFIG the first is written to. */
const kubectlFile = (): string =>
  process.env.KUBECONFIG?.split(delimiter).find((path) => path !== '') ?? join(homedir(), '.kube', 'config');

function entriesOf(document: Document, list: string): YAMLSeq<YAMLMap> {
  const found = document.get(list);
  if (isSeq(found)) return found as YAMLSeq<YAMLMap>;
  const empty = document.createNode([]) as unknown as YAMLSeq<YAMLMap>;
  document.set(list, empty);
  return empty;
}

function put(
  entries: YAMLSeq<YAMLMap>,
  entry: { readonly name: string },
  { file, document, force }: { readonly file: string; readonly document: Document; readonly force: boolean },
): void {
  const at = entries.items.findIndex((item) => isMap(item) && item.get('name') === entry.name);
  if (at >= 0 && !force)
    throw new CliError(`${file} has an entry "${entry.name}" already: add --force to replace it`, exitCodes.usage);
  const node = document.createNode(entry) as YAMLMap;
  if (at >= 0) entries.items[at] = node;
  else entries.items.push(node);
}
