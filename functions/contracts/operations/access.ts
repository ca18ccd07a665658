/** Operations on roles, and on who changed what. */
import { RoleBinding } from '#domain/manifest/role-binding.ts';
import * as http from '../api-bodies.ts';
import * as documents from '../http-documents.ts';
import * as parameters from '../http-parameters.ts';
import { admin, bodyLimits, document, type Operations, ok, viewerAnywhere } from './operation.ts';

export const accessOperations = {
  listRoles: {
    method: 'GET',
    path: '/v1/roles',
    access: admin,
    tag: 'access',
    summary: 'List who has which role where',
    answers: ok('all RoleBindings', documents.RoleList),
    problems: [],
  },
  putRole: {
    method: 'PUT',
    path: '/v1/roles/{name}',
    access: admin,
    tag: 'access',
    summary: 'Grant a role, or change its subjects',
    params: parameters.RolePath,
    body: { ...document('a RoleBinding'), maxBytes: bodyLimits.document },
    answers: ok('stored', RoleBinding),
    problems: [400, 413, 422],
  },
  deleteRole: {
    method: 'DELETE',
    path: '/v1/roles/{name}',
    access: admin,
    tag: 'access',
    summary: 'Revoke a role',
    params: parameters.RolePath,
    answers: { 204: { description: 'gone' } },
    problems: [400, 404],
  },
  listChanges: {
    method: 'GET',
    path: '/v1/changes',
    access: viewerAnywhere,
    tag: 'access',
    summary: 'See who changed Secrets and templates of a namespace; without one, roles',
    query: parameters.NamespacedPageQuery,
    answers: ok('a page of events', http.EventPage),
    problems: [400],
  },
  whoAmI: {
    method: 'GET',
    path: '/v1/whoami',
    access: 'anybody',
    tag: 'access',
    summary: 'Show who you are and what you may do where',
    answers: ok('the caller', documents.WhoAmI),
    problems: [],
  },
} as const satisfies Operations;
