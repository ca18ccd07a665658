/** Files of public repositories: from GitHub, or from bare clones in a folder, one `<owner>+<name>/repo` each, where there is no network. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface PublicFile {
  readonly text: string;
  /** `github.com/<owner>/<name>@<revision>` */
  readonly origin: string;
  /** Day of the revision, or of reading. */
  readonly date: string;
}

export type ReadPublicFile = (repository: string, path: string) => Promise<PublicFile>;

/** Throws for a file that is not there. */
export function publicFiles(today: string, clones: string | undefined): ReadPublicFile {
  return async (repository, path) => {
    if (clones === undefined) {
      const answer = await fetch(`https://raw.githubusercontent.com/${repository}/HEAD/${path}`);
      if (!answer.ok) throw new Error(`${repository}/${path}: the answer is ${answer.status}`);
      return { text: await answer.text(), origin: `github.com/${repository}`, date: today };
    }
    const directory = join(clones, repository.replace('/', '+'), 'repo');
    if (!existsSync(directory)) throw new Error(`${directory} does not exist`);
    const git = (...words: readonly string[]) =>
      execFileSync('git', [`--git-dir=${directory}`, ...words], { encoding: 'utf8', maxBuffer: 64_000_000 });
    const [revision = '', date = ''] = git('log', '-1', '--format=%h %cs').trim().split(' ');
    return { text: git('show', `HEAD:${path}`), origin: `github.com/${repository}@${revision}`, date };
  };
}
