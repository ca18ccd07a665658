/** Options of an installation: context (`-c name=value`, or `context` in cdk.json), checked with all faults at once. */
import { z } from 'zod';
import { parseSubjects } from '#domain/access.ts';
import { ProxySetting } from '#domain/manifest/schema/proxy-endpoint.ts';
import { nearest } from '#domain/nearest.ts';
import { BudgetTexts } from '#domain/prices/budget-setting.ts';
import { cloudProviderTypes } from './provider-types.ts';

/** Days for which CloudWatch can keep logs. */
const logDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];
const number = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const onOff = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);
const httpsUrl = z.string().regex(/^https:\/\/[^\s?#]+$/, 'must be a URL that begins with https://');
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean),
);
/** `host` or `host:port`. */
const Host = z.string().regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i, {
  error: (issue) => `"${String(issue.input)}" is not a host, or host with port`,
});
const Cidr = z.cidrv4({ error: (issue) => `"${String(issue.input)}" is not an IPv4 network such as 192.0.2.0/24` });
const Admin = z.string().superRefine((one, context) => {
  try {
    parseSubjects(one);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
  }
});
/** Tools whose stages may run on Lambda compute; the others work for longer than its 15 minutes. */
const lambdaTools = ['kubectl', 'drift'] as const;
const LambdaTool = z.enum(lambdaTools, {
  error: (issue) => `"${String(issue.input)}" cannot: only ${lambdaTools.join(', ')} stay below 15 minutes`,
});

const ProviderType = z.enum(cloudProviderTypes, {
  error: (issue) => `"${String(issue.input)}" is no type of a cloud; there are ${cloudProviderTypes.join(', ')}`,
});

/** How long a build may take, and how long it may be queued: Run Tool (run-stage.asl.json) waits for both and some minutes more. */
export const longestBuildMinutes = 120;
export const longestQueueMinutes = 90;

