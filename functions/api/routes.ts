/** Every operation with its handler. A file is loaded with the first request that it answers: a cold start pays for one. */
import { type Operation, passesGateway } from '#contracts/operations/operation.ts';
import { type OperationId, operationList, type operations } from '#contracts/operations/operations.ts';
import type { HttpHandler } from '../middleware.ts';
import type { Handler } from './http/handle.ts';

/** What a file exports under the id of an operation answers it; one that is missing does not compile. */
const handlers: Readonly<Record<OperationId, HttpHandler>> = {
  ...from(() => import('./manifests.ts'), 'listManifests', 'putManifest', 'getManifest'),
  ...from(() => import('./delete-manifest.ts'), 'deleteManifest'),
  ...from(() => import('./plan-manifest.ts'), 'planManifest'),
  ...from(() => import('./plans.ts'), 'listPlans', 'getPlan', 'approveManifest'),
  ...from(
    () => import('./verbs.ts'),
    'retryManifest',
    'cancelManifest',
    'pauseManifest',
    'resumeManifest',
    'driftManifest',
    'rollbackManifest',
  ),
  ...from(() => import('./demand.ts'), 'scaleManifest', 'replaceNodes'),
  ...from(() => import('./generations.ts'), 'listGenerations', 'getGeneration', 'diffGenerations'),
  ...from(() => import('./provider-checks.ts'), 'checkProvider', 'getProviderCheck'),
  ...from(() => import('./providers.ts'), 'listProviders'),
  ...from(() => import('./validate.ts'), 'validate'),
  ...from(() => import('./runs.ts'), 'listRuns', 'getRun', 'listEvents', 'listChanges'),
  ...from(() => import('./live.ts'), 'getLive'),
  ...from(() => import('./run-plan.ts'), 'getRunPlan'),
  ...from(() => import('./events.ts'), 'listAllEvents'),
  ...from(() => import('./logs.ts'), 'listLogs', 'getLog'),
  ...from(() => import('./clusters.ts'), 'getKubeconfig'),
  ...from(
    () => import('./cluster-access.ts'),
    'requestKubeconfig',
    'getIssuedKubeconfig',
    'requestSshAccess',
    'getSshAccess',
  ),
  ...from(
    () => import('./documents.ts'),
    'putSecret',
    'listSecrets',
    'deleteSecret',
    'putTemplate',
    'listTemplates',
    'getTemplate',
    'deleteTemplate',
    'putRole',
    'listRoles',
    'deleteRole',
  ),
  ...from(
    () => import('./inventory.ts'),
    'putInventory',
    'getInventory',
    'deleteInventory',
    'listInventory',
    'applyInventory',
  ),
  ...from(() => import('./plan-inventory.ts'), 'planInventory', 'explainManifest'),
  ...from(
    () => import('./git-sources.ts'),
    'putGitSource',
    'listGitSources',
    'getGitSource',
    'deleteGitSource',
    'syncGitSource',
  ),
  ...from(() => import('./roll-outs.ts'), 'listRollOuts', 'getRollOut', 'changeRollOutState'),
  ...from(() => import('./start-roll-out.ts'), 'startRollOut'),
  ...from(() => import('./agent.ts'), 'listAgentGroups', 'resizeAgentGroup', 'reportAgentHealth'),
  ...from(() => import('./service.ts'), 'getHealth', 'getVersion', 'getOpenapi', 'whoAmI'),
};

function from<Id extends OperationId>(
  load: () => Promise<{ readonly [Each in Id]: Handler<(typeof operations)[Each]> }>,
  ...ids: readonly Id[]
): Record<Id, HttpHandler> {
  const handler =
    (id: Id): HttpHandler =>
    async (event, context) =>
      (await load())[id](event, context);
  return Object.fromEntries(ids.map((id) => [id, handler(id)])) as Record<Id, HttpHandler>;
}

export interface Route {
  readonly method: Operation['method'];
  readonly path: string;
  readonly operation: OperationId;
  /** The gateway asks for no credentials. */
  readonly anonymous: boolean;
  readonly handler: HttpHandler;
}

export const routes: readonly Route[] = operationList.map(({ id, method, path, access }) => ({
  ...{ method, path, operation: id, anonymous: passesGateway(access) },
  handler: handlers[id],
}));
