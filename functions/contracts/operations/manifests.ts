/** Operations on manifests: their documents, verbs, generations and checks. */
import { z } from 'zod';
import * as http from '../api-bodies.ts';
import { FleetQuery } from '../fleet.ts';
import {
  CheckAccepted,
  Generation,
  GenerationDiff,
  GenerationList,
  ProposedPlanList,
  ProviderCheck,
  ProviderInstancePage,
} from '../http-documents.ts';
import * as parameters from '../http-parameters.ts';
import {
  accepted,
  approver,
  document,
  etagHeaders,
  ifChanged,
  manifest,
  type Operations,
  ok,
  okIfChanged,
  operator,
  planHeader,
  verbBody,
  viewer,
  viewerAnywhere,
} from './operation.ts';

const ofManifest = { path: manifest, tag: 'manifests', params: parameters.ManifestPath } as const;
const read = { ...ofManifest, method: 'GET', access: viewer, problems: [400, 404] } as const;
const ifMatch = z.object({ 'If-Match': z.string().optional().describe('`ETag` of the version to change') });
const bound = ifMatch.extend(planHeader);
const conditional = bound.extend({
  'If-None-Match': z.literal('*').optional().describe('only create, never replace'),
});
/** A verb on a manifest; the request may name the version that it is about. */
const verb = <const Name extends string>(name: Name, summary: string) =>
  ({
    ...ofManifest,
    path: `${manifest}/${name}`,
    method: 'POST',
    access: operator,
    headers: ifMatch,
    summary,
    problems: [400, 404, 409, 412],
  }) as const;