export const Options = z.strictObject({
  installation: z
    .string()
    .regex(/^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$/, 'must be 1 to 20 lower-case letters, digits and dashes')
    .regex(/^(?!aws|ssm)/, 'must not begin with "aws" or "ssm": Parameter Store keeps such paths for itself')
    .default('kubeloom')
    .describe('prefix of stacks and names; two installations of one account differ in it'),
  account: z
    .string()
    .regex(/^\d{12}$/, 'must be the 12 digits of an account')
    .optional()
    .describe('account to deploy to (default: the one of the credentials)'),
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-central-1')
    // The state machine files have to name `arn:aws:states:::…` literally.
    .refine((region) => !/^(cn|us-gov|[a-z]+(-[a-z]+)*-iso[a-z]*|eusc)-/.test(region), {
      error: 'is in another partition of AWS (China, GovCloud, …): only those of the commercial one can be used',
    })
    .optional()
    .describe('region to deploy to (default: the one of the credentials)'),
  authorization: z
    .enum(['iam', 'jwt'])
    .default('iam')
    .describe('who may call the API: `iam` signed requests of AWS principals, `jwt` tokens of an OIDC issuer'),
  jwtIssuer: httpsUrl.optional().describe('OIDC issuer; with authorization=jwt'),
  jwtAudience: z
    .string()
    .transform((list) => list.split(',').map((one) => one.trim()))
    .pipe(z.array(z.string().min(1)).min(1))
    .optional()
    .describe('accepted audiences, comma separated; with authorization=jwt'),
  admins: list
    .pipe(z.array(Admin).min(1, 'names no one; write * for every caller whom the API accepts'))
    .default(['*'])
    .describe(
      'first admins, comma separated: `*` every caller whom the API accepts, `iam:<arn>`, `user:<sub>`, `claim:<name>=<value>`; must be given with authorization=jwt',
    ),
  requestsPerSecond: number(1, 10_000).default(50).describe('what the API takes before it answers 429'),
  requestBurst: number(1, 5_000).default(100).describe('requests at once before it answers 429'),
  apiConcurrency: number(1, 1_000)
    .optional()
    .describe(
      'calls that the API works on at once, set apart for it: a flood of requests takes none from runs (default: it shares those of the account); AWS wants 100 to be left for others, and refuses it in an account with fewer',
    ),
  logDays: z.coerce
    .number()
    .refine((days) => logDays.includes(days), `must be one of ${logDays.join(', ')}`)
    .default(90)
    .describe('how long all logs are kept'),
  runDays: number(1, 3_650).default(365).describe('how long waypoints, results and logs of runs are kept'),
  keyRotationDays: number(90, 2_560)
    .default(2_560)
    .describe('between two rotations of the key; AWS bills 1 dollar a month more after each of the first two'),
  oldVersionDays: number(1, 3_650)
    .default(90)
    .describe('how long replaced and removed artifacts can be restored, Terraform states too'),
  // The tick prolongs leases: they are good for an hour, and due half-way.
  tickMinutes: number(1, 20).default(5).describe('how often the scheduler checks what is due, 20 at most'),
  runnerSize: z
    .enum(['small', 'medium', 'large'])
    .default('small')
    .describe('CodeBuild compute on arm64: small 2 vCPU and 4 GiB, medium 4 and 8, large 8 and 16'),
  lambdaRunners: list
    .pipe(z.array(LambdaTool))
    .default(['drift'])
    .describe(
      'tools whose builds run on Lambda compute, comma separated: `drift`, `kubectl`; at most 15 minutes each; empty: none',
    ),
  lambdaCompute: onOff
    .default(true)
    .describe(
      '`false` in a region where CodeBuild has no Lambda compute (its user guide lists those that do): no project is made for it, and lambdaRunners is ignored unless given',
    ),
  runnerCidrs: list
    .pipe(z.array(Cidr).min(1, 'names no network'))
    .default(['0.0.0.0/0'])
    .describe(
      'networks from which runners and people reach nodes over SSH, comma separated; runners have no fixed address',
    ),
  vaultAudiences: list
    .default([])
    .describe('audiences of the tokens that runners show to Vaults (`jwtaudience` of connections), comma separated'),
  requireApproval: list
    .pipe(z.array(z.string().regex(/^(\*|[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)$/, 'names no namespace')))
    .default([])
    .describe('namespaces whose plans someone with the role `approver` has to approve, comma separated; `*`: all'),
  ownApprovals: onOff
    .default(false)
    .describe('`true`: who proposed a plan may approve it, too; else another approver has to'),
  endlessKubeconfigs: onOff
    .default(true)
    .describe(
      "`false`: no one gets the kubeconfig of a cluster's admin; people get [their own](../users-and-roles.md#in-a-cluster), for a day at most",
    ),
  installationProxy: ProxySetting.default('').describe(
    'proxy for downloads of nodes whose manifest uses one and names none, such as `http://proxy.example.com:3128`; empty: that of Claudie for manifests of `claudie.io/v1beta1`, none for others',
  ),
  budgets: list
    .pipe(BudgetTexts)
    .default([])
    .describe(
      'what machines may cost a month before a plan has to be approved, comma separated: `team=500EUR` of a namespace, `*=5000EUR` of the installation',
    ),
  providers: list
    .pipe(z.array(ProviderType))
    .default([])
    .describe(
      'types of clouds that manifests may name, comma separated (`hetzner,aws`); the images have their plugins only; empty: all',
    ),
  templateSources: z
    .enum(['builtin', 'git'])
    .default('git')
    .describe('`git`: manifests may name templates in git repositories; `builtin`: only those of the images'),
  templatePrivateHosts: list
    .pipe(z.array(Host))
    .default([])
    .describe('hosts of template repositories that may have a private address, comma separated'),
  templateUrls: list
    .pipe(z.array(z.string().regex(/^[A-Za-z0-9.-]+(:\d{1,5})?(\/\S*)?$/, 'is not the beginning of an address')))
    .default([])
    .describe(
      'beginnings of addresses, such as `github.com/acme/`, from which templates and provider types may be, comma separated; empty: any',
    ),
  runnerMinutes: number(10, longestBuildMinutes)
    .default(60)
    .describe('longest build; a stage is stopped in order 5 minutes before, a check for drift takes at most 30'),
  longRunHours: number(1, 168).default(12).describe('a run at work for longer raises the alarm runs-stuck'),
  repairsPerHour: number(0, 1_000)
    .default(10)
    .describe('machines that healing replaces or recreates within an hour, in all clusters together'),
  alarmEmail: z.email().optional().describe('address that gets alarms (default: none, the topic exists)'),
  dashboard: onOff.default(false).describe('a CloudWatch dashboard'),
  console: onOff.default(false).describe('the web console behind CloudFront; with authorization=jwt'),
  consoleUrl: z
    .union(
      [
        z.literal(''),
        z
          .string()
          .max(300)
          .regex(/^https:\/\/[a-z0-9.-]+(:\d{1,5})?(\/[A-Za-z0-9._~-]+)*\/?$/),
      ],
      {
        error: 'must be the address of the console, such as https://console.example.com',
      },
    )
    .default('')
    .describe(
      'address of the console (output `ConsoleUrl`, or a name of yours), for links in [notifications](../notifications.md)',
    ),
  consoleClientId: z
    .string()
    .min(1)
    .optional()
    .describe('public client of the issuer (code with PKCE, no secret) by which people sign in to the console'),
  consoleScope: z
    .string()
    .refine((scope) => scope.split(' ').includes('openid'), 'must have `openid` among its words')
    .default('openid')
    .describe('scopes that the console asks for, separated by spaces'),
  consoleToken: z
    .enum(['access', 'id'])
    .default('access')
    .describe('token of the issuer that the console shows the API: the one whose audience is in jwtAudience'),
  consoleSignInOrigins: list
    .pipe(
      z.array(
        z.string().regex(/^https:\/\/[a-z0-9.-]+(:\d{1,5})?$/, 'is not an origin such as https://login.example.com'),
      ),
    )
    .default([])
    .describe('origins of the issuer other than that of jwtIssuer that its tokens come from, comma separated'),
});
export type Options = z.infer<typeof Options>;

/** Context of the CDK itself: `aws:cdk:…`, `@aws-cdk/…`, `cdk-migrate`, cached look-ups. */
const notOurs = /[:/@]|^cdk-/;

/** Reads the options from context. Throws one error that names every fault. */
export function parseOptions(context: Readonly<Record<string, unknown>>): Options {
  const given = Object.fromEntries(Object.entries(context).filter(([name]) => !notOurs.test(name)));
  const result = Options.safeParse(given);
  const faults = [
    ...(result.success ? [] : result.error.issues.flatMap(sentences)),
    ...authorizationFaults(given),
    ...templateFaults(given),
    ...computeFaults(given),
    ...consoleFaults(given),
  ];
  if (result.success && faults.length === 0) return result.data;
  const title = `${faults.length} ${faults.length === 1 ? 'fault' : 'faults'} in the options (docs/aws/deploy.md lists all)`;
  throw new Error([title, ...faults.map((fault) => `  ${fault}`)].join('\n'));
}

function sentences(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map(unknown);
  return [`${String(issue.path[0])}: ${issue.message}`];
}

function unknown(name: string): string {
  const near = nearest(name, Object.keys(Options.shape));
  return `${name}: there is no such option${near === undefined ? '' : `; did you mean ${near}?`}`;
}

/** Checked apart from the schema, so that these faults are reported together with all others. */
function authorizationFaults(given: Readonly<Record<string, unknown>>): string[] {
  const jwt = given.authorization === 'jwt';
  const everybody = 'admins: is needed with authorization=jwt; * makes every caller with a token an admin';
  const admins = jwt && given.admins === undefined ? [everybody] : [];
  const tokens = (['jwtIssuer', 'jwtAudience'] as const).flatMap((name) => {
    if (jwt && given[name] === undefined) return [`${name}: is needed with authorization=jwt`];
    if (!jwt && given[name] !== undefined) return [`${name}: is for authorization=jwt only; set that, or leave it out`];
    return [];
  });
  return [...tokens, ...admins];
}

function templateFaults(given: Readonly<Record<string, unknown>>): string[] {
  if (given.templateSources !== 'builtin' || !given.templatePrivateHosts) return [];
  return ['templatePrivateHosts: is for templateSources=git only; set that, or leave it out'];
}

function computeFaults(given: Readonly<Record<string, unknown>>): string[] {
  if (String(given.lambdaCompute ?? true) === 'true' || !given.lambdaRunners) return [];
  return ['lambdaRunners: needs lambdaCompute=true; leave one of them out'];
}

/** The browser of a person has no keys of AWS, so only tokens let it in; where requests are signed, `kubeloom console` signs them. */
function consoleFaults(given: Readonly<Record<string, unknown>>): string[] {
  if (String(given.console ?? false) !== 'true')
    return ['consoleClientId', 'consoleScope', 'consoleToken', 'consoleSignInOrigins'].flatMap((name) =>
      given[name] === undefined ? [] : [`${name}: is for console=true only; set that, or leave it out`],
    );
  const signed = 'console: needs authorization=jwt; with iam, `kubeloom console` shows it on the machine of the caller';
  return [
    ...(given.authorization === 'jwt' ? [] : [signed]),
    ...(given.consoleClientId === undefined ? ['consoleClientId: is needed with console=true'] : []),
  ];
}
