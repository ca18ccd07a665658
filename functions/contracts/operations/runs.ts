/** Operations on runs, their events and logs, and the clusters. */
import { z } from 'zod';
import { KubeconfigRequest, SshRequest } from '../access-requests.ts';
import { FeedPage } from '../all-events.ts';
import * as http from '../api-bodies.ts';
import { AccessAccepted, IssuedKubeconfig, SshAccess, StateAccess } from '../http-documents.ts';
import * as parameters from '../http-parameters.ts';
import { Live } from '../live.ts';
import { RunPlan } from '../run-plan.ts';
import { StateEditRequest } from '../state-edits.ts';
import { StateRequest } from '../state-reading.ts';
import {
  accepted,
  bodyLimits,
  ifChanged,
  ifMatch,
  manifest,
  type Operations,
  ok,
  okIfChanged,
  operator,
  viewer,
  viewerAnywhere,
} from './operation.ts';

const run = `${manifest}/runs/{run}` as const;
const read = { method: 'GET', access: viewer, tag: 'runs', problems: [400, 404] } as const;
const page = { ...read, params: parameters.ManifestPath, query: parameters.PageQuery } as const;
const ofCluster = { access: viewer, tag: 'clusters', params: parameters.ClusterPath } as const;
const logHeaders = z.object({
  [http.headerNames.nextOffset]: z.string().describe('`offset` of the next piece'),
  [http.headerNames.ended]: z.enum(['true', 'false']).describe('nothing follows'),
});

export const runOperations = {
  listRuns: {
    ...page,
    path: `${manifest}/runs`,
    summary: 'List the runs of a manifest, newest first',
    answers: ok('a page of runs', http.RunPage),
  },
  getRun: {
    ...read,
    path: run,
    params: parameters.RunPath,
    summary: 'Show a run',
    answers: ok('the run', http.Run),
  },
  getRunPlan: {
    ...read,
    path: `${run}/plan`,
    params: parameters.RunPath,
    summary: 'Show the path of a run: every waypoint of each cluster in words, also future ones',
    answers: ok(
      'the path; without clusters when the run started nothing, or when an older release started it',
      RunPlan,
    ),
  },
  listEvents: {
    ...page,
    path: `${manifest}/events`,
    summary: 'List the events of a manifest, oldest first; follow them by requesting again with `next`',
    headers: ifChanged,
    answers: okIfChanged('a page of events', http.EventPage),
  },
  getLive: {
    ...read,
    path: `${manifest}/live`,
    params: parameters.ManifestPath,
    summary: 'Show a manifest as it is now and what happened since; with `If-None-Match` only if anything changed',
    query: parameters.LiveQuery,
    headers: ifChanged,
    answers: okIfChanged('the manifest and its new events', Live),
  },
  listAllEvents: {
    ...read,
    path: '/v1/events',
    access: viewerAnywhere,
    problems: [400],
    summary: 'List the events of all manifests that you may see, in an order that never changes, or the newest first',
    query: parameters.FeedQuery,
    headers: ifChanged,
    answers: okIfChanged('a page of events', FeedPage),
  },
  listChanges: {
    ...read,
    path: '/v1/changes',
    access: viewerAnywhere,
    tag: 'access',
    problems: [400],
    summary: 'See who changed Secrets and templates of a namespace; without one, roles',
    query: parameters.NamespacedPageQuery,
    headers: ifChanged,
    answers: okIfChanged('a page of events', http.EventPage),
  },
  listLogs: {
    ...read,
    path: `${run}/logs`,
    params: parameters.RunPath,
    summary: 'List the logs that the stages of a run left',
    answers: ok('the logs', http.LogList),
  },
  getLog: {
    ...read,
    path: `${run}/logs/{cluster}/{waypoint}/{stage}/{attempt}`,
    params: parameters.LogPath,
    summary: 'Read a log from an offset on',
    query: parameters.LogQuery,
    answers: {
      200: { description: 'a piece of text', schema: z.string(), media: 'text/plain', headers: logHeaders },
    },
  },
  getKubeconfig: {
    ...read,
    path: `${manifest}/clusters/{cluster}/kubeconfig`,
    access: operator,
    tag: 'clusters',
    params: parameters.ClusterPath,
    summary: 'Get the kubeconfig of a cluster, by its id or name',
    problems: [400, 404, 409],
    answers: { 200: { description: 'the kubeconfig', schema: z.string(), media: 'application/yaml' } },
  },
} as const satisfies Operations;

export const clusterAccessOperations = {
  requestKubeconfig: {
    ...ofCluster,
    path: `${manifest}/clusters/{cluster}/kubeconfig`,
    method: 'POST',
    summary: 'Request a client certificate of your own: `view` for viewers, `edit` and `admin` for operators',
    body: { description: 'role, time and certificate request', required: true, schema: KubeconfigRequest },
    answers: { 202: { description: 'the cluster is asked to sign it', schema: AccessAccepted } },
    problems: [400, 404, 409, 413],
  },
  getIssuedKubeconfig: {
    ...ofCluster,
    path: `${manifest}/clusters/{cluster}/kubeconfig/{id}`,
    method: 'GET',
    params: parameters.AccessPath,
    summary: 'Get the result of your request for a client certificate; only the requester can read it',
    answers: ok('the certificate, once it is issued', IssuedKubeconfig),
    problems: [400, 404],
  },
  requestSshAccess: {
    ...ofCluster,
    path: `${manifest}/clusters/{cluster}/ssh-access`,
    method: 'POST',
    access: operator,
    summary: 'Grant an SSH key access to nodes as root for a limited time',
    body: { description: 'key, time and nodes', required: true, schema: SshRequest },
    answers: { 202: { description: 'the nodes are visited', schema: AccessAccepted } },
    problems: [400, 404, 409, 413],
  },
  getSshAccess: {
    ...ofCluster,
    path: `${manifest}/clusters/{cluster}/ssh-access/{id}`,
    method: 'GET',
    access: operator,
    params: parameters.AccessPath,
    summary: 'Get the result of your request for SSH access; only the requester can read it',
    answers: ok('the nodes and how to log in, once access is granted', SshAccess),
    problems: [400, 404],
  },
} as const satisfies Operations;

export const stateOperations = {
  requestState: {
    ...ofCluster,
    path: `${manifest}/clusters/{cluster}/state`,
    method: 'POST',
    access: operator,
    summary: 'Request what Terraform knows of a cluster: its resources, or what identifies one of them',
    body: { description: 'which resource', required: false, schema: StateRequest },
    answers: { 202: { description: 'the states are read', schema: AccessAccepted } },
    problems: [400, 404, 409, 413],
  },
  getState: {
    ...ofCluster,
    path: `${manifest}/clusters/{cluster}/state/{id}`,
    method: 'GET',
    access: operator,
    params: parameters.AccessPath,
    summary: 'Get the result of your request for what Terraform knows; only the requester can read it',
    answers: ok('the resources, once they are read', StateAccess),
    problems: [400, 404],
  },
  editState: {
    ...ofCluster,
    path: `${manifest}/clusters/{cluster}/state-edits`,
    method: 'POST',
    access: operator,
    headers: ifMatch,
    summary:
      'Remove, move or import resources in a Terraform state of a cluster, in a run of its own; nothing of the cloud is touched',
    body: {
      description: 'what is edited, in which state',
      required: true,
      schema: StateEditRequest,
      maxBytes: bodyLimits.document,
    },
    answers: { 202: accepted('a run edits the state; the state of before is kept') },
    problems: [400, 404, 409, 412, 413],
  },
} as const satisfies Operations;
