/** Configuration of functions and runners: environment variables, parsed once, every fault in one message. */
import { z } from 'zod';
import { firstAdminsFault } from '#domain/access.ts';
import { PipelineError } from '#domain/errors.ts';
import { networkText } from '#domain/manifest/schema/networks.ts';
import { ProxySetting } from '#domain/manifest/schema/proxy-endpoint.ts';
import { BudgetTexts, budgetOf } from '#domain/prices/budget-setting.ts';
import { RunnerRelease } from './runner-release.ts';

const whole = z.coerce.number().int();
/** Comma separated. */
const list = z.string().transform((text) => text.split(',').filter(Boolean));
/** JSON: texts by name. */
const texts = z.string().transform((json) => z.record(z.string(), z.string()).parse(JSON.parse(json)));

export const Config = z.object({
  /** Tag and prefix of everything this installation makes. */
  KUBELOOM_INSTALLATION: z.string().default('kubeloom'),
  KUBELOOM_TABLE: z.string(),
  KUBELOOM_BUCKET: z.string(),
  /** SSM parameter path prefix. */
  KUBELOOM_SECRET_PREFIX: z.string().default('/kubeloom'),
  /** KMS key of new secrets; empty: that of SSM. */
  KUBELOOM_SECRET_KEY: z.string().default(''),
  /** EventBridge bus that events are published to; empty: none. */
  KUBELOOM_EVENT_BUS: z.string().default(''),
  /** State machine reconcile-manifest; empty in runners. */
  KUBELOOM_RECONCILE_ARN: z.string().default(''),
  /** State machine roll-out; empty in runners. */
  KUBELOOM_ROLL_OUT_ARN: z.string().default(''),
  /** State machine ask-runner; empty in runners. */
  KUBELOOM_ASK_RUNNER_ARN: z.string().default(''),
  /** Provider types this installation can build. */
  KUBELOOM_PROVIDER_TYPES: list,
  /**
   * git: manifests may name templates in git repositories, pinned to a commit when they are accepted; builtin: such manifests are
   * refused; recorded: what they name is kept and compared, and nothing is fetched, for runners that need no files.
   */
  KUBELOOM_TEMPLATE_SOURCES: z.enum(['builtin', 'recorded', 'git']).default('git'),
  /** Hosts (with port, if any) of template repositories that may have a private address. */
  KUBELOOM_TEMPLATE_PRIVATE_HOSTS: list.prefault(''),
  /** Hosts (with port, if any) of receivers of notifications that may have a private address. */
  KUBELOOM_NOTIFICATION_PRIVATE_HOSTS: list.prefault(''),
  /** ARN that those of the SNS topics of Notifications begin with; empty: e-mail is not sent. */
  KUBELOOM_MAIL_TOPICS: z.string().default(''),
  /** Address of the console, for links in notifications; empty: they have none. */
  KUBELOOM_CONSOLE_URL: z
    .string()
    .max(300)
    .default('')
    .refine((url) => url === '' || /^https?:\/\/[A-Za-z0-9.[\]:-]+(?:\/[A-Za-z0-9._~-]+)*\/?$/.test(url), {
      error: 'must be the address of the console, such as https://console.example.com',
    }),
  /** Beginnings of addresses (`github.com/acme/`) from which templates and provider types may be; empty: any. */
  KUBELOOM_TEMPLATE_URLS: list.prefault(''),
  /** Upstream files of documents that the runners of this installation have (`templates/kubernetes/upstream.json`). */
  KUBELOOM_UPSTREAM_DOCUMENTS: list.prefault(''),
  /** Storage of new clusters whose manifest names none. */
  KUBELOOM_DEFAULT_STORAGE: z.enum(['longhorn', 'none']).default('none'),
  /** Proxy for downloads of nodes whose manifest uses one and names none; empty: that of Claudie for manifests of `claudie.io/v1beta1`, none for others. */
  KUBELOOM_INSTALLATION_PROXY: ProxySetting.default(''),
  /** Base URL under which agents in workload clusters reach the API, https only; empty: they do not, and no cluster has an agent. */
  KUBELOOM_AGENT_URL: z
    .string()
    .default('')
    .refine((url) => url === '' || /^https:\/\/[^\s?#]*[^\s?#/]$/.test(url), {
      error: 'must be an https URL without a slash at its end: agents send their tokens there',
    }),
  /** Types of the providers whose control nodes reach that URL; empty: all. */
  KUBELOOM_AGENT_PROVIDERS: list.prefault(''),
  /** Certificates of the authority that agents trust for that URL, PEM; empty: those that Node trusts. */
  KUBELOOM_AGENT_CA: z
    .string()
    .max(20_000)
    .default('')
    .refine((text) => /^(?:-----BEGIN CERTIFICATE-----[\w+/=\s]+-----END CERTIFICATE-----\s*)*$/.test(text), {
      error: 'must be certificates as PEM',
    }),
  /** JSON: tool (terraform, ansible, kubeone, kubectl) to CodeBuild project name. */
  KUBELOOM_RUNNER_PROJECTS: texts,
  /** JSON: the images of this release and what they read (`RunnerRelease`); empty: builds run on the image of their project. */
  KUBELOOM_RUNNER_RELEASE: z
    .string()
    .default('')
    .transform((json) => (json === '' ? undefined : RunnerRelease.parse(JSON.parse(json)))),
  /** CodeBuild projects of which no builds are started any more, whose builds may still run. */
  KUBELOOM_OTHER_PROJECTS: list.prefault(''),
  /** JSON: role of builds to its CodeBuild projects; only what gives builds their credentials has it. */
  KUBELOOM_BUILD_ROLES: z
    .string()
    .transform((json) => z.record(z.string(), z.array(z.string())).parse(JSON.parse(json)))
    .prefault('{}'),
  /** JSON: tool to the ARN of the role that its builds work in; as the one before. */
  KUBELOOM_TOOL_ROLES: texts.prefault('{}'),
  /** How long a machine that was just created may take until its SSH port answers: it has to boot. */
  KUBELOOM_SSH_WAIT_SECONDS: whole.min(1).default(180),
  /** How long a user's own machine may take until its SSH port answers, each of three times. */
  KUBELOOM_STATIC_SSH_WAIT_SECONDS: whole.min(1).default(45),
  /** Networks from which runners and people reach nodes over SSH, IPv4 CIDRs, comma separated. */
  KUBELOOM_RUNNER_CIDRS: z
    .string()
    .default('0.0.0.0/0')
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(z.cidrv4().transform(networkText))),
  /** First admins: *, iam:<arn>, user:<sub> or claim:<name>=<value>, comma separated; others get roles by RoleBindings. */
  KUBELOOM_ADMINS: z
    .string()
    .default('*')
    .superRefine((text, context) => {
      const message = firstAdminsFault(text);
      if (message !== undefined) context.addIssue({ code: 'custom', input: text, message });
    }),
  /** `no`: the API hands out no kubeconfig of a cluster's admin, which ends only with its certificate. */
  KUBELOOM_ENDLESS_KUBECONFIGS: z.enum(['yes', 'no']).default('yes'),
  /** How long a process acts on the roles that it read; 0: each request reads them. */
  KUBELOOM_ROLES_FRESH_MS: whole.default(5000),
  /** Namespaces whose plans someone has to approve, comma separated; *: all. */
  KUBELOOM_REQUIRE_APPROVAL: list.prefault(''),
  /** Whether who proposed a plan may approve it, too. */
  KUBELOOM_OWN_APPROVALS: z.enum(['refused', 'allowed']).default('refused'),
  /** What machines may cost a month before a plan has to be approved: see `budget-setting.ts`. */
  KUBELOOM_BUDGETS: list.pipe(BudgetTexts.transform((texts) => texts.map(budgetOf))).prefault(''),
  KUBELOOM_LEASE_SECONDS: whole.default(3600),
  KUBELOOM_MAX_BODY_BYTES: whole.default(1_000_000),
  /** First pause of forward-only directions; doubles. */
  KUBELOOM_BACK_OFF_SECONDS: z.coerce.number().default(30),
  KUBELOOM_MAX_BACK_OFFS: whole.default(4),
  /** First pause before a stage is retried in place; doubles. */
  KUBELOOM_STAGE_RETRY_SECONDS: z.coerce.number().default(10),
  KUBELOOM_MAX_STAGE_ATTEMPTS: whole.default(3),
  /** Attempts of one generation that may be interrupted in a row before a person has to act. */
  KUBELOOM_MAX_CUT_OFFS: whole.min(1).max(20).default(3),
  /** Machines that are replaced automatically within an hour, in all clusters together. */
  KUBELOOM_REPAIRS_PER_HOUR: whole.min(0).max(1000).default(10),
  /** Runs that are at work at once on one machine, the others wait as Pending; 0, in AWS: no such limit. */
  KUBELOOM_MAX_RUNS: whole.min(0).default(0),
  /** Which calls of functions are logged. */
  KUBELOOM_LOG: z.enum(['all', 'errors', 'none']).default('all'),
});
export type Config = z.infer<typeof Config>;

/** Parses the environment. Throws `InvalidInput` that names every missing or wrong variable. */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const result = Config.safeParse(environment);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new PipelineError('InvalidInput', `configuration: ${faults.join('; ')}`, { details: faults });
}
