/** What the API takes: parameters of paths and queries, and bodies that are not documents. */
import { z } from 'zod';
import { StageName, stageNames } from '#domain/plan.ts';

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Like a DNS label, so that it is safe in keys, paths and execution names. */
const labelOf = (most: number) =>
  z
    .string()
    .max(most, `is longer than ${most} characters`)
    .regex(label, 'must consist of lower-case letters, digits and "-", and begin and end with a letter or digit');

/** Manifest and namespace names. */
export const DnsLabel = labelOf(63).describe('DNS label');

/** Names of Secrets and TemplateGitReferences: DNS subdomains, as in Kubernetes. */
export const DnsSubdomain = z
  .string()
  .max(253, 'is longer than 253 characters')
  .regex(
    subdomain,
    'must consist of lower-case letters, digits, "-" and ".", each part beginning and ending with a letter or digit',
  )
  .describe('DNS subdomain');

/** A number in a path or query; every fault is answered with what it must be. */
export const wholeNumber = (from: number, to = Number.MAX_SAFE_INTEGER) => {
  const error = `must be a whole number from ${from} ${to === Number.MAX_SAFE_INTEGER ? 'on' : `to ${to}`}`;
  return z.coerce.number({ error }).int({ error, abort: true }).min(from, { error }).max(to, { error });
};
const limit = wholeNumber(1, 200).default(50).describe('items on one page');
const next = z.string().max(2000).optional().describe('`next` of the page before');

export const ManifestPath = z.object({ namespace: DnsLabel, name: DnsLabel });
export const RunPath = ManifestPath.extend({ run: labelOf(80).describe('id of the run') });
export const GenerationPath = ManifestPath.extend({ generation: wholeNumber(1) });
export const DiffQuery = z.object({
  from: wholeNumber(1).optional().describe('the generation to compare with; the one before that is kept when left out'),
});
export const ProviderPath = ManifestPath.extend({
  provider: DnsLabel.describe('name of a provider instance of the manifest'),
});
export const CheckPath = ProviderPath.extend({
  check: z
    .string()
    .regex(/^([1-9]\d{0,8}|latest)$/, 'must be a number, or "latest"')
    .describe('`id` of the check; `latest`: the newest one'),
});
export const AgentGroupPath = z.object({
  pool: z
    .string()
    .regex(/^[A-Za-z0-9][-\w.]{0,62}$/, 'must be the name of a pool')
    .describe('name of an autoscaled pool of the cluster'),
});
const cluster = DnsLabel.describe('name or id of the cluster');
export const ClusterPath = ManifestPath.extend({ cluster });
export const AccessPath = ClusterPath.extend({
  id: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'must be a number')
    .describe('`id` of the request'),
});
const orphan = z
  .string()
  .max(20_000)
  .regex(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(,[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    'must be "all", or node names with commas between',
  )
  .optional()
  .describe('`all`, or names of nodes with commas between: what is orphaned instead of destroyed');
/** `?orphan=` of a deletion. */
export const DeleteQuery = z.object({ orphan });
export const planId = z
  .string()
  .regex(/^[0-9a-f]{40}$/, 'must be the id of a plan: 40 digits and letters a to f')
  .describe('id of a plan');
export const StoredPlanPath = ManifestPath.extend({ plan: planId });
/** One of several manifests' plans: the ids of all of them may be given. */
export const planIds = z
  .string()
  .max(20_000)
  .regex(/^[0-9a-f]{40}(,[0-9a-f]{40})*$/, 'must be ids of plans with commas between')
  .transform((text) => text.split(','))
  .optional()
  .describe('ids of plans with commas between: refused with `PlanMoved` unless it would carry out one of them');
/** A text of a person. */
export const lineOfText = z
  .string()
  .min(1)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the OpenAPI document has it, for languages that do not know \p{Cc}
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'must be one line without control characters');

/** Body of an approval. */
export const ApproveRequest = z.strictObject({ plan: planId }).meta({ id: 'ApproveRequest' });

/** What is planned instead of a document or the stored manifest. */
export const PlanQuery = z.object({
  delete: z.literal('true', { error: 'must be true' }).optional().describe('plan the deletion of the manifest'),
  orphan,
  rollback: z
    .union([z.literal('last'), wholeNumber(1)], { error: 'must be "last" or the number of a generation' })
    .optional()
    .describe('plan a rollback to this generation; `last`: to the one that a rollback without a number goes to'),
  plan: planIds,
});
export type PlanQuery = z.infer<typeof PlanQuery>;
export const LogPath = RunPath.extend({
  cluster,
  waypoint: z
    .string()
    .regex(/^w\d{2,4}$/, 'must look like w00')
    .describe('waypoint of the run, `w00` is the first'),
  stage: z
    .string()
    .regex(new RegExp(`^((${stageNames.join('|')})(-undo)?|drift)$`), 'must be a stage, a stage with -undo, or drift')
    .describe('stage; `-undo` appended for a step of a rollback; `drift` for a check'),
  attempt: wholeNumber(1),
});
export const NamespacePath = z.object({ namespace: DnsLabel });
export const DocumentPath = z.object({ namespace: DnsLabel, name: DnsSubdomain });

export const RolePath = z.object({ name: DnsLabel });

export const PageQuery = z.object({ limit, next });
export type PageQuery = z.infer<typeof PageQuery>;
export const NamespacedPageQuery = PageQuery.extend({ namespace: DnsLabel.optional() });
/** What a follower of one manifest has seen already. */
export const LiveQuery = z.object({
  since: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      '`next` of an earlier answer, or a time like `2026-11-23T08:00:00.000Z`. Several writers report: an event may be stored up to 5 seconds late, so ask with a `next` that is older than that',
    ),
  have: z
    .string()
    .regex(/^[\w-]{10}(,[\w-]{10}){0,200}$/, 'must be tags of parts with commas between')
    .transform((text) => text.split(','))
    .optional()
    .describe('tags of `parts` of earlier answers that the caller still has, with commas between: they are left out'),
});
const feedId = z.string().regex(/^\d{1,15}\.\d{1,5}$/);
/** Which events of all manifests. */
export const FeedQuery = NamespacedPageQuery.extend({
  since: z
    .union([z.iso.datetime({ offset: true }).transform((time) => new Date(time).toISOString()), feedId], {
      error: 'must be a time like 2026-11-23T08:00:00Z, or the id of an event',
    })
    .optional()
    .describe('events from this time on, or those after the event with this id'),
  order: z
    .enum(['oldest', 'newest'], { error: 'must be oldest or newest' })
    .default('oldest')
    .describe('which come first; `newest`: `next` leads to those before, back to `since`, which is a time then'),
  manifest: DnsLabel.optional().describe('name of a manifest'),
  group: DnsLabel.optional().describe(
    'node pool or machine group; the path of a group with "-", with the groups below it',
  ),
  node: DnsLabel.optional().describe('name of a node'),
  kind: z
    .string()
    .regex(/^[A-Za-z]{1,60}(,[A-Za-z]{1,60}){0,50}$/, 'must be kinds of events, separated by commas')
    .transform((text) => text.split(','))
    .optional()
    .describe('kinds of events, separated by commas'),
});
export type FeedQuery = z.infer<typeof FeedQuery>;
export const NamespaceQuery = z.object({ namespace: DnsLabel.optional() });
export const LogQuery = z.object({ offset: wholeNumber(0).default(0).describe('byte to start at') });

