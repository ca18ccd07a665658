/** Operations on runs, their events and logs, and the clusters. */
import { z } from 'zod';
import * as http from '../api-bodies.ts';
import * as parameters from '../http-parameters.ts';
import { type Operations, ok, operator, viewer } from './operation.ts';

const manifest = '/v1/manifests/{namespace}/{name}';
const run = `${manifest}/runs/{run}`;
const logHeaders = z.object({
  [http.headerNames.nextOffset]: z.string().describe('`offset` of the next piece'),
  [http.headerNames.ended]: z.enum(['true', 'false']).describe('nothing follows'),
});

export const runOperations = {
  listRuns: {
    method: 'GET',
    path: `${manifest}/runs`,
    access: viewer,
    tag: 'runs',
    summary: 'List the runs of a manifest, newest first',
    params: parameters.ManifestPath,
    query: parameters.PageQuery,
    answers: ok('a page of runs', http.RunPage),
    problems: [400, 404],
  },
  getRun: {
    method: 'GET',
    path: run,
    access: viewer,
    tag: 'runs',
    summary: 'Show a run',
    params: parameters.RunPath,
    answers: ok('the run', http.Run),
    problems: [400, 404],
  },
  listEvents: {
    method: 'GET',
    path: `${manifest}/events`,
    access: viewer,
    tag: 'runs',
    summary: 'List what happened to a manifest, oldest first; follow by asking again with `next`',
    params: parameters.ManifestPath,
    query: parameters.PageQuery,
    answers: ok('a page of events', http.EventPage),
    problems: [400, 404],
  },
  listLogs: {
    method: 'GET',
    path: `${run}/logs`,
    access: viewer,
    tag: 'runs',
    summary: 'List the logs that the stages of a run left',
    params: parameters.RunPath,
    answers: ok('the logs', http.LogList),
    problems: [400, 404],
  },
  getLog: {
    method: 'GET',
    path: `${run}/logs/{cluster}/{waypoint}/{stage}/{attempt}`,
    access: viewer,
    tag: 'runs',
    summary: 'Read a log from an offset on',
    params: parameters.LogPath,
    query: parameters.LogQuery,
    answers: {
      200: { description: 'a piece of text', schema: z.string(), media: 'text/plain', headers: logHeaders },
    },
    problems: [400, 404],
  },
  getKubeconfig: {
    method: 'GET',
    path: `${manifest}/clusters/{cluster}/kubeconfig`,
    access: operator,
    tag: 'clusters',
    summary: 'Get the kubeconfig of a cluster, by its id or name',
    params: parameters.ClusterPath,
    answers: { 200: { description: 'the kubeconfig', schema: z.string(), media: 'application/yaml' } },
    problems: [400, 404],
  },
} as const satisfies Operations;
