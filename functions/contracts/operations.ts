/** What each operation of the API takes and answers: one table, read by the OpenAPI document and its tests. */
import { z } from 'zod';
import * as http from './api-bodies.ts';
import { documentOperations } from './document-operations.ts';
import { CheckAccepted, ProviderCheck } from './http-checks.ts';
import { DriftRequest } from './http-drift.ts';
import { generationOperations } from './http-generations.ts';
import * as parameters from './http-parameters.ts';
import { type Answer, document, type Operation, ok } from './operation.ts';

const tagHeader = z.object({
  ETag: z.string().describe('changes with every accepted document and attempt; for `If-Match`'),
});
const ifMatch = z.object({ 'If-Match': z.string().optional().describe('`ETag` of the version that is to be changed') });
const conditional = ifMatch.extend({
  'If-None-Match': z.literal('*').optional().describe('only create, never replace'),
});
const logHeaders = z.object({
  [http.headerNames.nextOffset]: z.string().describe('`offset` of the next piece'),
  [http.headerNames.ended]: z.enum(['true', 'false']).describe('nothing follows'),
});
const accepted = (description: string): Answer => ({ description, schema: http.ManifestAccepted, headers: tagHeader });

export const operations: Readonly<Record<string, Operation>> = {
  listManifests: {
    tag: 'manifests',
    summary: 'List manifests with their status',
    query: parameters.NamespacedPageQuery,
    answers: ok('a page of manifests', http.ManifestPage),
    problems: [400],
  },
  putManifest: {
    tag: 'manifests',
    summary: 'Create or change a manifest and start to make it true',
    path: parameters.ManifestPath,
    headers: conditional,
    body: document('an InputManifest'),
    answers: {
      200: accepted('the same document is done or under way already; nothing was started'),
      202: accepted('stored; a run makes it true'),
    },
    problems: [400, 409, 412, 413, 422],
  },
  getManifest: {
    tag: 'manifests',
    summary: 'Show a manifest, its clusters, nodes, progress and failures',
    path: parameters.ManifestPath,
    answers: { 200: { description: 'everything', schema: http.ManifestDescription, headers: tagHeader } },
    problems: [400, 404],
  },
  deleteManifest: {
    tag: 'manifests',
    summary: 'Delete everything that a manifest made, then the manifest',
    path: parameters.ManifestPath,
    query: parameters.DeleteQuery,
    headers: ifMatch,
    answers: {
      200: accepted('it is being deleted already; nothing was started'),
      202: accepted('a run deletes it'),
    },
    problems: [400, 404, 409, 412, 422],
  },
  planManifest: {
    tag: 'manifests',
    summary: 'Show what would happen; changes nothing',
    path: parameters.ManifestPath,
    query: parameters.PlanQuery,
    body: document(
      'an InputManifest; Secrets and TemplateGitReferences beside it count as stored. Without a body, the stored one',
      false,
    ),
    answers: ok('the path of waypoints of each cluster, or what keeps it from being walked', http.PlanReport),
    problems: [400, 404, 409, 413, 422],
  },
  retryManifest: {
    tag: 'manifests',
    summary: 'Try again what failed, from where it stopped',
    path: parameters.ManifestPath,
    headers: ifMatch,
    body: { description: 'where to begin', required: false, schema: http.RetryRequest },
    answers: { 202: accepted('a new attempt was started') },
    problems: [400, 404, 409, 412, 413],
  },
  cancelManifest: {
    tag: 'manifests',
    summary: 'Stop what is under way; it ends in a state that works',
    path: parameters.ManifestPath,
    headers: ifMatch,
    answers: { 202: accepted('the run stops as soon as it can') },
    problems: [400, 404, 409, 412],
  },
  pauseManifest: {
    tag: 'manifests',
    summary: 'Start nothing any more; a run under way stops after its waypoint',
    path: parameters.ManifestPath,
    headers: ifMatch,
    answers: { 202: accepted('it is paused') },
    problems: [400, 404, 409, 412],
  },
  resumeManifest: {
    tag: 'manifests',
    summary: 'Start what waits, and what comes from now on',
    path: parameters.ManifestPath,
    headers: ifMatch,
    answers: { 202: accepted('it is resumed') },
    problems: [400, 404, 409, 412],
  },
  driftManifest: {
    tag: 'manifests',
    summary: 'Compare what stands with what was made, and make it again if that is wished for',
    path: parameters.ManifestPath,
    headers: ifMatch,
    body: { description: 'whether it is repaired', required: false, schema: DriftRequest },
    answers: { 202: accepted('a check was started') },
    problems: [400, 404, 409, 412, 413],
  },
  rollbackManifest: {
    tag: 'manifests',
    summary: 'Go back to an earlier document, as a new generation',
    path: parameters.ManifestPath,
    headers: ifMatch,
    body: { description: 'which generation', required: false, schema: http.RollbackRequest },
    answers: { 202: accepted('stored; a run makes it true') },
    problems: [400, 404, 409, 412, 422],
  },
  ...generationOperations,
  checkProvider: {
    tag: 'manifests',
    summary: 'Try the credentials of a provider instance: identity, permissions, quotas; changes nothing',
    path: parameters.ProviderPath,
    answers: { 202: { description: 'a check was started', schema: CheckAccepted } },
    problems: [400, 404, 409],
  },
  getProviderCheck: {
    tag: 'manifests',
    summary: 'See what a check of credentials found',
    path: parameters.CheckPath,
    answers: ok('the check', ProviderCheck),
    problems: [400, 404],
  },
  validate: {
    tag: 'manifests',
    summary: 'Check InputManifest, Secret and TemplateGitReference documents; changes nothing',
    body: document('one or more documents'),
    answers: ok('every fault of every document', http.ValidationReport),
    problems: [400, 413],
  },
  listRuns: {
    tag: 'runs',
    summary: 'List the runs of a manifest, newest first',
    path: parameters.ManifestPath,
    query: parameters.PageQuery,
    answers: ok('a page of runs', http.RunPage),
    problems: [400, 404],
  },
  getRun: {
    tag: 'runs',
    summary: 'Show a run',
    path: parameters.RunPath,
    answers: ok('the run', http.Run),
    problems: [400, 404],
  },
  listEvents: {
    tag: 'runs',
    summary: 'List what happened to a manifest, oldest first; follow by asking again with `next`',
    path: parameters.ManifestPath,
    query: parameters.PageQuery,
    answers: ok('a page of events', http.EventPage),
    problems: [400, 404],
  },
  listLogs: {
    tag: 'runs',
    summary: 'List the logs that the stages of a run left',
    path: parameters.RunPath,
    answers: ok('the logs', http.LogList),
    problems: [400, 404],
  },
  getLog: {
    tag: 'runs',
    summary: 'Read a log from an offset on',
    path: parameters.LogPath,
    query: parameters.LogQuery,
    answers: {
      200: { description: 'a piece of text', schema: z.string(), media: 'text/plain', headers: logHeaders },
    },
    problems: [400, 404],
  },
  getKubeconfig: {
    tag: 'clusters',
    summary: 'Get the kubeconfig of a cluster, by its id or name',
    path: parameters.ClusterPath,
    answers: { 200: { description: 'the kubeconfig', schema: z.string(), media: 'application/yaml' } },
    problems: [400, 404],
  },
  ...documentOperations,
  getOpenapi: {
    tag: 'service',
    summary: 'This document',
    answers: ok('OpenAPI 3.1', z.record(z.string(), z.unknown())),
    problems: [],
  },
  getHealth: {
    tag: 'service',
    summary: 'See whether the API answers',
    answers: ok('it does', http.Health),
    problems: [],
  },
  getVersion: {
    tag: 'service',
    summary: 'Show the version and the provider types that can be built',
    answers: ok('version', http.Version),
    problems: [],
  },
};
