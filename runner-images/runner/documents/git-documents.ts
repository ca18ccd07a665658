/** Documents of a git repository: the folder of one name at one commit. */
import { readdir, stat } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import type { DocumentState } from '#domain/cluster-documents.ts';
import type { TemplateVersion } from '#domain/template-version.ts';
import { templatesMark } from '#rendering/terraform-names.ts';
import { fetchFiles, type GitSurroundings } from '../git/git-fetch.ts';
import { StageFailure } from '../stage-failure.ts';

/** What a folder may hold: a release of others is one file of some hundred kB. */
const most = { files: 500, bytes: 5_000_000 };

/** Directory with the files. Throws what `fetchFiles` throws, `TemplatesMissing` and `TemplatesTooLarge`. */
export async function gitDocuments(
  context: GitSurroundings,
  { name, version: text, templatesSecret }: DocumentState,
  version: TemplateVersion,
): Promise<string> {
  const folder = normalize(join(version.path, name));
  const directory = join(context.workDirectory, 'documents', `${name}-${templatesMark(text)}`);
  const secret = templatesSecret;
  const subject = { title: `documents ${name}`, name, document: 'TemplateGitReference', secret } as const;
  await fetchFiles(context, subject, { version, patterns: [`/${folder}/`], directory });
  const inside = join(directory, folder);
  const files = await yamlFiles(inside);
  const where = `${version.url}@${version.commit.slice(0, 12)}, folder ${folder}`;
  if (files.length === 0) {
    throw new StageFailure({
      class: 'user',
      code: 'TemplatesMissing',
      message: `There are no Kubernetes manifests (.yaml) for the documents ${name} in ${where}.`,
      resource: name,
      hint: 'Name the folder that has a folder for each name of documents in paths.manifestsK8s of the TemplateGitReference.',
    });
  }
  const sizes = await Promise.all(files.map((path) => stat(path)));
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
  if (files.length <= most.files && bytes <= most.bytes) return inside;
  throw new StageFailure({
    class: 'user',
    code: 'TemplatesTooLarge',
    message: `The documents in ${where} are ${files.length} files with ${bytes} bytes; at most ${most.files} files and ${most.bytes} bytes are allowed.`,
    resource: name,
    hint: 'Keep only Kubernetes manifests in that folder.',
  });
}

/** Paths of the files that have objects of Kubernetes; none when there is no such directory. */
export async function yamlFiles(directory: string): Promise<readonly string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  return found
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
}