export const manifestOperations = {
  listManifests: {
    method: 'GET',
    path: '/v1/manifests',
    access: viewerAnywhere,
    tag: 'manifests',
    summary: 'List manifests with their status: all, or those that fit filters, in an order, counted',
    query: FleetQuery,
    headers: ifChanged,
    answers: okIfChanged('a page of manifests', http.ManifestPage),
    problems: [400],
  },
  putManifest: {
    ...ofManifest,
    method: 'PUT',
    access: operator,
    summary: 'Create or change a manifest and start a run towards it',
    headers: conditional,
    body: document('an InputManifest'),
    answers: {
      200: accepted('the same document is done or under way already; nothing was started'),
      202: accepted('stored; a run brings the clusters to it'),
    },
    problems: [400, 409, 412, 413, 422],
  },
  getManifest: {
    ...read,
    summary: 'Show a manifest, its clusters, nodes, progress and failures',
    answers: { 200: { description: 'everything', schema: http.ManifestDescription, headers: etagHeaders } },
  },
  deleteManifest: {
    ...ofManifest,
    method: 'DELETE',
    access: operator,
    summary: 'Delete everything that was created for a manifest, then the manifest',
    query: parameters.DeleteQuery,
    headers: bound,
    answers: {
      200: accepted('it is being deleted already; nothing was started'),
      202: accepted('a run deletes it'),
    },
    problems: [400, 404, 409, 412, 422],
  },
  planManifest: {
    ...ofManifest,
    path: `${manifest}/plan`,
    method: 'POST',
    access: viewer,
    summary: 'Show what would happen; changes nothing',
    query: parameters.PlanQuery,
    body: document(
      'an InputManifest; Secrets and TemplateGitReferences next to it count as stored. Without a body, the stored one',
      false,
    ),
    answers: ok('the path of waypoints of each cluster, or why it is refused', http.PlanReport),
    problems: [400, 404, 409, 413, 422],
  },
  retryManifest: {
    ...verb('retry', 'Retry what failed, from where it stopped'),
    body: verbBody('where to start', parameters.RetryRequest, false),
    answers: { 202: accepted('a new attempt was started') },
    problems: [400, 404, 409, 412, 413],
  },
  cancelManifest: {
    ...verb('cancel', 'Cancel the run under way; it ends in a state that works'),
    answers: { 202: accepted('the run stops as soon as it can') },
  },
  pauseManifest: {
    ...verb('pause', 'Start no more runs; a run under way stops after its waypoint'),
    answers: { 202: accepted('it is paused') },
  },
  resumeManifest: {
    ...verb('resume', 'Start what waits, and new changes from now on'),
    answers: { 202: accepted('it is resumed') },
  },
  driftManifest: {
    ...verb('drift', 'Check for drift now; report it, or repair it if requested or configured'),
    body: verbBody('whether drift is repaired', parameters.DriftRequest, false),
    answers: { 202: accepted('a check was started') },
    problems: [400, 404, 409, 412, 413],
  },
  scaleManifest: {
    ...verb(
      'scale',
      'Ask for sizes: of autoscaled pools within their bounds, where the document stays as it is, or of machine groups, where the next generation has them',
    ),
    body: verbBody('which sizes', parameters.ScaleRequest),
    answers: {
      200: accepted('the pools have these sizes, or get them already; nothing was started'),
      202: accepted('a new attempt was started'),
    },
    problems: [400, 404, 409, 412, 413],
  },
  replaceNodes: {
    ...verb('replace', 'Replace nodes: others are created first, and removed again if that fails'),
    body: verbBody('which nodes', parameters.ReplaceRequest),
    answers: {
      200: accepted('the nodes are being replaced already; nothing was started'),
      202: accepted('a new attempt was started'),
    },
    problems: [400, 404, 409, 412, 413],
  },
  rollbackManifest: {
    ...verb('rollback', 'Go back to an earlier document, as a new generation'),
    headers: bound,
    body: { description: 'which generation', required: false, schema: parameters.RollbackRequest },
    answers: {
      200: accepted('it is the present document, done or under way; nothing was started'),
      202: accepted('stored; a run brings the clusters to it'),
    },
    problems: [400, 404, 409, 412, 422],
  },
  approveManifest: {
    ...verb('approve', 'Approve a proposed plan: exactly that is carried out, unless something moved'),
    access: approver,
    body: verbBody('which plan', parameters.ApproveRequest),
    answers: {
      200: accepted('that is done or under way already; nothing was started'),
      202: accepted('a run carries out the plan'),
    },
    problems: [400, 404, 409, 412, 413, 422],
  },
  listPlans: {
    ...read,
    path: `${manifest}/plans`,
    summary: 'List the plans that were proposed, newest first',
    answers: ok('plans and what became of them', ProposedPlanList),
    problems: [400],
  },
  getPlan: {
    ...read,
    path: `${manifest}/plans/{plan}`,
    params: parameters.StoredPlanPath,
    summary: 'Show what a proposed plan would do now; its id is another one when something moved',
    answers: ok('the plan', http.PlanReport),
    problems: [400, 404, 409],
  },
  listGenerations: {
    ...read,
    path: `${manifest}/generations`,
    summary: 'List the newest document of a manifest and up to ten before it: when, by whom, why, what changed',
    answers: ok('newest first', GenerationList),
  },
  getGeneration: {
    ...read,
    path: `${manifest}/generations/{generation}`,
    params: parameters.GenerationPath,
    summary: 'Get the document of a generation',
    answers: ok('the document', Generation),
  },
  diffGenerations: {
    ...read,
    path: `${manifest}/generations/{generation}/diff`,
    params: parameters.GenerationPath,
    query: parameters.DiffQuery,
    summary: 'Show how the document of a generation differs from an earlier or later one',
    answers: ok('the differences, in words and line by line', GenerationDiff),
  },
  listProviders: {
    method: 'GET',
    path: '/v1/providers',
    access: viewerAnywhere,
    tag: 'manifests',
    summary: 'List the provider instances of manifests: type, names of Secrets and templates, where they make pools',
    query: parameters.NamespacedPageQuery,
    answers: ok('those of a page of manifests', ProviderInstancePage),
    problems: [400],
  },
  checkProvider: {
    ...ofManifest,
    method: 'POST',
    access: operator,
    params: parameters.ProviderPath,
    path: `${manifest}/providers/{provider}/check`,
    summary: 'Try the credentials of a provider instance: identity, permissions, quotas; changes nothing',
    answers: { 202: { description: 'a check was started', schema: CheckAccepted } },
    problems: [400, 404, 409],
  },
  getProviderCheck: {
    ...read,
    path: `${manifest}/providers/{provider}/checks/{check}`,
    params: parameters.CheckPath,
    summary: 'Show the findings of a check of credentials',
    answers: ok('the check', ProviderCheck),
  },
  validate: {
    method: 'POST',
    path: '/v1/validate',
    access: viewerAnywhere,
    tag: 'manifests',
    summary: 'Check documents of any kind; changes nothing',
    body: document('one or more documents'),
    answers: ok('every fault of every document', http.ValidationReport),
    problems: [400, 413],
  },
} as const satisfies Operations;
