/**
 * The folder of a provider type that does not come with Kubeloom. What a document was accepted with is kept: machines are
 * made, checked and deleted with that copy, even if the repository or archive has changed.
 */
import { mkdir, mkdtemp, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pluginKeys } from '#contracts/job.ts';
import type { ProviderInstance } from '#domain/cluster-state.ts';
import { isProviderType } from '#domain/provider-types.ts';
import { copyOf, parseArchiveVersion, parseTemplateVersion } from '#domain/template-version.ts';
import { templatesMark } from '#rendering/terraform-names.ts';
import { fetchFiles, type GitSurroundings } from '../../git/git-fetch.ts';
import type { SecretMask } from '../../secret-mask.ts';
import type { ClusterContext } from '../../stage-context.ts';
import { StageFailure } from '../../stage-failure.ts';
import { unpackArchive } from './archive.ts';
import { measured } from './git-templates.ts';
import { checksumOfCopy, copyText, unpackCopy } from './kept-copy.ts';

/** A type with its version: `templates` of an instance. */
export type PluginVersion = Pick<ProviderInstance, 'name' | 'type' | 'templates'>;

/** Whose copies it uses. */
export type PluginSurroundings = GitSurroundings & {
  readonly document: Pick<ClusterContext['document'], 'namespace' | 'manifest'>;
};

/** False for types that come with Kubeloom, also with templates of their own. */
export function isPlugin({ type, templates }: Pick<ProviderInstance, 'type' | 'templates'>): boolean {
  return !isProviderType(type) && !templates.startsWith('builtin@');
}

/** Each version once for a stage, which has a mask of its own. */
const folders = new WeakMap<SecretMask, Map<string, Promise<string>>>();

/** Directory with its modules: of the copy, else from where it is from. Throws `StageFailure`. */
export function pluginFolder(context: PluginSurroundings, plugin: PluginVersion): Promise<string> {
  return once(context, plugin, async () => {
    const { copy } = copyOf(plugin.templates);
    const text = copy && (await intact(context, pluginKeys.kept(context.document, copy), copy));
    return text === undefined ? fetchAccepted(context, plugin) : folderOf(context, plugin, text);
  });
}

/** The same for a stage that changes machines: the copy is kept for as long as the manifest exists. Throws `StageFailure`. */
export async function keepPlugin(context: PluginSurroundings, plugin: PluginVersion): Promise<void> {
  await once(context, plugin, async () => {
    const { copy } = copyOf(plugin.templates);
    if (copy === undefined) return fetchPlugin(context, plugin);
    const text = await keptText(context, context.document, copy);
    const folder = await (text === undefined ? fetchAccepted(context, plugin) : folderOf(context, plugin, text));
    const key = pluginKeys.kept(context.document, copy);
    if ((await intact(context, key, copy)) === undefined)
      await context.ports.artifacts.putText(key, text ?? (await copyText(folder)), 'application/json');
    return folder;
  });
}

function once(
  { mask }: Pick<GitSurroundings, 'mask'>,
  { type, templates }: PluginVersion,
  make: () => Promise<string>,
): Promise<string> {
  const known = folders.get(mask) ?? new Map<string, Promise<string>>();
  folders.set(mask, known);
  const key = `${type} ${templates}`;
  const folder = known.get(key) ?? make();
  known.set(key, folder);
  return folder;
}

/** The copy of the manifest, or the one of its acceptance. */
export async function keptText(
  context: Pick<GitSurroundings, 'ports'>,
  manifest: PluginSurroundings['document'],
  copy: string,
): Promise<string | undefined> {
  return (
    (await intact(context, pluginKeys.kept(manifest, copy), copy)) ??
    (await intact(context, pluginKeys.accepted(copy), copy))
  );
}

/** The text of a copy; undefined where it is missing, or is not what was accepted. */
async function intact(
  { ports }: Pick<GitSurroundings, 'ports'>,
  key: string,
  copy: string,
): Promise<string | undefined> {
  const text = await ports.artifacts.getText(key);
  return text !== undefined && checksumOfCopy(text) === copy ? text : undefined;
}

/** A folder with the files of a copy. */
export async function folderOf(
  { workDirectory }: Pick<GitSurroundings, 'workDirectory'>,
  { type, templates }: PluginVersion,
  text: string,
): Promise<string> {
  const parent = join(workDirectory, 'plugins');
  const folder = join(parent, `${type}-${templatesMark(templates)}`);
  const present = await readdir(folder).catch(() => []);
  if (present.length > 0) return folder;
  await mkdir(parent, { recursive: true });
  const part = await mkdtemp(`${folder}.part-`);
  await unpackCopy(text, part);
  // Half a folder would be taken for the whole one.
  await rename(part, folder);
  return folder;
}

/** Throws when there is something else now than what the document was accepted with. */
async function fetchAccepted(context: GitSurroundings, plugin: PluginVersion): Promise<string> {
  const { version, copy } = copyOf(plugin.templates);
  const folder = await fetchPlugin(context, plugin);
  if (copy === undefined || checksumOfCopy(await copyText(folder)) === copy) return folder;
  throw new StageFailure({
    class: 'user',
    code: 'PluginChanged',
    resource: plugin.name,
    message: `Provider type ${plugin.type} at ${version} now has other files than when the document was accepted.`,
    hint: 'Find out why, then apply the document again to use the current files.',
  });
}

/** The folder as it is where it is from. Throws `StageFailure`. */
export async function fetchPlugin(context: GitSurroundings, plugin: PluginVersion): Promise<string> {
  const { name, type, templates } = plugin;
  const directory = join(context.workDirectory, 'plugins', `${type}-${templatesMark(templates)}-fetched`);
  const archive = parseArchiveVersion(templates);
  if (archive !== undefined) {
    const folder = await unpackArchive(context, { plugin, archive, directory });
    return measured(plugin, `the archive ${archive.url}`, folder);
  }
  const version = parseTemplateVersion(templates);
  if (version === undefined)
    throw new StageFailure({
      class: 'bug',
      code: 'TemplatesMissing',
      resource: name,
      message: `Provider type ${type} has the version "${templates}", which names neither a repository nor an archive.`,
      hint: 'Apply the document again.',
    });
  const subject = { title: `provider type ${type}`, name, document: 'plugin' } as const;
  await fetchFiles(context, subject, { version, patterns: [`/${type}/`], directory });
  const where = `${version.url}@${version.commit.slice(0, 12)}, folder ${type}`;
  return measured(plugin, where, join(directory, type));
}
