/** Asks a private template repository for the commit of a branch or tag. */
import { GitReferences } from '#adapters/git-references.ts';
import type { TemplateLookup } from '#contracts/job.ts';
import type { ResolvedTemplates } from '#functions/ports.ts';
import type { AnswerContext } from '../answer-question.ts';
import { repositoryLogin } from './git-login.ts';

/** The commit, or why it was not found. Throws `StageFailure` when the Secret gives no token. */
export async function lookUpCommit(
  { url, revision, secret }: TemplateLookup,
  { ports, mask }: AnswerContext,
): Promise<ResolvedTemplates> {
  const authorization = await repositoryLogin({ ports, mask }, secret, `the template repository ${url}`);
  const privateHosts = ports.config.KUBELOOM_TEMPLATE_PRIVATE_HOSTS;
  return new GitReferences({ privateHosts, authorization }).resolve(url, revision);
}
