/** Operations of verbs: actions on a stored manifest that do not change its document. */
import * as parameters from '../http-parameters.ts';
import { accepted, boundToPlan, ifMatch, manifest, type Operations, operator, verbBody } from './operation.ts';

/** A verb on a manifest; the request may name the version that it is about. */
export const manifestVerb = <const Name extends string>(name: Name, summary: string) =>
  ({
    path: `${manifest}/${name}`,
    tag: 'manifests',
    params: parameters.ManifestPath,
    method: 'POST',
    access: operator,
    headers: ifMatch,
    summary,
    problems: [400, 404, 409, 412],
  }) as const;

export const verbOperations = {
  retryManifest: {
    ...manifestVerb('retry', 'Retry what failed, from where it stopped'),
    body: verbBody('where to start', parameters.RetryRequest, false),
    answers: { 202: accepted('a new attempt was started') },
    problems: [400, 404, 409, 412, 413],
  },
  cancelManifest: {
    ...manifestVerb('cancel', 'Cancel the run in progress; the clusters end in a state that works'),
    answers: { 202: accepted('the run stops as soon as it can') },
  },
  pauseManifest: {
    ...manifestVerb('pause', 'Start no more runs; a run in progress stops after its waypoint'),
    answers: { 202: accepted('it is paused') },
  },
  resumeManifest: {
    ...manifestVerb('resume', 'End a pause: start the waiting run, and new changes from now on'),
    answers: { 202: accepted('it is resumed') },
  },
  driftManifest: {
    ...manifestVerb('drift', 'Check for drift now; report it, or repair it if requested or configured'),
    body: verbBody('whether drift is repaired', parameters.DriftRequest, false),
    answers: { 202: accepted('a check was started') },
    problems: [400, 404, 409, 412, 413],
  },
  rollbackManifest: {
    ...manifestVerb('rollback', 'Go back to an earlier document, as a new generation'),
    headers: boundToPlan,
    body: { description: 'which generation', required: false, schema: parameters.RollbackRequest },
    answers: {
      200: accepted('the document is the current one, done or in progress; nothing was started'),
      202: accepted('stored; a run applies it to the clusters'),
    },
    problems: [400, 404, 409, 412, 422],
  },
} as const satisfies Operations;

export const demandOperations = {
  scaleManifest: {
    ...manifestVerb(
      'scale',
      'Request sizes: of autoscaled pools within their bounds (the document stays as it is), or of machine groups (stored as the next generation)',
    ),
    body: verbBody('which sizes', parameters.ScaleRequest),
    answers: {
      200: accepted('the pools already have or get these sizes; nothing was started'),
      202: accepted('a new attempt was started'),
    },
    problems: [400, 404, 409, 412, 413],
  },
  replaceNodes: {
    ...manifestVerb('replace', 'Replace nodes: new ones are created first, and removed again if that fails'),
    body: verbBody('which nodes', parameters.ReplaceRequest),
    answers: {
      200: accepted('the nodes are already being replaced; nothing was started'),
      202: accepted('a new attempt was started'),
    },
    problems: [400, 404, 409, 412, 413],
  },
} as const satisfies Operations;
