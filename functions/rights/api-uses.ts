/** What the routes of the API call: they are one function with one role, and no other method of a port compiles in them. */
import type { FreePort, PortUse, Using } from '../ports.ts';
import { submissionUses } from './submission-uses.ts';

export const apiUses = [
  ...submissionUses,
  'agentReports.put',
  'artifacts.getBytes',
  'budgets.acceptRollOut',
  'clusters.discard',
  'clusters.get',
  'demands.discard',
  'demands.get',
  'demands.put',
  'events.appendOnce',
  'events.list',
  'feed.read',
  'feed.readBack',
  'gitSources.remove',
  'inventory.list',
  'inventory.put',
  'inventory.remove',
  'manifests.discard',
  'manifests.generations',
  'manifests.head',
  'roleBindings.put',
  'roleBindings.remove',
  'rollOuts.claims',
  'rollOuts.halted',
  'rollOuts.list',
  'rollOuts.put',
  'rollOuts.putClaims',
  'rollOuts.quiet',
  'runs.get',
  'secrets.list',
  'secrets.put',
  'secrets.remove',
  'templateReferences.list',
  'templateReferences.remove',
  'waitingPlans.reopen',
  'workflows.startRollOut',
  'workflows.status',
  'workflows.stop',
] as const satisfies readonly PortUse[];

/** The ports as a route gets them. */
export type ApiPorts = Using<(typeof apiUses)[number] | FreePort>;
