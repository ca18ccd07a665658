/** Operations on the other documents: Secrets and templates. */
import * as documents from '../http-documents.ts';
import * as parameters from '../http-parameters.ts';
import { bodyLimits, document, type Operations, ok, operator, viewer, viewerAnywhere } from './operation.ts';

const secret = '/v1/secrets/{namespace}/{name}';
const template = '/v1/templates/{namespace}/{name}';

export const documentOperations = {
  listSecrets: {
    method: 'GET',
    path: '/v1/secrets',
    access: viewerAnywhere,
    tag: 'secrets',
    summary: 'List the names of Secrets; values cannot be read back',
    query: parameters.NamespaceQuery,
    answers: ok('names', documents.SecretList),
    problems: [400],
  },
  putSecret: {
    method: 'PUT',
    path: secret,
    access: operator,
    tag: 'secrets',
    summary: 'Store a Secret',
    params: parameters.DocumentPath,
    body: { ...document('a Secret'), maxBytes: bodyLimits.secret },
    answers: ok('stored', documents.SecretStored),
    problems: [400, 413, 422],
  },
  deleteSecret: {
    method: 'DELETE',
    path: secret,
    access: operator,
    tag: 'secrets',
    summary: 'Delete a Secret that no manifest uses',
    params: parameters.DocumentPath,
    answers: { 204: { description: 'gone' } },
    problems: [400, 404, 409],
  },
  putTemplate: {
    method: 'PUT',
    path: template,
    access: operator,
    tag: 'templates',
    summary: 'Store a TemplateGitReference',
    params: parameters.DocumentPath,
    body: { ...document('a TemplateGitReference'), maxBytes: bodyLimits.document },
    answers: ok('stored', documents.TemplateStored),
    problems: [400, 413, 422],
  },
  getTemplate: {
    method: 'GET',
    path: template,
    access: viewer,
    tag: 'templates',
    summary: 'Get a TemplateGitReference',
    params: parameters.DocumentPath,
    answers: ok('the document', documents.TemplateDocument),
    problems: [400, 404],
  },
  deleteTemplate: {
    method: 'DELETE',
    path: template,
    access: operator,
    tag: 'templates',
    summary: 'Delete a TemplateGitReference that no manifest uses',
    params: parameters.DocumentPath,
    answers: { 204: { description: 'gone' } },
    problems: [400, 404, 409],
  },
} as const satisfies Operations;
