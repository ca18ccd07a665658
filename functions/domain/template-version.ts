/** The version of templates from a git repository, as a text that can be stored and compared. */
import { PipelineError } from './errors.ts';

export interface TemplateVersion {
  /** Host and path, without scheme. */
  readonly url: string;
  /** 40 hexadecimal digits. */
  readonly commit: string;
  /** Folder in the repository that has a folder for each provider type. */
  readonly path: string;
}

/** `git:<url>@<commit>#<path>` */
export function templateVersionText({ url, commit, path }: TemplateVersion): string {
  return `git:${url}@${commit}#${path}`;
}

/** What uses templates of its own, as a key next to names of provider instances: the documents of that name of a cluster. */
export function documentsKey(cluster: string, name: string): string {
  return `${cluster}/${name}`;
}

/** For people: `provider hetzner-1`, `documents longhorn of cluster shop`. */
export function templatesUserText(key: string): string {
  const [cluster, name] = key.split('/');
  return name === undefined ? `provider ${key}` : `documents ${name} of cluster ${cluster}`;
}

/** Undefined for the templates that come with Kubeloom. Throws `InternalFault` for a text that names a repository and cannot be read. */
export function parseTemplateVersion(text: string): TemplateVersion | undefined {
  if (!text.startsWith('git:')) return undefined;
  const [, url, commit, path] = /^git:([^@#]+)@([^@#]+)#([^@#]*)$/.exec(text) ?? [];
  if (url !== undefined && commit !== undefined && path !== undefined) return { url, commit, path };
  throw new PipelineError(
    'InternalFault',
    `${text} is not a version of templates; correct the TemplateGitReference and apply the manifest again`,
  );
}

/** True for a whole commit hash: it names the same files for ever, so the repository need not be asked. */
export function isCommitHash(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}
