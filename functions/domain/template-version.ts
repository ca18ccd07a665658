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

/** With the SHA-256 of the copy of its files, which they are compared with from then on: `<version>+copy:<sha256>` */
export function withCopy(version: string, copy: string): string {
  return `${version}+copy:${copy}`;
}

/** The parts of a version; `copy` is absent where the files are known by the version alone. */
export function copyOf(text: string): { readonly version: string; readonly copy?: string } {
  const [, version, copy] = /^(.*)\+copy:([0-9a-f]{64})$/.exec(text) ?? [];
  return version === undefined || copy === undefined ? { version: text } : { version, copy };
}

/** Undefined for the templates that come with Kubeloom. Throws `InternalFault` for a text that names a repository and cannot be read. */
export function parseTemplateVersion(text: string): TemplateVersion | undefined {
  if (!text.startsWith('git:')) return undefined;
  const [, url, commit, path] = /^git:([^@#]+)@([^@#]+)#([^@#]*)$/.exec(copyOf(text).version) ?? [];
  if (url !== undefined && commit !== undefined && path !== undefined) return { url, commit, path };
  throw new PipelineError(
    'InternalFault',
    `${text} is not a version of templates; correct the TemplateGitReference and apply the manifest again`,
  );
}

/** An archive at an https address, with the checksum that pins its content. */
export interface ArchiveVersion {
  /** Host and path, without scheme. */
  readonly url: string;
  readonly sha256: string;
}

/** `archive:<url>@<sha256>` */
export function archiveVersionText({ url, sha256 }: ArchiveVersion): string {
  return `archive:${url}@${sha256}`;
}

/** Undefined for every other version. */
export function parseArchiveVersion(text: string): ArchiveVersion | undefined {
  const [, url, sha256] = /^archive:([^@#]+)@([0-9a-f]{64})$/.exec(copyOf(text).version) ?? [];
  return url === undefined || sha256 === undefined ? undefined : { url, sha256 };
}

/** Means the highest version tag of a repository, unless a branch or tag has that name. */
export const latestVersion = 'latest';

/** The highest of tags like `v1.2.3`; previews do not count. */
export function highestVersion(tags: Iterable<string>): string | undefined {
  const versions = [...tags].flatMap((tag) => {
    const [, ...parts] = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(tag) ?? [];
    return parts.length === 0 ? [] : [{ tag, parts: parts.map(Number) }];
  });
  const later = (one: readonly number[], other: readonly number[]): number =>
    one.map((part, place) => part - (other[place] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return versions.toSorted((one, other) => later(one.parts, other.parts)).at(-1)?.tag;
}

/** True for a whole commit hash: it names the same files for ever, so the repository need not be asked. */
export function isCommitHash(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}
