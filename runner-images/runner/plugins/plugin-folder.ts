/**
 * The folder of a provider type that does not come with Kubeloom. What a document was accepted with is kept: machines are
 * made, checked and deleted with that copy, whatever became of the repository or archive.
 */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import type { ProviderInstance } from '#domain/cluster-state.ts';
import { isProviderType } from '#domain/provider-types.ts';
import { parseArchiveVersion, parseTemplateVersion } from '#domain/template-version.ts';
import { templatesMark } from '#rendering/terraform-names.ts';
import type { SecretMask } from '../secret-mask.ts';
import { StageFailure } from '../stage-failure.ts';
import { fetchFiles, type GitSurroundings } from '../terraform/git-fetch.ts';
import { measured } from '../terraform/git-templates.ts';
import { unpackArchive } from './archive.ts';

/** A type with its version: `templates` of an instance. */
export type PluginVersion = Pick<ProviderInstance, 'name' | 'type' | 'templates'>;

const KeptCopy = z.strictObject({
  schema: z.literal(1),
  /** Path in the folder to content in base64. */
  files: z.record(z.string().regex(/^(?!(.*\/)?\.\.?(\/|$))[^/]/), z.base64()),
  /** Paths of programs; absent: there are none, or it is of an older release. */
  programs: z.array(z.string()).optional(),
});

/** False for types that come with Kubeloom, also with templates of their own. */
export function isPlugin({ type, templates }: Pick<ProviderInstance, 'type' | 'templates'>): boolean {
  return !isProviderType(type) && !templates.startsWith('builtin@');
}

/** Artifact key of the copy that is kept. */
export function keptCopyKey({ type, templates }: Pick<ProviderInstance, 'type' | 'templates'>): string {
  return `plugins/${createHash('sha256').update(`${type}\n${templates}`).digest('hex')}.json`;
}

/** Each version once for a stage or question, which has a mask of its own. */
const made = new WeakMap<SecretMask, Map<string, Promise<string>>>();

/** Directory with its modules: of the copy, else from where it is from. Throws `StageFailure`. */
export function pluginFolder(context: GitSurroundings, plugin: PluginVersion): Promise<string> {
  const known = made.get(context.mask) ?? new Map<string, Promise<string>>();
  made.set(context.mask, known);
  const key = keptCopyKey(plugin);
  const folder = known.get(key) ?? makeFolder(context, plugin);
  known.set(key, folder);
  return folder;
}

async function makeFolder(context: GitSurroundings, plugin: PluginVersion): Promise<string> {
  const parent = join(context.workDirectory, 'plugins');
  const folder = join(parent, `${plugin.type}-${templatesMark(plugin.templates)}`);
  const present = await readdir(folder).catch(() => []);
  if (present.length > 0) return folder;
  const text = await context.ports.artifacts.getText(keptCopyKey(plugin));
  if (text === undefined) return fetchPlugin(context, plugin);
  const { files, programs = [] } = KeptCopy.parse(JSON.parse(text));
  await mkdir(parent, { recursive: true });
  const part = await mkdtemp(`${folder}.part-`);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(part, dirname(path)), { recursive: true });
    const mode = programs.includes(path) ? 0o755 : 0o644;
    await writeFile(join(part, path), Buffer.from(content, 'base64'), { mode });
  }
  // Half a folder would be taken for the whole one.
  await rename(part, folder);
  return folder;
}

/** Keeps a copy of the folder, unless this version has one: what machines were made with stays as it is. */
export async function keepCopy(context: GitSurroundings, plugin: PluginVersion, folder: string): Promise<void> {
  const { artifacts } = context.ports;
  const key = keptCopyKey(plugin);
  if ((await artifacts.getText(key)) !== undefined) return;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = await Promise.all(
    paths.toSorted().map(async (path) => {
      const [content, { mode }] = await Promise.all([readFile(path), stat(path)]);
      return { path: relative(folder, path), content: content.toString('base64'), isProgram: (mode & 0o100) !== 0 };
    }),
  );
  const programs = files.flatMap(({ path, isProgram }) => (isProgram ? [path] : []));
  const copy: z.infer<typeof KeptCopy> = {
    schema: 1,
    files: Object.fromEntries(files.map(({ path, content }) => [path, content])),
    ...(programs.length > 0 && { programs }),
  };
  await artifacts.putText(key, JSON.stringify(copy), 'application/json');
}

async function fetchPlugin(context: GitSurroundings, plugin: PluginVersion): Promise<string> {
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
      ...{ class: 'bug', code: 'TemplatesMissing', resource: name },
      message: `Provider type ${type} has the version "${templates}", which names neither a repository nor an archive.`,
      hint: 'Apply the document again.',
    });
  const subject = { title: `provider type ${type}`, name, document: 'plugin' } as const;
  await fetchFiles(context, subject, { version, patterns: [`/${type}/`], directory });
  const where = `${version.url}@${version.commit.slice(0, 12)}, folder ${type}`;
  return measured(plugin, where, join(directory, type));
}
