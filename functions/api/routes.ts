/** Every route of the API and the file that answers it; local gateway, CDK and OpenAPI all read this one table. */
import type { HttpHandler } from '../middleware.ts';

export interface Route {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** API Gateway's notation: `/v1/manifests/{namespace}/{name}`. */
  readonly path: string;
  /** `operationId` in OpenAPI. */
  readonly operation: string;
  /** Answered without credentials. @default false */
  readonly anonymous?: true;
  readonly handler: () => Promise<{ readonly handler: HttpHandler }>;
}

const manifest = '/v1/manifests/{namespace}/{name}';
const run = `${manifest}/runs/{run}`;

export const routes = [
  { method: 'GET', path: '/v1/manifests', operation: 'listManifests', handler: () => import('./list-manifests.ts') },
  { method: 'PUT', path: manifest, operation: 'putManifest', handler: () => import('./put-manifest.ts') },
  { method: 'GET', path: manifest, operation: 'getManifest', handler: () => import('./get-manifest.ts') },
  { method: 'DELETE', path: manifest, operation: 'deleteManifest', handler: () => import('./delete-manifest.ts') },
  { method: 'POST', path: `${manifest}/plan`, operation: 'planManifest', handler: () => import('./plan-manifest.ts') },
  {
    method: 'POST',
    path: `${manifest}/retry`,
    operation: 'retryManifest',
    handler: () => import('./retry-manifest.ts'),
  },
  {
    method: 'POST',
    path: `${manifest}/cancel`,
    operation: 'cancelManifest',
    handler: () => import('./cancel-manifest.ts'),
  },
  {
    method: 'POST',
    path: `${manifest}/pause`,
    operation: 'pauseManifest',
    handler: () => import('./pause-manifest.ts'),
  },
  {
    method: 'POST',
    path: `${manifest}/resume`,
    operation: 'resumeManifest',
    handler: () => import('./resume-manifest.ts'),
  },
  {
    method: 'POST',
    path: `${manifest}/drift`,
    operation: 'driftManifest',
    handler: () => import('./drift-manifest.ts'),
  },
  {
    method: 'POST',
    path: `${manifest}/rollback`,
    operation: 'rollbackManifest',
    handler: () => import('./rollback-manifest.ts'),
  },
  {
    method: 'GET',
    path: `${manifest}/generations`,
    operation: 'listGenerations',
    handler: () => import('./list-generations.ts'),
  },
  {
    method: 'GET',
    path: `${manifest}/generations/{generation}`,
    operation: 'getGeneration',
    handler: () => import('./get-generation.ts'),
  },
  {
    method: 'POST',
    path: `${manifest}/providers/{provider}/check`,
    operation: 'checkProvider',
    handler: () => import('./check-provider.ts'),
  },
  {
    method: 'GET',
    path: `${manifest}/providers/{provider}/checks/{check}`,
    operation: 'getProviderCheck',
    handler: () => import('./get-provider-check.ts'),
  },
  { method: 'POST', path: '/v1/validate', operation: 'validate', handler: () => import('./validate.ts') },
  { method: 'GET', path: `${manifest}/runs`, operation: 'listRuns', handler: () => import('./list-runs.ts') },
  { method: 'GET', path: run, operation: 'getRun', handler: () => import('./get-run.ts') },
  { method: 'GET', path: `${manifest}/events`, operation: 'listEvents', handler: () => import('./list-events.ts') },
  { method: 'GET', path: `${run}/logs`, operation: 'listLogs', handler: () => import('./list-logs.ts') },
  {
    method: 'GET',
    path: `${run}/logs/{cluster}/{waypoint}/{stage}/{attempt}`,
    operation: 'getLog',
    handler: () => import('./get-log.ts'),
  },
  {
    method: 'GET',
    path: `${manifest}/clusters/{cluster}/kubeconfig`,
    operation: 'getKubeconfig',
    handler: () => import('./get-kubeconfig.ts'),
  },
  { method: 'GET', path: '/v1/secrets', operation: 'listSecrets', handler: () => import('./list-secrets.ts') },
  {
    method: 'PUT',
    path: '/v1/secrets/{namespace}/{name}',
    operation: 'putSecret',
    handler: () => import('./put-secret.ts'),
  },
  {
    method: 'DELETE',
    path: '/v1/secrets/{namespace}/{name}',
    operation: 'deleteSecret',
    handler: () => import('./delete-secret.ts'),
  },
  {
    method: 'PUT',
    path: '/v1/templates/{namespace}/{name}',
    operation: 'putTemplate',
    handler: () => import('./put-template.ts'),
  },
  {
    method: 'GET',
    path: '/v1/templates/{namespace}/{name}',
    operation: 'getTemplate',
    handler: () => import('./get-template.ts'),
  },
  {
    method: 'DELETE',
    path: '/v1/templates/{namespace}/{name}',
    operation: 'deleteTemplate',
    handler: () => import('./delete-template.ts'),
  },
  { method: 'GET', path: '/v1/roles', operation: 'listRoles', handler: () => import('./list-roles.ts') },
  { method: 'PUT', path: '/v1/roles/{name}', operation: 'putRole', handler: () => import('./put-role.ts') },
  { method: 'DELETE', path: '/v1/roles/{name}', operation: 'deleteRole', handler: () => import('./delete-role.ts') },
  { method: 'GET', path: '/v1/changes', operation: 'listChanges', handler: () => import('./list-changes.ts') },
  { method: 'GET', path: '/v1/whoami', operation: 'whoAmI', handler: () => import('./whoami.ts') },
  { method: 'GET', path: '/v1/openapi.json', operation: 'getOpenapi', handler: () => import('./get-openapi.ts') },
  {
    method: 'GET',
    path: '/v1/health',
    operation: 'getHealth',
    anonymous: true,
    handler: () => import('./get-health.ts'),
  },
  { method: 'GET', path: '/v1/version', operation: 'getVersion', handler: () => import('./get-version.ts') },
] as const satisfies readonly Route[];
