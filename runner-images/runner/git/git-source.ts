/** The manifests of a commit of a git repository: text files below one folder, bounded in number and size, without Secrets. */
import { readFile, stat } from 'node:fs/promises';
import { extname, join, posix } from 'node:path';
import { GitReferences } from '#adapters/git-references.ts';
import type { SourceFault, SourceFiles, SourceLookup } from '#contracts/git-sources.ts';
import { decoded, parseDocuments } from '#documents/parse-documents.ts';
import { placeOf } from '#documents/text-places.ts';
import { isMap } from '#domain/json.ts';
import { printableText } from '#domain/observed/printable-text.ts';
import { trimmedEnd } from '#domain/trimmed-end.ts';
import type { AnswerContext } from '../answer-question.ts';
import { StageFailure } from '../stage-failure.ts';
import { type FetchSubject, fetchFiles, type Git } from './git-fetch.ts';
import { repositoryLogin } from './git-login.ts';

const extensions = ['.yaml', '.yml', '.json'] as const;
/** Limits of one commit. */
const most = { files: 200, bytes: 5_000_000 };

type Place = Pick<SourceLookup, 'url' | 'path'>;

/** The commit is resolved once, and exactly that one is read: the branch may move meanwhile. Throws `StageFailure`. */
export async function readSource(
  { name, url, ref, path, secret, known }: SourceLookup,
  context: AnswerContext,
): Promise<SourceFiles> {
  const subject = { title: `manifests of GitSource ${name}`, name, document: 'GitSource', secret } as const;
  const commit = await resolved({ url, ref }, subject, context);
  if (commit === known) return { commit };
  const folder = trimmedEnd(posix.normalize(path), '/');
  const directory = join(context.workDirectory, 'source');
  let entries: readonly Entry[] = [];
  const inspect = async (git: Git): Promise<void> => {
    entries = entriesIn(await git('-c', 'core.quotePath=false', 'ls-tree', '-r', commit, '--', `./${folder}`));
    if (entries.length > most.files) throw tooLarge({ url, path }, `${entries.length} files`);
  };
  await fetchFiles(context, subject, { version: { url, commit }, patterns: patternsOf(folder), inspect, directory });
  const read = await Promise.all(entries.map((entry) => readEntry(directory, entry, context)));
  const files = read.flatMap((one) => ('text' in one ? [one] : []));
  const bytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes > most.bytes) throw tooLarge({ url, path }, `${bytes} bytes`);
  return { commit, files, faults: read.flatMap((one) => ('text' in one ? [] : [one])) };
}

async function resolved(
  { url, ref }: Pick<SourceLookup, 'url' | 'ref'>,
  { secret, title, name }: FetchSubject,
  { ports, mask }: AnswerContext,
): Promise<string> {
  const authorization = secret === undefined ? undefined : await repositoryLogin({ ports, mask }, secret, title);
  const privateHosts = ports.config.KUBELOOM_TEMPLATE_PRIVATE_HOSTS;
  const sources = new GitReferences({ privateHosts, ...(authorization !== undefined && { authorization }) });
  const answer = await sources.resolve(url, ref, 'GitSource');
  if ('commit' in answer) return answer.commit;
  const { reason: message, fix: hint } = answer;
  throw new StageFailure({ class: 'user', code: 'SourceUnresolved', message, resource: name, hint });
}

interface Entry {
  readonly mode: string;
  readonly path: string;
}

/** `100644 blob <hash>\t<path>`; names with control characters are in quotes. */
function entriesIn(listing: string): readonly Entry[] {
  return listing.split('\n').flatMap((line) => {
    const [, mode, path] = /^(\d{6}) \w+ [0-9a-f]+\t(.+)$/.exec(line) ?? [];
    const isManifest = extensions.some((extension) => path?.replace(/"$/, '').endsWith(extension));
    return mode !== undefined && path !== undefined && isManifest ? [{ mode, path }] : [];
  });
}

/** A path is a file if it ends like one. */
function patternsOf(folder: string): readonly string[] {
  if (extensions.some((extension) => extname(folder) === extension)) return [`/${folder}`, `/${folder}/**`];
  return extensions.map((extension) => (folder === '.' ? `*${extension}` : `/${folder}/**/*${extension}`));
}

async function readEntry(
  directory: string,
  { mode, path }: Entry,
  { ports }: Pick<AnswerContext, 'ports'>,
): Promise<{ readonly path: string; readonly text: string } | SourceFault> {
  const refuse = (reason: string, fix: string): SourceFault => ({
    file: printableText(path, 500),
    path: '',
    reason,
    fix,
  });
  if (!mode.startsWith('100')) return refuse('is not a file but a link', 'put the file itself into the repository');
  if (path.startsWith('"') || printableText(path, 4096) !== path)
    return refuse('has characters in its name that are not printed', 'rename it');
  const largest = ports.config.KUBELOOM_MAX_BODY_BYTES;
  const { size } = await stat(join(directory, path));
  if (size > largest)
    return refuse(`has ${size} bytes, at most ${largest} are accepted`, 'split it into several files');
  const bytes = await readFile(join(directory, path));
  const text = decoded(bytes);
  if (text === undefined) return refuse('is not UTF-8', 'save it as UTF-8');
  const secret = secretIn(text);
  if (secret === undefined) return { path, text };
  return {
    file: path,
    ...secret,
    reason: 'is a Secret, and everyone with access to the repository can read it',
    fix: 'store it with `kubeloom apply`, remove it from the repository and change its values: they stay in the history',
  };
}

/** Its text goes nowhere, also where the rest of the file cannot be read. */
function secretIn(text: string): Pick<SourceFault, 'path' | 'line' | 'column'> | undefined {
  const { documents, faults } = parseDocuments(text);
  const secret = documents.find((document) => isMap(document) && document.kind === 'Secret');
  if (secret !== undefined) return { path: 'kind', ...placeOf(secret, 'kind') };
  if (faults.length === 0) return undefined;
  const found = /["']?\bkind["']?\s*:\s*["']?Secret["']?\s*([,}#]|$)/m.exec(text);
  return found ? { path: 'kind', line: text.slice(0, found.index).split('\n').length } : undefined;
}

function tooLarge({ url, path }: Place, size: string): StageFailure {
  return new StageFailure({
    class: 'user',
    code: 'SourceTooLarge',
    message: `The manifests in ${url}, path ${path}, are ${size}; at most ${most.files} files and ${most.bytes} bytes are allowed.`,
    hint: 'Keep only manifests below that path, or make several GitSources.',
  });
}
