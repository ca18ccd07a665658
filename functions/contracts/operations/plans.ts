/** Operations on plans that were proposed, to be approved by a person. */
import { PlanReport } from '../api-bodies.ts';
import { ProposedPlanList } from '../http-documents.ts';
import * as parameters from '../http-parameters.ts';
import { accepted, approver, manifest, type Operations, ok, verbBody, viewer } from './operation.ts';
import { manifestVerb } from './verbs.ts';

const read = { method: 'GET', access: viewer, tag: 'manifests' } as const;

export const planOperations = {
  approveManifest: {
    ...manifestVerb('approve', 'Approve a proposed plan: exactly that is carried out, unless something moved'),
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
    params: parameters.ManifestPath,
    summary: 'List the plans that were proposed, newest first',
    answers: ok('plans and what became of them', ProposedPlanList),
    problems: [400],
  },
  getPlan: {
    ...read,
    path: `${manifest}/plans/{plan}`,
    params: parameters.StoredPlanPath,
    summary: 'Show what a proposed plan would do now; its id is another one when something moved',
    answers: ok('the plan', PlanReport),
    problems: [400, 404, 409],
  },
} as const satisfies Operations;
