/** What the API answers about Secrets, templates, roles, and who asks. */
import { z } from 'zod';
import { roles } from '#domain/access.ts';
import { RoleBinding } from '#domain/manifest/role-binding.ts';
import { Fault } from './api-bodies.ts';

const named = z.object({ namespace: z.string(), name: z.string() });
export const SecretStored = named.extend({
  keys: z.array(z.string()).describe('names of the fields, never values'),
  warnings: z.array(Fault).describe('what is valid but unwise, such as a long-lived key'),
});
export type SecretStored = z.infer<typeof SecretStored>;
export const SecretList = z.object({ items: z.array(named) });
export type SecretList = z.infer<typeof SecretList>;
export const TemplateStored = named;
export const TemplateDocument = z.unknown().describe('the TemplateGitReference document as stored');
export const RoleList = z.object({ items: z.array(RoleBinding) });
export type RoleList = z.infer<typeof RoleList>;
export const WhoAmI = z
  .object({
    name: z.string().describe('ARN of the principal, or subject of the token'),
    kind: z.enum(['iam', 'token', 'unknown']),
    from: z.string().describe('address the request came from'),
    grants: z.array(z.object({ role: z.enum(roles), namespaces: z.array(z.string()).describe('`*`: all') })),
  })
  .meta({ id: 'WhoAmI' });
export type WhoAmI = z.infer<typeof WhoAmI>;
