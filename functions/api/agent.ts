/** What the agent in a workload cluster may ask: the autoscaled pools of its own cluster, and sizes within their bounds. */
import type { AgentGroup } from '#contracts/agent.ts';
import { operations } from '#contracts/operations/operations.ts';
import type { KnownNode } from '#domain/certificates/may-approve.ts';
import { nodesWithAddresses } from '#domain/certificates/serving-requests.ts';
import { type Demand, withReplacements, withSizes } from '#domain/demand.ts';
import { PipelineError } from '#domain/errors.ts';
import { shown } from '#domain/manifest/schema/names.ts';
import { sizeThatKeeps } from '#domain/what-stays.ts';
import { counted } from '#domain/words.ts';
import { checkAsReported } from '../pipeline/drift/check-as-reported.ts';
import { keepReport, lastReport } from '../pipeline/records/agent-reports.ts';
import { clusterName } from '../pipeline/records/cluster-records.ts';
import { demandOf } from '../pipeline/records/demand-records.ts';
import { refuseVerb } from '../pipeline/records/refuse-verb.ts';
import { manifestOf } from '../pipeline/records/stored-document.ts';
import { requestDemand } from '../pipeline/submission/request-demand.ts';
import type { AgentPorts } from '../rights/agent-uses.ts';
import { type Agent, agentOf } from './agent-caller.ts';
import { handleFor } from './http/handle.ts';
import { agentGroups } from './views/agent-groups.ts';

export const listAgentGroups = handleFor(operations.listAgentGroups, agentOf, async (_, deps: AgentPorts, agent) => {
  return { json: { groups: await groupsOf(deps, agent) } };
});

/** Nodes only leave with their places: no request exchanges machines. */
export const resizeAgentGroup = handleFor(
  operations.resizeAgentGroup,
  agentOf,
  async (request, deps: AgentPorts, agent) => {
    const { path, body, caller } = request;
    const { stored, record } = agent;
    const group = await groupNamed(deps, agent, path.pool);
    const remove = [...new Set(body.remove)];
    refuseOthers(group, body.count, remove);
    refuseLocked(agent, group, body.count, remove);
    const cluster = clusterName(record);
    const asking = { by: 'autoscaler', at: deps.clock.now().toISOString() };
    const nodes = remove.map((node) => ({ node, because: 'it is not needed any more' }));
    const change = (demand: Demand) =>
      withReplacements(withSizes(demand, { [group.pool]: body.count }, asking), nodes, asking);
    await requestDemand(deps, {
      stored,
      document: manifestOf(stored),
      changes: [{ record, change }],
      verb: 'scale',
      kind: 'ScaleRequested',
      caller: { ...caller, name: `the autoscaler of cluster ${cluster}` },
      what: `scaling of ${group.pool} to ${counted(body.count, 'node')} in cluster ${cluster} requested`,
      byPerson: false,
    });
    return { json: await groupNamed(deps, agent, path.pool) };
  },
);

/** Its answer is what the agent may approve certificates for. */
export const reportAgentHealth = handleFor(
  operations.reportAgentHealth,
  agentOf,
  async ({ body }, deps: AgentPorts, agent) => {
    const { record } = agent;
    const now = deps.clock.now();
    const report = await keepReport(deps, { record, health: body, runId: agent.stored.runId, now });
    await checkAsReported(deps, agent, report);
    return {
      json: { nodes: [...nodesWithAddresses(record.current ?? { pools: [] }, record.facts)].map(withAddresses) },
    };
  },
);

const withAddresses = ({ name, addresses }: KnownNode) => ({ name, addresses: [...addresses] });

function refuseOthers(group: AgentGroup, count: number, remove: readonly string[]): void {
  const refuse = (reason: string): never => refuseVerb({ pool: group.pool }, 'scale', reason);
  if (count < group.min || count > group.max) refuse(`${count} is not between ${group.min} and ${group.max}`);
  const states = new Map(group.nodes.map(({ name, state }) => [name, state]));
  const unknown = remove.filter((name) => !states.has(name));
  if (unknown.length > 0) refuse(`${unknown.map(shown).join(', ')} is not one of its nodes`);
  const leaving = remove.filter((name) => states.get(name) !== 'deleting').length;
  if (leaving > 0 && count > group.size - leaving)
    refuse(`${count} is not ${counted(leaving, 'node')} less than ${group.size}`);
  const machines = group.nodes.map(({ name, state }) => ({ leaves: state === 'deleting' || remove.includes(name) }));
  const fewest = Math.min(group.size, sizeThatKeeps(count, machines));
  if (count < fewest)
    refuse(`${counted(fewest, 'node')} exist that it does not name: ${count} would delete some of them`);
}

/** Clouds lock accounts after refused logins. A request that starts nothing only forgets the failure of the pool. */
function refuseLocked(
  { record: { failure } }: Agent,
  group: AgentGroup,
  count: number,
  remove: readonly string[],
): void {
  if (failure?.class !== 'credentials' || (count === group.size && remove.length === 0)) return;
  const reason = `the credentials were refused at ${failure.at} (${failure.code}); store the Secret again`;
  refuseVerb({ pool: group.pool }, 'scale', reason);
}

async function groupsOf(deps: AgentPorts, { stored, record }: Agent): Promise<AgentGroup[]> {
  const [demand, report] = await Promise.all([deps.demands.get(stored, record.cluster), lastReport(deps, record)]);
  return agentGroups(manifestOf(stored), record, { demand: demandOf(demand), capacity: report?.capacity ?? {} });
}

async function groupNamed(deps: AgentPorts, agent: Agent, name: string): Promise<AgentGroup> {
  const group = (await groupsOf(deps, agent)).find(({ pool }) => pool === name);
  if (group) return group;
  const message = `there is no autoscaled pool ${shown(name)} in cluster ${shown(clusterName(agent.record))}`;
  throw new PipelineError('NotFound', message);
}
