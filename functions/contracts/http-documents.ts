/** What the API answers about Secrets, templates, roles, who asks, generations, checks of credentials, and access to clusters. */
import { z } from 'zod';
import { roles } from '#domain/access.ts';
import { RoleBinding } from '#domain/manifest/role-binding.ts';
import { OnTemplates } from '#domain/manifest/schema/on-templates.ts';
import { IssuedCertificate, OpenedNodes } from './access-requests.ts';
import { page, WireFault } from './api-bodies.ts';
import { CheckFinding } from './job.ts';
import { flag } from './moved-templates.ts';
import { Origin } from './records.ts';
import { ReadState } from './state-reading.ts';

const named = z.object({ namespace: z.string(), name: z.string() });
export const SecretStored = named.extend({
  keys: z.array(z.string()).describe('names of the fields, never values'),
  warnings: z.array(WireFault).describe('what is valid but unwise, such as a long-lived key'),
});
export const SecretList = z.object({ items: z.array(named) });
export const TemplateUser = named
  .extend({
    change: z
      .string()
      .describe('what uses it, at which commit, and which it names now: `provider a at 1a2b3c4, now 5d6e7f8`'),
    next: OnTemplates.describe('what happens at the next tick of the schedule, if nothing holds it'),
    paused: flag.describe('nothing is started before it is resumed'),
  })
  .meta({ id: 'TemplateUser' });
export type TemplateUser = z.infer<typeof TemplateUser>;
export const TemplateStored = named.extend({
  behind: z
    .array(TemplateUser)
    .optional()
    .describe('manifests that use another commit; absent in answers of an older release'),
  others: z.number().int().optional().describe('how many more there are that you may not see'),
});
export const TemplateList = z.object({ items: z.array(named) });
export const TemplateDocument = z.unknown().describe('the TemplateGitReference document as stored');
export const RoleList = z.object({ items: z.array(RoleBinding) });
export const WhoAmI = z
  .object({
    name: z.string().describe('ARN of the principal, or subject of the token'),
    kind: z.enum(['iam', 'token', 'unknown']),
    from: z.string().describe('address the request came from'),
    ownApprovals: z
      .enum(['refused', 'allowed'])
      .optional()
      .describe('whether you may approve plans that you proposed; absent in answers of an older release'),
    grants: z.array(z.object({ role: z.enum(roles), namespaces: z.array(z.string()).describe('`*`: all') })),
  })
  .meta({ id: 'WhoAmI' });
export type WhoAmI = z.infer<typeof WhoAmI>;

const about = {
  namespace: z.string(),
  name: z.string(),
  provider: z.string().describe('name of the provider instance'),
  id: z.string(),
};

/** A provider instance of a manifest. */
export const ProviderInstancePage = page(
  z
    .object({
      namespace: z.string(),
      manifest: z.string(),
      name: z.string(),
      type: z.string(),
      secrets: z.array(named).describe('Secrets that have to be stored for it; for a vault: the connection'),
      templates: z.array(named).describe('TemplateGitReferences that it uses; empty: the built-in ones'),
      pools: z.number().int().describe('node pools of the document that use it'),
      regions: z.array(z.string()),
    })
    .meta({ id: 'ProviderInstance' }),
).meta({ id: 'ProviderInstancePage' });
export type ProviderInstancePage = z.infer<typeof ProviderInstancePage>;

export const CheckAccepted = z
  .object({ ...about, links: z.record(z.string(), z.string()).describe('`check`: where its result will be') })
  .meta({ id: 'CheckAccepted' });

export const ProviderCheck = z
  .object({
    ...about,
    status: z.enum(['running', 'done', 'lost']).describe('lost: its build ended without a result'),
    startedAt: z.string(),
    endedAt: z.string().nullable(),
    findings: z.array(CheckFinding).describe('empty until it is done, and for types without credentials'),
    build: z.string().describe('id of the build, whose log has the reason of a lost check'),
  })
  .meta({ id: 'ProviderCheck' });
export type ProviderCheck = z.infer<typeof ProviderCheck>;

const access = { namespace: z.string(), name: z.string(), cluster: z.string().describe('its id'), id: z.string() };

export const AccessAccepted = z
  .object({
    ...access,
    links: z.record(z.string(), z.string()).describe('`issued`, `opened` or `read`: where its result will be'),
  })
  .meta({ id: 'AccessAccepted' });

export const IssuedKubeconfig = z
  .object({
    ...access,
    status: z.enum(['running', 'done', 'lost']).describe('lost: its build ended without a result'),
    startedAt: z.string(),
    issued: IssuedCertificate.nullable().describe('null until it is done, and when nothing was issued'),
    problem: z.string().nullable().describe('why the request was refused, and what to do'),
    build: z.string().describe('id of the build, whose log has the reason of a lost request'),
  })
  .meta({ id: 'IssuedKubeconfig' });
export type IssuedKubeconfig = z.infer<typeof IssuedKubeconfig>;

export const SshAccess = IssuedKubeconfig.omit({ issued: true })
  .extend({ opened: OpenedNodes.nullable().describe('null until it is done, and when no node was opened') })
  .meta({ id: 'SshAccess' });

export const StateAccess = IssuedKubeconfig.omit({ issued: true })
  .extend({ read: ReadState.nullable().describe('null until it is done, and when nothing could be read') })
  .meta({ id: 'StateAccess' });

const GenerationSummary = z
  .object({
    generation: z.number().int(),
    current: z.boolean().describe('the newest one'),
    at: Origin.shape.at.optional().describe('when it was accepted; absent when an older release stored it'),
    by: Origin.shape.by.optional().describe('who requested it'),
    reason: Origin.shape.reason.optional(),
    rolledBackTo: Origin.shape.rolledBackTo.describe('rollbacks only: the generation that it went back to'),
  })
  .meta({ id: 'GenerationSummary' });

export const GenerationList = z
  .object({
    items: z.array(
      GenerationSummary.extend({
        changes: z
          .array(z.string())
          .nullable()
          .describe('how the document differs from the one before, a few words each; null if that is not stored'),
      }),
    ),
  })
  .meta({ id: 'GenerationList' });
export type GenerationList = z.infer<typeof GenerationList>;

export const Generation = GenerationSummary.extend({
  document: z.unknown().describe('the InputManifest as accepted'),
}).meta({ id: 'Generation' });

const difference = {
  changes: z.array(z.string()).describe('a few words each'),
  diff: z.string().describe('unified diff of both documents as YAML; empty if they are equal'),
};
export const DocumentDiff = z.object(difference).meta({ id: 'DocumentDiff' });

export const GenerationDiff = z
  .object({ from: z.number().int(), to: z.number().int(), ...difference })
  .meta({ id: 'GenerationDiff' });
export type GenerationDiff = z.infer<typeof GenerationDiff>;
