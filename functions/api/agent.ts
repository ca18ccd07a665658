/** What the agent in a workload cluster may ask: the autoscaled pools of its own cluster, and sizes within their bounds. */
import type { AgentGroup } from '#contracts/agent.ts';
import { operations } from '#contracts/operations/operations.ts';
import { type Demand, withReplacements, withSizes } from '#domain/demand.ts';
import { PipelineError } from '#domain/errors.ts';
import { shown } from '#domain/manifest/names.ts';
import { counted } from '#domain/planning/text/words.ts';
import { clusterName } from '../pipeline/clusters/cluster-records.ts';
import { demandOf } from '../pipeline/clusters/demand-records.ts';
import { manifestOf } from '../pipeline/manifests/stored-document.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { type Agent, agentOf } from './agent-caller.ts';
import { ask } from './demand.ts';
import { handle } from './handle.ts';
import { agentGroups } from './views/agent-groups.ts';

export const listAgentGroups = handle(operations.listAgentGroups, async ({ headers }, deps) => {
  const agent = await agentOf(deps, headers);
  return { json: { groups: await groupsOf(deps, agent) } };
});

/** Nodes only leave with their places: a token can never exchange machines, however often it asks. */
export const resizeAgentGroup = handle(operations.resizeAgentGroup, async ({ path, body, headers, caller }, deps) => {
  const agent = await agentOf(deps, headers);
  const { stored, record } = agent;
  const group = await groupNamed(deps, agent, path.pool);
  const remove = [...new Set(body.remove)];
  refuseOthers(group, body.count, remove);
  const cluster = clusterName(record);
  const asking = { by: 'autoscaler', at: deps.clock.now().toISOString() };
  const nodes = remove.map((node) => ({ node, because: 'it is not needed any more' }));
  const change = (demand: Demand) =>
    withReplacements(withSizes(demand, { [group.pool]: body.count }, asking), nodes, asking);
  await ask(deps, {
    ...{ stored, document: manifestOf(stored), changes: [{ record, change }], done: 'scaled', kind: 'ScaleRequested' },
    caller: { ...caller, name: `the autoscaler of cluster ${cluster}` },
    what: `scaling of ${group.pool} to ${counted(body.count, 'node')} in cluster ${cluster} requested`,
    repeat: false,
  });
  return { json: await groupNamed(deps, agent, path.pool) };
});

function refuseOthers(group: AgentGroup, count: number, remove: readonly string[]): void {
  const refuse = (reason: string): never => {
    throw new PipelineError('VerbRefused', `the pool ${shown(group.pool)} cannot be scaled: ${reason}`);
  };
  if (count < group.min || count > group.max) refuse(`${count} is not between ${group.min} and ${group.max}`);
  const states = new Map(group.nodes.map(({ name, state }) => [name, state]));
  const unknown = remove.filter((name) => !states.has(name));
  if (unknown.length > 0) refuse(`${unknown.map(shown).join(', ')} is not one of its nodes`);
  const leaving = remove.filter((name) => states.get(name) !== 'deleting').length;
  // A size that failed counts until the agent has seen it.
  const before = Math.max(group.size, group.failure?.count ?? 0);
  if (leaving > 0 && count > before - leaving)
    refuse(`${count} is not ${counted(leaving, 'node')} less than ${before}`);
}

async function groupsOf(deps: Pick<ApiPorts, 'demands'>, { stored, record }: Agent): Promise<AgentGroup[]> {
  return agentGroups(manifestOf(stored), record, demandOf(await deps.demands.get(stored, record.cluster)));
}

async function groupNamed(deps: Pick<ApiPorts, 'demands'>, agent: Agent, name: string): Promise<AgentGroup> {
  const group = (await groupsOf(deps, agent)).find(({ pool }) => pool === name);
  if (group) return group;
  const message = `there is no autoscaled pool ${shown(name)} in cluster ${shown(clusterName(agent.record))}`;
  throw new PipelineError('NotFound', message);
}
