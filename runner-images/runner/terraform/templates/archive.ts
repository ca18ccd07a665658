/** A provider type in an archive: fetched once, compared with its sum before anything reads it, unpacked within bounds. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askPublicly, RefusedAddress } from '#adapters/public-https.ts';
import type { ProviderInstance } from '#domain/cluster-state.ts';
import type { ArchiveVersion } from '#domain/template-version.ts';
import type { GitSurroundings } from '../../git/git-fetch.ts';
import { complaintsOnly } from '../../process.ts';
import { StageFailure } from '../../stage-failure.ts';

/** Modules are a few small text files. */
const most = { packed: 10_000_000, bytes: 20_000_000, entries: 2_000 };
const timeoutMs = 60_000;

export interface ArchiveToUnpack {
  readonly plugin: Pick<ProviderInstance, 'name' | 'type'>;
  readonly archive: ArchiveVersion;
  readonly directory: string;
}

/** The folder of the type: `<type>/` in the archive, or its root. Throws `StageFailure`. */
export async function unpackArchive(context: GitSurroundings, wanted: ArchiveToUnpack): Promise<string> {
  const { plugin, archive, directory } = wanted;
  const body = await fetched(context, wanted);
  const sum = createHash('sha256').update(body).digest('hex');
  if (sum !== archive.sha256) {
    const message = `The archive ${archive.url} has the SHA-256 ${sum}, and the document wants ${archive.sha256}.`;
    const hint = 'Compare it with what its author published; write another sum only if you trust what it has now.';
    throw refused(plugin, 'PluginChanged', message, hint);
  }
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // Next to the folder, whose files are measured and kept.
  const file = `${directory}.tar.gz`;
  await writeFile(file, body);
  const tar = async (...args: readonly string[]): Promise<string> => {
    const words = [`--fsize=${most.bytes}`, '--', 'tar', ...args];
    const command = { label: 'tar', program: 'prlimit', args: words, onLine: complaintsOnly, totalMs: timeoutMs };
    const result = await context.run({ ...command, environment: { LC_ALL: 'C' } });
    // Half a listing would be judged as the whole.
    if (result.cut)
      throw refused(plugin, 'TemplatesTooLarge', `The archive ${archive.url} has too many entries.`, packIt);
    if (result.code === 0) return result.stdout;
    const problem = result.stderr.trim().split('\n').at(-1) ?? '';
    throw refused(plugin, 'PluginUnreadable', `The archive ${archive.url} cannot be unpacked: ${problem}`, packIt);
  };
  // A name of an owner may have spaces, and would push the size to another column.
  judgeListing(wanted, await tar('-tvzf', file, '--numeric-owner'));
  await tar('-xzf', file, '-C', directory, '--no-same-owner', '--no-same-permissions');
  await rm(file);
  const unpacked = await readdir(directory, { recursive: true, withFileTypes: true });
  const special = unpacked.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (special !== undefined) throw refused(plugin, 'PluginUnreadable', neitherNor(archive, special.name), packIt);
  const inside = unpacked.filter(({ parentPath }) => parentPath === directory).map(({ name }) => name);
  return inside.includes(plugin.type) ? join(directory, plugin.type) : directory;
}

const packIt = 'Pack the folder of the type with tar and gzip: plain files only, no links.';

const neitherNor = ({ url }: ArchiveVersion, entry: string): string =>
  `The archive ${url} contains an entry that is neither a file nor a folder: ${entry}`;

/** Throws for what modules do not have: links, devices, a vast size. */
function judgeListing({ plugin, archive }: ArchiveToUnpack, listing: string): void {
  const entries = listing.split('\n').filter((line) => line !== '');
  const special = entries.find((line) => !/^[-d]/.test(line));
  if (special !== undefined) {
    throw refused(plugin, 'PluginUnreadable', neitherNor(archive, special), packIt);
  }
  const bytes = entries.reduce((sum, line) => sum + Number(/^\S+\s+\S+\s+(\d+)/.exec(line)?.[1] ?? 0), 0);
  if (entries.length <= most.entries && bytes <= most.bytes) return;
  const message = `The archive ${archive.url} has ${entries.length} entries with ${bytes} bytes; at most ${most.entries} and ${most.bytes} are allowed.`;
  throw refused(plugin, 'TemplatesTooLarge', message, packIt);
}

async function fetched({ ports }: GitSurroundings, { plugin, archive: { url } }: ArchiveToUnpack): Promise<Buffer> {
  const privateHosts = ports.config.KUBELOOM_TEMPLATE_PRIVATE_HOSTS;
  const options = { headers: { 'user-agent': 'kubeloom' }, mostBytes: most.packed, privateHosts, timeoutMs };
  const answer = await askPublicly(`https://${url}`, options).catch((thrown: Error) => {
    const message = `The archive ${url} cannot be fetched: ${thrown.message}`;
    if (thrown instanceof RefusedAddress) throw refused(plugin, 'TemplatesRefused', message, thrown.fix);
    const hint = 'Retry; if it keeps failing, correct the address.';
    throw new StageFailure({ class: 'transient', code: 'TemplatesUnreachable', message, resource: plugin.name, hint });
  });
  if (answer.status === 200) return answer.body;
  const moved = answer.status >= 300 && answer.status < 400;
  const hint = moved ? 'Redirects are not followed: write the final address.' : 'Correct the address.';
  throw refused(plugin, 'TemplatesMissing', `The archive ${url} was answered with status ${answer.status}.`, hint);
}

function refused({ name }: ArchiveToUnpack['plugin'], code: string, message: string, hint: string): StageFailure {
  return new StageFailure({ class: 'user', code, message, resource: name, hint });
}
