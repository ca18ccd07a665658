/** The environment that functions and runners find: endpoints, region, configuration. Set before any of them is imported. */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { localImage, region, stateMachineArn } from 'aws-on-loopback/names.ts';
import { buildCredentialsPath } from '#contracts/build-credentials.ts';
import { firstAdminsFault } from '#domain/access.ts';
import { runnerTools } from '#functions/rights/runner-rights.ts';
import { hostsHelper } from './hosts-helper.ts';
import { kubernetesKind, partsDirectory } from './kubernetes/available.ts';
import { buildRoleOf, toolRoleArn } from './names.ts';
import { ownerName } from './users.ts';

export interface Endpoints {
  readonly dynamodb: string;
  readonly s3: string;
  readonly ssm: string;
  readonly stepFunctions: string;
  readonly codeBuild: string;
  readonly eventBus: string;
  readonly sts: string;
  /** Where builds ask for their credentials. */
  readonly builds: string;
}

export interface LocalDocuments {
  readonly upstream: readonly string[];
  readonly defaultStorage: 'longhorn' | 'none';
}

export interface EnvironmentOptions {
  readonly endpoints: Endpoints;
  /** The services answer only requests signed with it. */
  readonly accessKey: string;
  readonly dataDirectory: string;
  readonly providerTypes: readonly string[];
  readonly templateSources: 'git' | 'recorded';
  /** Documents whose upstream files runners have, and the storage of new clusters. */
  readonly documents: LocalDocuments;
  /** What agents need to reach it; empty where they do not. */
  readonly agents: Readonly<Record<string, string>>;
  /** Tool to project. */
  readonly runnerProjects: Readonly<Record<string, string>>;
}

/** For the platform's own functions: what a build asks of STS is for AWS. */
const stsEndpoint = 'AWS_ENDPOINT_URL_STS';

export const tableName = 'kubeloom';
export const bucket = 'kubeloom';
export const eventBusName = 'kubeloom';

