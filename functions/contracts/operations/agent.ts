/** Operations for the agent in a workload cluster: its token opens these, for its own cluster, and nothing else. */
import { AgentGroup, AgentGroups, AgentHealth, AgentNodes, AgentSize } from '../agent.ts';
import { AgentGroupPath } from '../http-parameters.ts';
import { bodyLimits, type Operations, ok, verbBody } from './operation.ts';

const agent = { access: 'agent', tag: 'agent', problems: [400, 404, 409] } as const;

export const agentOperations = {
  listAgentGroups: {
    ...agent,
    method: 'GET',
    path: '/v1/agent/groups',
    summary: 'List the autoscaled compute pools of the cluster of the agent',
    answers: ok('its pools', AgentGroups),
  },
  resizeAgentGroup: {
    ...agent,
    method: 'POST',
    path: '/v1/agent/groups/{pool}/size',
    summary: 'Set the size of such a pool within its bounds, and name the nodes that are no longer needed',
    params: AgentGroupPath,
    body: verbBody('the size', AgentSize),
    answers: ok('the pool after the change', AgentGroup),
    problems: [400, 404, 409, 413],
  },
  reportAgentHealth: {
    ...agent,
    method: 'POST',
    path: '/v1/agent/health',
    summary: 'Report the nodes of the cluster as Kubernetes has them; answers with those that Kubeloom knows',
    body: { description: 'the nodes', required: true, schema: AgentHealth, maxBytes: bodyLimits.agentHealth },
    answers: ok('the nodes that Kubeloom knows', AgentNodes),
    problems: [400, 413],
  },
} as const satisfies Operations;
