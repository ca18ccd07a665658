/** Templates of a git repository: only the folder of one provider type at one commit, which is checked before it is used. */
import { readdir, stat } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import type { ProviderInstance } from '#domain/cluster-state.ts';
import type { TemplateVersion } from '#domain/template-version.ts';
import { templatesMark } from '#rendering/terraform-names.ts';
import { fetchFiles, type GitSurroundings } from '../../git/git-fetch.ts';
import type { SecretMask } from '../../secret-mask.ts';
import { StageFailure } from '../../stage-failure.ts';

/** What one type's folder may hold: modules are a few small text files. */
const most = { files: 500, bytes: 5_000_000 };

/** Each version once for a stage; a stage has a mask of its own. */
const fetched = new WeakMap<SecretMask, Map<string, Promise<string>>>();

/** Directory with the modules of the provider's type. Throws `StageFailure`. */
export function gitTemplates(
  context: GitSurroundings,
  provider: ProviderInstance,
  version: TemplateVersion,
): Promise<string> {
  const known = fetched.get(context.mask) ?? new Map<string, Promise<string>>();
  fetched.set(context.mask, known);
  const key = `${provider.type} ${provider.templates}`;
  const directory = known.get(key) ?? fetchType(context, provider, version);
  known.set(key, directory);
  return directory;
}

async function fetchType(
  context: GitSurroundings,
  provider: ProviderInstance,
  version: TemplateVersion,
): Promise<string> {
  const folder = folderOf(provider, version);
  const directory = join(context.workDirectory, 'templates', `${provider.type}-${templatesMark(provider.templates)}`);
  const { name, templatesSecret: secret } = provider;
  const subject = { title: `templates of provider ${name}`, name, document: 'TemplateGitReference', secret } as const;
  await fetchFiles(context, subject, { version, patterns: [`/${folder}/`], directory });
  const where = `${version.url}@${version.commit.slice(0, 12)}, folder ${version.path}/${provider.type}`;
  return measured(provider, where, join(directory, folder));
}

/** The type's folder in the repository. Throws for one that is not below the repository's root, or is git's own. */
function folderOf(provider: ProviderInstance, version: TemplateVersion): string {
  const folder = normalize(join(version.path, provider.type));
  const isInside = !version.path.startsWith('/') && !folder.split('/').some((part) => part === '..' || part === '.git');
  if (isInside) return folder;
  throw new StageFailure({
    class: 'user',
    code: 'TemplatesRefused',
    message: `The templates of provider ${provider.name} should be in ${version.path}, which is not a folder of ${version.url}.`,
    resource: provider.name,
    hint: 'Name a folder of the repository in paths.terraformer of the TemplateGitReference, such as modules.',
  });
}

/** The folder. Throws when it is missing, has none of our modules, or is larger than modules are. */
export async function measured(
  provider: Pick<ProviderInstance, 'name' | 'type'>,
  where: string,
  folder: string,
): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const inside = new Set(files.filter((file) => file.parentPath === folder).map(({ name }) => name));
  if (
    !['network', 'nodepool', 'dns'].some((module) => inside.has(module) && hasTerraform(files, join(folder, module)))
  ) {
    const texts = files.filter(({ name }) => name.endsWith('.tpl'));
    if (texts.length > 0) throw areTextTemplates(provider, where, texts.length);
    throw new StageFailure({
      class: 'user',
      code: 'TemplatesMissing',
      message: `There are no Terraform modules for provider type ${provider.type} in ${where}.`,
      resource: provider.name,
      hint: 'docs/write-a-provider.md lists the required files.',
    });
  }
  const plain = files.filter((file) => file.isFile());
  const sizes = await Promise.all(plain.map((file) => stat(join(file.parentPath, file.name))));
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
  if (plain.length <= most.files && bytes <= most.bytes) return folder;
  throw new StageFailure({
    class: 'user',
    code: 'TemplatesTooLarge',
    message: `The templates in ${where} are ${plain.length} files with ${bytes} bytes; at most ${most.files} files and ${most.bytes} bytes are allowed.`,
    resource: provider.name,
    hint: 'Keep only the modules in that folder.',
  });
}

function areTextTemplates(
  { name, type }: Pick<ProviderInstance, 'name' | 'type'>,
  where: string,
  count: number,
): StageFailure {
  return new StageFailure({
    class: 'user',
    code: 'TemplatesOfClaudie',
    message: `The ${count} text templates (.tpl) of Claudie in ${where} are not Terraform modules.`,
    resource: name,
    hint: `Remove templatesRef from provider ${name}: the type ${type} that comes with Kubeloom makes the same machines. For changes of your own, write modules as docs/write-a-provider.md shows.`,
  });
}

function hasTerraform(
  files: readonly { readonly name: string; readonly parentPath: string }[],
  folder: string,
): boolean {
  return files.some(({ name, parentPath }) => parentPath === folder && /\.tf(\.json)?$/.test(name));
}