/** Variables that this platform sets; those that the user has set under `KUBELOOM_…` stay, apart from names of things that it creates. */
export function platformEnvironment(options: EnvironmentOptions): Readonly<Record<string, string>> {
  const { endpoints, accessKey, dataDirectory, providerTypes, templateSources, runnerProjects, documents, agents } =
    options;
  const kubernetes = kubernetesKind(process.env.KUBELOOM_KUBERNETES);
  const own = createHash('sha256').update(dataDirectory).digest('hex').slice(0, 6);
  return {
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_SSM: endpoints.ssm,
    AWS_ENDPOINT_URL_SFN: endpoints.stepFunctions,
    AWS_ENDPOINT_URL_CODEBUILD: endpoints.codeBuild,
    AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.eventBus,
    [stsEndpoint]: endpoints.sts,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: accessKey,
    // Not checked by any service here, but every client has to sign with something.
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_EC2_METADATA_DISABLED: 'true',
    KUBELOOM_TABLE: tableName,
    KUBELOOM_BUCKET: bucket,
    KUBELOOM_EVENT_BUS: eventBusName,
    KUBELOOM_RECONCILE_ARN: stateMachineArn('reconcile-manifest'),
    KUBELOOM_ROLL_OUT_ARN: stateMachineArn('roll-out'),
    KUBELOOM_ASK_RUNNER_ARN: stateMachineArn('ask-runner'),
    KUBELOOM_PROVIDER_TYPES: providerTypes.join(','),
    KUBELOOM_TEMPLATE_SOURCES: templateSources,
    KUBELOOM_UPSTREAM_DOCUMENTS: documents.upstream.join(','),
    KUBELOOM_DEFAULT_STORAGE: process.env.KUBELOOM_DEFAULT_STORAGE ?? documents.defaultStorage,
    KUBELOOM_INSTALLATION_PROXY: process.env.KUBELOOM_INSTALLATION_PROXY ?? '',
    // This API listens on 127.0.0.1, which other machines do not reach; who puts a server in front of it names that.
    KUBELOOM_AGENT_URL: process.env.KUBELOOM_AGENT_URL ?? '',
    KUBELOOM_AGENT_CA: process.env.KUBELOOM_AGENT_CA ?? '',
    ...agents,
    KUBELOOM_RUNNER_PROJECTS: JSON.stringify(runnerProjects),
    KUBELOOM_BUILD_ROLES: JSON.stringify(
      Object.fromEntries(Object.values(runnerProjects).map((project) => [buildRoleOf(project), [project]])),
    ),
    KUBELOOM_TOOL_ROLES: JSON.stringify(Object.fromEntries(runnerTools.map((tool) => [tool, toolRoleArn(tool)]))),
    KUBELOOM_CREDENTIALS_URL: `${endpoints.builds}${buildCredentialsPath}`,
    // No run outlives the platform that it began on, so nothing here is ever run with the images of another release.
    KUBELOOM_RUNNER_RELEASE: JSON.stringify({
      contract: 'local',
      images: Object.fromEntries(Object.keys(runnerProjects).map((tool) => [tool, localImage])),
    }),
    // Its owner; all others get roles by RoleBindings.
    KUBELOOM_ADMINS: firstAdmins(process.env.KUBELOOM_ADMINS),
    // Several threads serve the API, and a role that one of them takes away has no effect in any other.
    KUBELOOM_ROLES_FRESH_MS: '0',
    KUBELOOM_REQUIRE_APPROVAL: process.env.KUBELOOM_REQUIRE_APPROVAL ?? '',
    KUBELOOM_OWN_APPROVALS: process.env.KUBELOOM_OWN_APPROVALS ?? 'refused',
    KUBELOOM_BUDGETS: process.env.KUBELOOM_BUDGETS ?? '',
    KUBELOOM_ENDLESS_KUBECONFIGS: process.env.KUBELOOM_ENDLESS_KUBECONFIGS ?? 'yes',
    // Two platforms of one machine must not confuse their hosts.
    KUBELOOM_INSTALLATION: process.env.KUBELOOM_INSTALLATION ?? `kubeloom-${own}`,
    KUBELOOM_HOSTS_DIR: process.env.KUBELOOM_HOSTS_DIR ?? `${dataDirectory}/hosts`,
    // A platform that is stopped aborts every run, which is not a fault of the runs.
    KUBELOOM_MAX_CUT_OFFS: process.env.KUBELOOM_MAX_CUT_OFFS ?? '10',
    // Each needs some CPU and memory of this machine; further ones wait.
    KUBELOOM_MAX_RUNS: process.env.KUBELOOM_MAX_RUNS ?? String(8 * availableParallelism()),
    // Shorter than the grace of local builds, so that a stopped runner still writes its result.
    KUBELOOM_GRACE_MS: process.env.KUBELOOM_GRACE_MS ?? '7000',
    // A request costs nothing here, and someone waits for the end.
    KUBELOOM_STOP_POLL_MS: process.env.KUBELOOM_STOP_POLL_MS ?? '500',
    KUBELOOM_HOST_HELPER: hostsHelper,
    // Mounted read-only into every host: the simulated API server or the registry of the real one runs on it.
    KUBELOOM_HOST_NODE: process.execPath,
    KUBELOOM_KUBERNETES: kubernetes,
    KUBELOOM_HOST_KUBERNETES: kubernetes === 'real' ? partsDirectory() : '',
  };
}

/** How many runs are at work at once. Throws for a value that is not such a number. */
export function runsAtOnce({ KUBELOOM_MAX_RUNS: text }: Readonly<Record<string, string>>): number {
  const runs = Number(text);
  if (Number.isInteger(runs) && runs > 0) return runs;
  throw new Error(`KUBELOOM_MAX_RUNS is "${text}": write how many runs may be at work at once, 1 or more`);
}

/** Throws for a list that would lock out everyone: the API could only report that it is broken. */
function firstAdmins(text = `user:${ownerName}`): string {
  const fault = firstAdminsFault(text);
  if (fault === undefined) return text;
  throw new Error(`KUBELOOM_ADMINS is "${text}": ${fault}; unset it, and the owner of this directory is the admin`);
}

/** Sets the variables for this process; the returned function restores the former values. */
export function setEnvironment(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  // A session token or profile of the user would be mixed into ours.
  const foreign = ['AWS_SESSION_TOKEN', 'AWS_PROFILE', 'AWS_ENDPOINT_URL'].map(
    (name) => [name, process.env[name]] as const,
  );
  for (const [name] of foreign) delete process.env[name];
  return () => {
    for (const [name, value] of [...before, ...foreign])
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
}

const inherited = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TERM'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'NODE_EXTRA_CA_CERTS'],
]);

/** The part of this process's environment that a build gets: as little as in a container. */
export function buildEnvironment(variables: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (pair): pair is [string, string] =>
      pair[1] !== undefined && (inherited.has(pair[0]) || pair[0].startsWith('KUBELOOM_')),
  );
  const { [stsEndpoint]: _, ...others } = variables;
  return { ...Object.fromEntries(kept), ...others };
}
