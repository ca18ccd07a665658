/** What submitting a document calls: judging it, storing it and starting its run, as the API and a GitSource do. */
import type { FreePort, PortUse, Using } from '../ports.ts';

export const submissionUses = [
  'artifacts.getText',
  'artifacts.list',
  'artifacts.putText',
  'builds.status',
  'builds.stop',
  'clusters.list',
  'demands.list',
  'events.append',
  'gitSources.get',
  'gitSources.list',
  'gitSources.put',
  'inventory.get',
  'inventory.list',
  'manifests.create',
  'manifests.get',
  'manifests.list',
  'manifests.remainsOf',
  'manifests.replace',
  'manifests.requestCancel',
  'manifests.setPaused',
  'roleBindings.list',
  'runs.list',
  'runs.put',
  'secrets.exists',
  'templateReferences.get',
  'templateReferences.put',
  'waitingPlans.put',
  'workflows.askRunner',
  'workflows.startReconcile',
] as const satisfies readonly PortUse[];

export type SubmissionPorts = Using<(typeof submissionUses)[number] | FreePort>;
