/** The version of templates from a git repository, as a text that can be stored and compared. */

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

/** Undefined for the templates that come with Kubeloom. */
export function parseTemplateVersion(text: string): TemplateVersion | undefined {
  const [, url, commit, path] = /^git:([^@#]+)@([^@#]+)#(.*)$/.exec(text) ?? [];
  return url === undefined || commit === undefined || path === undefined ? undefined : { url, commit, path };
}

/** True for a whole commit hash: it names the same files for ever, so nobody has to be asked about it. */
export function isCommitHash(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}
