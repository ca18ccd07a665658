/** Operations on Secrets, templates and roles, and what tells who changed them. */
import { RoleBinding } from '#domain/manifest/role-binding.ts';
import * as http from './api-bodies.ts';
import * as documents from './http-documents.ts';
import * as parameters from './http-parameters.ts';
import { document, type Operation, ok } from './operation.ts';

export const documentOperations: Readonly<Record<string, Operation>> = {
  listSecrets: {
    tag: 'secrets',
    summary: 'List the names of Secrets; values cannot be read back',
    query: parameters.NamespaceQuery,
    answers: ok('names', documents.SecretList),
    problems: [400],
  },
  putSecret: {
    tag: 'secrets',
    summary: 'Store a Secret',
    path: parameters.DocumentPath,
    body: document('a Secret'),
    answers: ok('stored', documents.SecretStored),
    problems: [400, 413, 422],
  },
  deleteSecret: {
    tag: 'secrets',
    summary: 'Delete a Secret that no manifest uses',
    path: parameters.DocumentPath,
    answers: { 204: { description: 'gone' } },
    problems: [400, 404, 409],
  },
  putTemplate: {
    tag: 'templates',
    summary: 'Store a TemplateGitReference',
    path: parameters.DocumentPath,
    body: document('a TemplateGitReference'),
    answers: ok('stored', documents.TemplateStored),
    problems: [400, 413, 422],
  },
  getTemplate: {
    tag: 'templates',
    summary: 'Get a TemplateGitReference',
    path: parameters.DocumentPath,
    answers: ok('the document', documents.TemplateDocument),
    problems: [400, 404],
  },
  deleteTemplate: {
    tag: 'templates',
    summary: 'Delete a TemplateGitReference that no manifest uses',
    path: parameters.DocumentPath,
    answers: { 204: { description: 'gone' } },
    problems: [400, 404, 409],
  },
  listRoles: {
    tag: 'access',
    summary: 'List who has which role where',
    answers: ok('all RoleBindings', documents.RoleList),
    problems: [],
  },
  putRole: {
    tag: 'access',
    summary: 'Give a role, or change to whom it is given',
    path: parameters.RolePath,
    body: document('a RoleBinding'),
    answers: ok('stored', RoleBinding),
    problems: [400, 413, 422],
  },
  deleteRole: {
    tag: 'access',
    summary: 'Take a role away',
    path: parameters.RolePath,
    answers: { 204: { description: 'gone' } },
    problems: [400, 404],
  },
  listChanges: {
    tag: 'access',
    summary: 'See who changed Secrets and templates of a namespace; without one, roles',
    query: parameters.NamespacedPageQuery,
    answers: ok('a page of events', http.EventPage),
    problems: [400],
  },
  whoAmI: {
    tag: 'access',
    summary: 'See who you are and what you may do where',
    answers: ok('the caller', documents.WhoAmI),
    problems: [],
  },
};
