/** Operations on the other documents (Secrets, templates, roles), and on the service itself. */
import { z } from 'zod';
import { RoleBinding } from '#domain/manifest/role-binding.ts';
import { Health, Version } from '../api-bodies.ts';
import * as documents from '../http-documents.ts';
import * as parameters from '../http-parameters.ts';
import {
  admin,
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

const read = { method: 'GET', problems: [] } as const;
const ofCaller = { ...read, access: 'authenticated', tag: 'access' } as const;
const service = { ...ofCaller, tag: 'service' } as const;
const put = { method: 'PUT', access: operator, problems: [400, 413, 422] } as const;
const remove = {
  method: 'DELETE',
  access: operator,
  problems: [400, 404, 409],
  answers: { 204: { description: 'gone' } },
} as const;
const secret = { path: '/v1/secrets/{namespace}/{name}', tag: 'secrets', params: parameters.DocumentPath } as const;
const template = { ...secret, path: '/v1/templates/{namespace}/{name}', tag: 'templates' } as const;
const role = { path: '/v1/roles/{name}', access: admin, tag: 'access', params: parameters.RolePath } as const;

export const documentOperations = {
  listSecrets: {
    ...read,
    path: '/v1/secrets',
    access: viewerAnywhere,
    tag: 'secrets',
    problems: [400],
    summary: 'List the names of Secrets; values cannot be read back',
    query: parameters.NamespaceQuery,
    headers: ifChanged,
    answers: okIfChanged('names', documents.SecretList),
  },
  putSecret: {
    ...put,
    ...secret,
    summary: 'Store a Secret',
    body: { ...document('a Secret'), maxBytes: bodyLimits.secret },
    answers: ok('stored', documents.SecretStored),
  },
  deleteSecret: { ...remove, ...secret, summary: 'Delete a Secret that no manifest uses' },
  putTemplate: {
    ...put,
    ...template,
    summary: 'Store a TemplateGitReference',
    body: { ...document('a TemplateGitReference'), maxBytes: bodyLimits.document },
    answers: ok('stored', documents.TemplateStored),
  },
  listTemplates: {
    ...read,
    path: '/v1/templates/{namespace}',
    tag: 'templates',
    params: parameters.NamespacePath,
    access: viewer,
    problems: [400],
    summary: 'List the names of the TemplateGitReferences of a namespace',
    headers: ifChanged,
    answers: okIfChanged('names', documents.TemplateList),
  },
  getTemplate: {
    ...read,
    ...template,
    access: viewer,
    problems: [400, 404],
    summary: 'Get a TemplateGitReference',
    answers: ok('the document', documents.TemplateDocument),
  },
  deleteTemplate: { ...remove, ...template, summary: 'Delete a TemplateGitReference that no manifest uses' },
  listRoles: {
    ...read,
    path: '/v1/roles',
    access: admin,
    tag: 'access',
    summary: 'List who has which role where',
    headers: ifChanged,
    answers: okIfChanged('all RoleBindings', documents.RoleList),
  },
  putRole: {
    ...put,
    ...role,
    summary: 'Grant a role, or change its subjects',
    body: { ...document('a RoleBinding'), maxBytes: bodyLimits.document },
    answers: ok('stored', RoleBinding),
  },
  deleteRole: { ...remove, ...role, summary: 'Revoke a role', problems: [400, 404] },
} as const satisfies Operations;

export const serviceOperations = {
  whoAmI: {
    ...ofCaller,
    path: '/v1/whoami',
    summary: 'Show who you are and what you may do where',
    answers: ok('the caller', documents.WhoAmI),
  },
  getOpenapi: {
    ...service,
    path: '/v1/openapi.json',
    summary: 'This document',
    answers: ok('OpenAPI 3.1', z.record(z.string(), z.unknown())),
  },
  getHealth: {
    ...service,
    path: '/v1/health',
    access: 'anonymous',
    summary: 'See whether the API answers',
    answers: ok('it does', Health),
  },
  getVersion: {
    ...service,
    path: '/v1/version',
    summary: 'Show the version and the provider types that can be built',
    answers: ok('version', Version),
  },
} as const satisfies Operations;