/** Body of a retry; without one, it continues where it stopped. */
export const RetryRequest = z
  .strictObject({
    from: StageName.optional().describe('repeat this stage and those after it, even if they succeeded'),
    debug: z
      .boolean()
      .optional()
      .describe('let the tools of this run say more in their logs, which are masked as always'),
  })
  .meta({ id: 'RetryRequest' });

/** Body of a rollback; without one, it goes to the last generation before the present one that was done. */
export const RollbackRequest = z
  .strictObject({ to: z.int().min(1).optional().describe('the generation to go back to') })
  .meta({ id: 'RollbackRequest' });

/** Body of a change of sizes. */
export const ScaleRequest = z
  .strictObject({
    cluster: DnsLabel.optional().describe('name or id of the cluster; required if several clusters use the pools'),
    sizes: z
      .record(z.string().max(63), z.int().min(0).max(255))
      .refine((sizes) => Object.keys(sizes).length > 0, 'names no pool')
      .describe('nodes of autoscaled pools, or machines of groups, by name; a group has its path with - between'),
  })
  .meta({ id: 'ScaleRequest' });

/** Body of a replacement. */
export const ReplaceRequest = z
  .strictObject({
    nodes: z.array(DnsLabel).min(1, 'names no node').max(255).describe('names of nodes'),
    because: lineOfText.max(200).optional().describe('why, for people'),
    undo: z.boolean().optional().describe('true: cancel the replacement, if their removal has not started'),
  })
  .meta({ id: 'ReplaceRequest' });

/** Body of a check for drift. */
export const DriftRequest = z
  .strictObject({
    repair: z
      .boolean()
      .optional()
      .describe(
        'true: repair everything that can be repaired; false: only report; absent: as configured in the manifest',
      ),
  })
  .meta({ id: 'DriftRequest' });
