/** A build that asks a private template repository for the commit of a branch or tag; the answer is left for the API. */
import { GitReferences } from '#adapters/git-references.ts';
import { LookupRequest, type LookupResult, lookupKeys } from '#contracts/template-lookup.ts';
import type { ResolvedTemplates } from '#functions/ports.ts';
import type { RunnerPorts } from '#functions/rights/runner-rights.ts';
import { revokeVaultTokens } from '../credentials.ts';
import { SecretMask } from '../secret-mask.ts';
import { StageFailure } from '../stage-failure.ts';
import { repositoryLogin } from './git-login.ts';

type Ports = RunnerPorts<'secrets.get'>;

/** Leaves the commit, or why there is none; no value of the Secret is in it. Throws without a request. */
export async function lookUpCommit(prefix: string, ports: Ports): Promise<boolean> {
  const text = await ports.artifacts.getText(lookupKeys.request(prefix));
  if (text === undefined)
    throw new Error(`there is no request under ${prefix}: was it removed while the build waited?`);
  const answer = await answerTo(LookupRequest.parse(JSON.parse(text)), ports);
  const result: LookupResult = { schema: 1, endedAt: ports.clock.now().toISOString(), answer };
  await ports.artifacts.putText(lookupKeys.result(prefix), JSON.stringify(result), 'application/json');
  return true;
}

async function answerTo({ url, revision, secret }: LookupRequest, ports: Ports): Promise<ResolvedTemplates> {
  const mask = new SecretMask();
  try {
    const authorization = await repositoryLogin({ ports, mask }, secret, `the template repository ${url}`);
    const privateHosts = ports.config.KUBELOOM_TEMPLATE_PRIVATE_HOSTS;
    const answer = await new GitReferences({ privateHosts, authorization }).resolve(url, revision);
    return 'commit' in answer ? answer : { reason: mask.hide(answer.reason), fix: mask.hide(answer.fix) };
  } catch (error) {
    if (!(error instanceof StageFailure)) throw error;
    return { reason: mask.hide(error.error.message), fix: mask.hide(error.error.hint) };
  } finally {
    await revokeVaultTokens(mask);
  }
}
