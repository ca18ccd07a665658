/** Every operation with its handler. A file is loaded with the first request that it answers, so that a cold start loads only one. */
import { agentOperations } from '#contracts/operations/agent.ts';
import { documentOperations, serviceOperations } from '#contracts/operations/documents.ts';
import { gitSourceOperations } from '#contracts/operations/git-sources.ts';
import {
  inventoryOperations,
  inventoryPlanOperations,
  rollOutOperations,
  rollOutStart,
} from '#contracts/operations/inventory.ts';
import { generationOperations } from '#contracts/operations/manifests.ts';
import { notificationOperations } from '#contracts/operations/notifications.ts';
import { type Operation, type Operations, passesGateway } from '#contracts/operations/operation.ts';
import { type OperationId, operationList, type operations } from '#contracts/operations/operations.ts';
import { decisions, planOperations } from '#contracts/operations/plans.ts';
import { clusterAccessOperations } from '#contracts/operations/runs.ts';
import { demandOperations, verbOperations } from '#contracts/operations/verbs.ts';
import type { HttpHandler } from '../middleware.ts';
import type { Handler } from './http/handle.ts';

/** The operations of each file; a file exports each handler under the id of its operation, and a missing handler does not compile. */
const handlers: Readonly<Record<OperationId, HttpHandler>> = {
  ...from(() => import('./manifests.ts'), ['listManifests', 'putManifest', 'getManifest']),
  ...from(() => import('./delete-manifest.ts'), ['deleteManifest']),
  ...from(() => import('./plan-manifest.ts'), ['planManifest']),
  ...from(() => import('./validate.ts'), ['validate']),
  ...from(() => import('./providers.ts'), ['listProviders']),
  ...from(() => import('./provider-checks.ts'), ['checkProvider', 'getProviderCheck']),
  ...from(() => import('./verbs.ts'), idsOf(verbOperations)),
  ...from(() => import('./demand.ts'), idsOf(demandOperations)),
  ...from(() => import('./decide-plan.ts'), idsOf(decisions)),
  ...from(() => import('./plans.ts'), idsOf(planOperations)),
  ...from(() => import('./generations.ts'), idsOf(generationOperations)),
  ...from(() => import('./runs.ts'), ['listRuns', 'getRun', 'listEvents', 'listChanges']),
  ...from(() => import('./run-plan.ts'), ['getRunPlan']),
  ...from(() => import('./live.ts'), ['getLive']),
  ...from(() => import('./events.ts'), ['listAllEvents']),
  ...from(() => import('./logs.ts'), ['listLogs', 'getLog']),
  ...from(() => import('./clusters.ts'), ['getKubeconfig']),
  ...from(() => import('./cluster-access.ts'), idsOf(clusterAccessOperations)),
  ...from(() => import('./state-access.ts'), ['requestState', 'getState']),
  ...from(() => import('./state-edits.ts'), ['editState']),
  ...from(() => import('./documents.ts'), idsOf(documentOperations)),
  ...from(() => import('./service.ts'), idsOf(serviceOperations)),
  ...from(() => import('./inventory.ts'), idsOf(inventoryOperations)),
  ...from(() => import('./plan-inventory.ts'), idsOf(inventoryPlanOperations)),
  ...from(() => import('./roll-outs.ts'), idsOf(rollOutOperations)),
  ...from(() => import('./start-roll-out.ts'), idsOf(rollOutStart)),
  ...from(() => import('./git-sources.ts'), idsOf(gitSourceOperations)),
  ...from(() => import('./notifications.ts'), idsOf(notificationOperations)),
  ...from(() => import('./agent.ts'), idsOf(agentOperations)),
};

function from<Id extends OperationId>(
  load: () => Promise<{ readonly [Each in Id]: Handler<(typeof operations)[Each]> }>,
  ids: readonly Id[],
): Record<Id, HttpHandler> {
  const handler =
    (id: Id): HttpHandler =>
    async (event, context) =>
      (await load())[id](event, context);
  return Object.fromEntries(ids.map((id) => [id, handler(id)])) as Record<Id, HttpHandler>;
}

function idsOf<Table extends Operations>(table: Table): readonly (keyof Table & OperationId)[] {
  return Object.keys(table) as (keyof Table & OperationId)[];
}

export interface Route {
  readonly method: Operation['method'];
  readonly path: string;
  readonly operation: OperationId;
  /** The gateway requires no credentials. */
  readonly anonymous: boolean;
  readonly handler: HttpHandler;
}

export const routes: readonly Route[] = operationList.map(({ id, method, path, access }) => ({
  method,
  path,
  operation: id,
  anonymous: passesGateway(access),
  handler: handlers[id],
}));
