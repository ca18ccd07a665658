/** Configuration of functions and runners: environment variables, parsed once, every fault in one message. */
import { z } from 'zod';
import { firstAdminsFault } from '#domain/access.ts';
import { PipelineError } from '#domain/errors.ts';
import { networkText } from '#domain/manifest/networks.ts';

export const Config = z.object({
  KUBELOOM_INSTALLATION: z
    .string()
    .default('kubeloom')
    .describe('tag and prefix of everything this installation makes'),
  KUBELOOM_TABLE: z.string(),
  KUBELOOM_BUCKET: z.string(),
  KUBELOOM_SECRET_PREFIX: z.string().default('/kubeloom').describe('SSM parameter path prefix'),
  KUBELOOM_SECRET_KEY: z.string().default('').describe('KMS key of new secrets; empty: that of SSM'),
  KUBELOOM_RECONCILE_ARN: z.string().default('').describe('state machine reconcile-manifest; empty in runners'),
  KUBELOOM_PROVIDER_TYPES: z
    .string()
    .transform((list) => list.split(',').filter(Boolean))
    .describe('provider types this installation can build, comma separated'),
  KUBELOOM_TEMPLATE_SOURCES: z
    .enum(['builtin', 'recorded', 'git'])
    .default('git')
    .describe(
      'git: manifests may name templates in git repositories, pinned to a commit when they are accepted; builtin: such manifests are refused; recorded: what they name is kept and compared, and nothing is fetched, for runners that need no files',
    ),
  KUBELOOM_TEMPLATE_PRIVATE_HOSTS: z
    .string()
    .default('')
    .transform((list) => list.split(',').filter(Boolean))
    .describe('hosts (with port, if any) of template repositories that may have a private address, comma separated'),
  KUBELOOM_RUNNER_PROJECTS: z
    .string()
    .transform((json) => z.record(z.string(), z.string()).parse(JSON.parse(json)))
    .describe('JSON: tool (terraform, ansible, kubeone, kubectl) to CodeBuild project name'),
  KUBELOOM_SSH_WAIT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .default(180)
    .describe('how long a machine that was just created may take until its SSH port answers: it has to boot'),
  KUBELOOM_STATIC_SSH_WAIT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .default(45)
    .describe("how long a machine of the user's own may take until its SSH port answers, each of three times"),
  KUBELOOM_RUNNER_CIDRS: z
    .string()
    .default('0.0.0.0/0')
    .transform((list) => list.split(',').map((part) => part.trim()))
    .pipe(z.array(z.cidrv4().transform(networkText)))
    .describe('networks from which runners and people reach nodes over SSH, IPv4 CIDRs, comma separated'),
  KUBELOOM_ADMINS: z
    .string()
    .default('*')
    .superRefine((text, context) => {
      const message = firstAdminsFault(text);
      if (message !== undefined) context.addIssue({ code: 'custom', input: text, message });
    })
    .describe(
      'first admins: *, iam:<arn>, user:<sub> or claim:<name>=<value>, comma separated; others get roles by RoleBindings',
    ),
  KUBELOOM_LEASE_SECONDS: z.coerce.number().int().default(3600),
  KUBELOOM_MAX_BODY_BYTES: z.coerce.number().int().default(1_000_000),
  KUBELOOM_BACK_OFF_SECONDS: z.coerce.number().default(30).describe('first pause of forward-only directions; doubles'),
  KUBELOOM_MAX_BACK_OFFS: z.coerce.number().int().default(4),
  KUBELOOM_STAGE_RETRY_SECONDS: z.coerce
    .number()
    .default(10)
    .describe('first pause before a stage is retried in place; doubles'),
  KUBELOOM_MAX_STAGE_ATTEMPTS: z.coerce.number().int().default(3),
  KUBELOOM_MAX_CUT_OFFS: z.coerce
    .number()
    .int()
    .min(1)
    .max(20)
    .default(3)
    .describe('attempts of one generation that may be interrupted in a row before a person has to act'),
  KUBELOOM_MAX_RUNS: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('runs that are at work at once on one machine, the others wait as Pending; 0, in AWS: no such limit'),
  KUBELOOM_LOG: z.enum(['all', 'errors', 'none']).default('all').describe('which calls of functions are logged'),
});
export type Config = z.infer<typeof Config>;

/** Parses the environment. Throws `InvalidInput` that names every missing or wrong variable. */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const result = Config.safeParse(environment);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new PipelineError('InvalidInput', `configuration: ${faults.join('; ')}`, { details: faults });
}
