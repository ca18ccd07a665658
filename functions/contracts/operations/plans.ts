/** Operations on plans that were proposed, to be approved by a person, and the list of all that wait for one. */
import { PlanReport } from '../api-bodies.ts';
import { DocumentDiff } from '../http-documents.ts';
import * as parameters from '../http-parameters.ts';
import { InventoryPath, InventoryPlanPath } from '../inventory.ts';
import { ProposedPlanList, ProposedPlanRow, RejectRequest } from '../proposed-plans.ts';
import { WaitingPlanList } from '../waiting-plans.ts';
import {
  accepted,
  approver,
  ifChanged,
  manifest,
  type Operations,
  ok,
  okIfChanged,
  operator,
  verbBody,
  viewer,
  viewerAnywhere,
} from './operation.ts';
import { manifestVerb } from './verbs.ts';

const read = { method: 'GET', access: viewer, tag: 'manifests' } as const;

const rejection = {
  method: 'POST',
  access: operator,
  summary:
    'Reject a proposed plan, as an approver who says why, or withdraw it, as its author: it can no longer be approved',
  body: verbBody('why', RejectRequest, false),
  answers: ok('the plan, as it is listed', ProposedPlanRow),
  problems: [400, 404, 409, 413],
} as const;

export const decisions = {
  approveManifest: {
    ...manifestVerb(
      'approve',
      'Approve a proposed plan: exactly this plan is carried out, or nothing if anything has changed',
    ),
    access: approver,
    body: verbBody('which plan', parameters.ApproveRequest),
    answers: {
      200: accepted('that is already done or in progress; nothing was started'),
      202: accepted('a run carries out the plan'),
    },
    problems: [400, 404, 409, 412, 413, 422],
  },
  rejectPlan: {
    ...rejection,
    tag: 'manifests',
    path: `${manifest}/plans/{plan}/reject`,
    params: parameters.StoredPlanPath,
  },
  rejectInventoryPlan: {
    ...rejection,
    tag: 'inventory',
    path: '/v1/inventory/{namespace}/plans/{plan}/reject',
    params: InventoryPlanPath,
  },
} as const satisfies Operations;

export const planOperations = {
  listPlans: {
    ...read,
    path: `${manifest}/plans`,
    params: parameters.ManifestPath,
    summary: 'List the plans that were proposed, newest first',
    headers: ifChanged,
    answers: okIfChanged('plans and their results', ProposedPlanList),
    problems: [400],
  },
  getPlan: {
    ...read,
    path: `${manifest}/plans/{plan}`,
    params: parameters.StoredPlanPath,
    summary: 'Show what a proposed plan would do now; its id changes when anything it is based on has changed',
    answers: ok('the plan', PlanReport),
    problems: [400, 404, 409],
  },
  diffPlan: {
    ...read,
    path: `${manifest}/plans/{plan}/diff`,
    params: parameters.StoredPlanPath,
    summary: 'Show how the document of a proposed plan differs from the stored one',
    answers: ok('the differences, in words and line by line', DocumentDiff),
    problems: [400, 404, 409],
  },
  listInventoryPlans: {
    ...read,
    path: '/v1/inventory/{namespace}/plans',
    tag: 'inventory',
    params: InventoryPath,
    summary: 'List the roll-outs that were proposed, newest first',
    headers: ifChanged,
    answers: okIfChanged('plans and their results', ProposedPlanList),
    problems: [400, 409],
  },
  listWaitingPlans: {
    method: 'GET',
    path: '/v1/plans',
    access: viewerAnywhere,
    tag: 'manifests',
    summary:
      'List the plans that wait for an approval, of all manifests and inventories that you may see, newest first',
    query: parameters.NamespaceQuery,
    headers: ifChanged,
    answers: okIfChanged('plans that still fit what is stored', WaitingPlanList),
    problems: [400],
  },
} as const satisfies Operations;
