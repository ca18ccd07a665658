/** Operations on GitSources: repositories whose manifests the installation fetches itself. */
import * as sources from '../git-sources.ts';
import { NamespaceQuery } from '../http-parameters.ts';
import {
  bodyLimits,
  document,
  ifChanged,
  type Operations,
  ok,
  okIfChanged,
  operator,
  viewer,
  viewerAnywhere,
} from './operation.ts';

const ofSource = {
  tag: 'git sources',
  path: '/v1/git-sources/{namespace}/{name}',
  params: sources.GitSourcePath,
} as const;

export const gitSourceOperations = {
  listGitSources: {
    tag: 'git sources',
    path: '/v1/git-sources',
    method: 'GET',
    access: viewerAnywhere,
    summary: 'List GitSources and the results of their commits',
    query: NamespaceQuery,
    headers: ifChanged,
    answers: okIfChanged('GitSources', sources.GitSourceList),
    problems: [400],
  },
  putGitSource: {
    ...ofSource,
    method: 'PUT',
    access: operator,
    summary: 'Store a GitSource. Its repository is read at once, with the rights of the caller in its namespace',
    body: { ...document('a GitSource'), maxBytes: bodyLimits.document },
    answers: ok('stored', sources.GitSourceSummary),
    problems: [400, 409, 413, 422],
  },
  getGitSource: {
    ...ofSource,
    method: 'GET',
    access: viewer,
    summary: 'Get a GitSource with its status',
    answers: ok('document and status', sources.GitSourceDescription),
    problems: [400, 404],
  },
  deleteGitSource: {
    ...ofSource,
    method: 'DELETE',
    access: operator,
    summary: 'Delete a GitSource; the manifests that it submitted stay',
    answers: { 204: { description: 'gone' } },
    problems: [400, 404],
  },
  syncGitSource: {
    ...ofSource,
    path: '/v1/git-sources/{namespace}/{name}/sync',
    method: 'POST',
    access: operator,
    summary: 'Read the repository now, and submit its commit again even if it is known',
    answers: ok('it is due', sources.GitSourceSummary),
    problems: [400, 404, 409],
  },
} as const satisfies Operations;
