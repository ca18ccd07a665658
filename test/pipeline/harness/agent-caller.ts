/** A manifest with two clusters, and the agent of the first, which asks the API with the token of its cluster. */
import { AgentGroups } from '#contracts/agent.ts';
import { agentToken, agentTokenHash } from '#contracts/agent-token.ts';
import { callApi } from '#test/api/api-under-test.ts';
import { type ClusterSpec, manifestOf } from './manifests.ts';
import { key, Pipeline } from './pipeline.ts';

export const agentSecret = 's'.repeat(43);
export const agentClusters: readonly ClusterSpec[] = [
  { name: 'web', control: 1, compute: { work: { min: 1, max: 4 }, gpu: { min: 0, max: 2 }, fixed: 1 } },
  { name: 'db', compute: { rows: { min: 0, max: 3 } } },
];
/** Labels of the provider. */
export const agentSecretRef = { namespace: 'team', name: 'cloud' };

/** A token for the agent of a cluster, as the nodes stage leaves it. */
export async function issueToken(pipeline: Pipeline, name: string): Promise<string> {
  const record = await pipeline.cluster(name);
  const issued = agentToken(key, record.cluster, agentSecret);
  const facts = { ...record.facts, agent: { tokenHash: agentTokenHash(issued) } };
  await pipeline.deps.clusters.put({ ...record, version: record.version + 1, facts });
  return issued;
}

export type AgentCaller = Awaited<ReturnType<typeof agentCaller>>;

export async function agentCaller() {
  const pipeline = new Pipeline();
  const document = manifestOf(agentClusters);
  const providers = document.spec.providers.map((provider) => ({ ...provider, secretRef: agentSecretRef }));
  await pipeline.apply({ ...document, spec: { ...document.spec, providers } });

  const issue = (name: string): Promise<string> => issueToken(pipeline, name);
  const token = await issue('web');

  const call = (method: string, path: string, { body, as = token }: { body?: unknown; as?: string } = {}) =>
    callApi(pipeline.deps, method, path, { body, as: null, headers: { authorization: `Bearer ${as}` } });
  const groups = async () => AgentGroups.parse((await call('GET', '/v1/agent/groups')).json).groups;
  const group = async (pool: string) => (await groups()).find((one) => one.pool === pool);
  const resize = (pool: string, body: unknown, as?: string) =>
    call('POST', `/v1/agent/groups/${pool}/size`, { body, ...(as !== undefined && { as }) });
  return { pipeline, token, issue, call, groups, group, resize };
}
