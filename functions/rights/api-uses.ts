/** What the routes of the API call: they are one function with one role, and no other method of a port compiles in them. */
import type { FreePort, PortUse, Using } from '../ports.ts';

export const apiUses = [
  'artifacts.getBytes',
  'artifacts.getText',
  'artifacts.list',
  'artifacts.putText',
  'builds.running',
  'builds.start',
  'builds.status',
  'builds.stop',
  'clusters.discard',
  'clusters.list',
  'events.append',
  'events.list',
  'manifests.create',
  'manifests.discard',
  'manifests.generations',
  'manifests.get',
  'manifests.list',
  'manifests.remainsOf',
  'manifests.replace',
  'manifests.requestCancel',
  'manifests.setPaused',
  'roleBindings.list',
  'roleBindings.put',
  'roleBindings.remove',
  'runs.get',
  'runs.list',
  'runs.put',
  'secrets.exists',
  'secrets.list',
  'secrets.put',
  'secrets.remove',
  'templateReferences.get',
  'templateReferences.put',
  'templateReferences.remove',
  'workflows.startReconcile',
  'workflows.stop',
] as const satisfies readonly PortUse[];

/** The ports as a route gets them. */
export type ApiPorts = Using<(typeof apiUses)[number] | FreePort>;
