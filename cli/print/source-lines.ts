/** What the command line says of GitSources. */
import type { GitSourceSummary } from '#contracts/git-sources.ts';

/** When something happens: one check of the schedule fetches a commit, the next one submits it. */
export function sourceIsDue({ namespace, name }: Pick<GitSourceSummary, 'namespace' | 'name'>): string {
  const command = `kubeloom sources describe ${namespace}/${name}`;
  return `the schedule reads its repository within a minute on one machine and 5 minutes in AWS, and submits what it finds as long after that; \`${command}\` shows it`;
}
