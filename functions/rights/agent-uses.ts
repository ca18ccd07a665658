/** What the routes for agents of clusters call: everyone may send them a request, so they are a function with fewer rights than the others. */
import type { FreePort, PortUse, Using } from '../ports.ts';

export const agentUses = [
  'agentReports.get',
  'agentReports.put',
  'artifacts.getText',
  'clusters.get',
  'clusters.list',
  'demands.get',
  'demands.list',
  'demands.put',
  'events.append',
  'manifests.get',
  'manifests.replace',
  'runs.put',
  'workflows.startReconcile',
] as const satisfies readonly PortUse[];

export type AgentPorts = Using<(typeof agentUses)[number] | FreePort>;
