/** A git repository with our documents of the autoscaler and other flags: gone after the tests of a file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { agentImage } from '#local/kubernetes/agent-images.ts';
import { allowGitServer, type GitServer, startGitServer } from '#test/templates/git-server.ts';

export interface OwnSite {
  /** The repository with the documents, in `kubernetes/`. */
  readonly git: GitServer;
  close(): Promise<void>;
}

/** `flags` come after those of the autoscaler in our templates. A platform that starts after this one uses the site. */
export async function startSite(flags: readonly string[]): Promise<OwnSite> {
  const git = await startGitServer();
  git.commit(documents('autoscaler', flags));
  const forget = allowGitServer(git);
  return {
    git,
    async close() {
      forget();
      await git.close();
    },
  };
}

interface Container {
  readonly name: string;
  image: string;
  readonly command: string[];
}
interface PodSpec {
  readonly containers: Container[];
}

/** Our templates, with the image of Node that the hosts have. */
function documents(name: string, flags: readonly string[]): Readonly<Record<string, string>> {
  const folder = fileURLToPath(new URL(`../../templates/kubernetes/${name}`, import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');
  const isRepeated = (file: string) => file.includes('/');
  const objects = files
    .filter((file) => !isRepeated(file))
    .flatMap((file) => parseAllDocuments(textOf(file)).map((document) => document.toJS()));
  for (const { kind, spec } of objects) if (kind === 'Deployment') useSite(spec.template.spec, flags);
  return {
    [`kubernetes/${name}/all.yaml`]: objects.map((object) => JSON.stringify(object)).join('\n---\n'),
    ...Object.fromEntries(files.filter(isRepeated).map((file) => [`kubernetes/${name}/${file}`, textOf(file)])),
  };
}

function useSite({ containers }: PodSpec, flags: readonly string[]): void {
  for (const container of containers) {
    if (container.name === 'cluster-autoscaler') container.command.push(...flags);
    else container.image = agentImage;
  }
}
