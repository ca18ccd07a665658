/** Operations on manifests: their documents, generations and checks. */
import { z } from 'zod';
import * as http from '../api-bodies.ts';
import { FleetQuery } from '../fleet.ts';
import {
  CheckAccepted,
  Generation,
  GenerationDiff,
  GenerationList,
  ProviderCheck,
  ProviderInstancePage,
} from '../http-documents.ts';
import * as parameters from '../http-parameters.ts';
import {
  accepted,
  boundToPlan,
  document,
  etagHeaders,
  ifChanged,
  manifest,
  type Operations,
  ok,
  okIfChanged,
  operator,
  viewer,
  viewerAnywhere,
} from './operation.ts';

const ofManifest = { path: manifest, tag: 'manifests', params: parameters.ManifestPath } as const;
const read = { ...ofManifest, method: 'GET', access: viewer, problems: [400, 404] } as const;
const conditional = boundToPlan.extend({
  'If-None-Match': z.literal('*').optional().describe('only create, never replace'),
});
export const manifestOperations = {
  listManifests: {
    method: 'GET',
    path: '/v1/manifests',
    access: viewerAnywhere,
    tag: 'manifests',
    summary:
      'List manifests with their status: filtered, sorted and counted on request; `proposed`, on the first page: plans that create one that does not exist yet',
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
      200: accepted('the same document is already done or in progress; nothing was started'),
      202: accepted('stored; a run applies it to the clusters'),
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
    headers: boundToPlan,
    answers: {
      200: accepted('it is already being deleted, or was only proposed; nothing was started'),
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
  listProviders: {
    method: 'GET',
    path: '/v1/providers',
    access: viewerAnywhere,
    tag: 'manifests',
    summary:
      'List the provider instances of manifests: type, names of Secrets and templates, and the pools that use them',
    query: parameters.NamespacedPageQuery,
    headers: ifChanged,
    answers: okIfChanged('the instances of a page of manifests', ProviderInstancePage),
    problems: [400],
  },
  checkProvider: {
    ...ofManifest,
    method: 'POST',
    access: operator,
    params: parameters.ProviderPath,
    path: `${manifest}/providers/{provider}/check`,
    summary: 'Test the credentials of a provider instance: identity, permissions, quotas; changes nothing',
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

export const generationOperations = {
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
} as const satisfies Operations;
