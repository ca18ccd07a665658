/** What runs on the platform: Kubeloom's own functions, routes, state machines and runners. Tests use others. */
import { readdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { GatewayRoute } from 'aws-on-loopback/api-gateway/gateway-listener.ts';
import type { ProjectRun } from 'aws-on-loopback/codebuild/build-run.ts';
import type { Project } from 'aws-on-loopback/codebuild/builds.ts';
import { type LambdaFunction, loadFunctions } from 'aws-on-loopback/lambda/lambda-host.ts';
import type { ThreadedFunction } from 'aws-on-loopback/lambda/threaded-functions.ts';
import type { StatusRule } from 'aws-on-loopback/stepfunctions/status-change.ts';
import { stageMarginMinutes } from '#contracts/job.ts';
import { agentProgram } from '#domain/cluster-documents.ts';
import { type RunnerTool, runnerTools } from '#functions/rights/runner-rights.ts';
import { buildAgent, bundleRunner } from '../runner-images/bundle-runner.ts';
import upstream from '../templates/kubernetes/upstream.json' with { type: 'json' };
import { documentDirectories, upstreamThere } from './documents.ts';
import type { TableSchema } from './ensure-table.ts';
import { buildEnvironment, type LocalDocuments } from './environment.ts';
import { builtKubeone } from './kubernetes/available.ts';
import { kubeoneVersions } from './kubernetes/parts.ts';
import type { MetricFamily } from './metrics/exposition.ts';
import type { PlatformNumbers } from './metrics/kubeloom-metrics.ts';
import { runnerProject } from './names.ts';
import { boundedPorts } from './rights/bounded-ports.ts';
import { disconnected } from './rights/disconnected-ports.ts';
import { asFunction } from './rights/function-at-work.ts';
import { openIdentity } from './rights/session-token.ts';

export type RunnerKind = 'real' | 'sim';

export interface Product {
  readonly machinesDirectory: string;
  /** Tool to CodeBuild project. */
  readonly runnerProjects: Readonly<Record<string, string>>;
  /** Whether manifests may name templates of their own: the sim runner needs none of their files. @default git */
  readonly templateSources?: 'git' | 'recorded';
  /** Documents whose upstream files runners have, and the storage of new clusters. @default none */
  readonly documents?: LocalDocuments;
  readonly statusRules: readonly StatusRule[];
  /** Function that the scheduler calls; absent: none. */
  readonly tick?: string;
  /** Function that reads the stream of the table; absent if no function does. */
  readonly stream?: string;
  /** Function that it calls five times as often, for what people wait for; absent: none. */
  readonly quickTick?: string;
  /** The same, for what no one needs at once but no one may miss; absent: none. */
  readonly notifier?: string;
  /** These are called when the environment is set, never before. */
  providerTypes(): Promise<readonly string[]>;
  tableSchema(): Promise<TableSchema>;
  functions(): Promise<Readonly<Record<string, LambdaFunction>>>;
  /** Those of them that read documents of users, with a deadline where the platform lasts. @default none */
  readonly inThreads?: Readonly<Record<string, ThreadedFunction>>;
  routes(): Promise<readonly GatewayRoute[]>;
  /** Whether the web console is served with its API. @default false */
  readonly console?: boolean;
  /** Whether agents of clusters on hosts of this machine call its API. @default false */
  readonly agents?: boolean;
  /** What gives builds their credentials; absent: builds get none. */
  credentialsOfBuilds?(): Promise<(event: APIGatewayProxyEventV2) => Promise<unknown>>;
  /** What `/metrics` answers. @default nothing */
  metrics?(numbers: PlatformNumbers): Promise<readonly MetricFamily[]>;
  /** URL of the module that exports them, and the function that they are; then the API of a platform that lasts has a thread of its own. */
  readonly routesModule?: { readonly url: string; readonly functionName: string };
  projects(variables: Readonly<Record<string, string>>, dataDirectory: string): Promise<readonly Project[]>;
}

/** The product with each of its functions inside `around`. */
export function withFunctionsAround(
  product: Product,
  around: (name: string, work: LambdaFunction) => LambdaFunction,
): Product {
  return {
    ...product,
    async functions() {
      const functions = Object.entries(await product.functions());
      return Object.fromEntries(functions.map(([name, work]) => [name, around(name, work)]));
    },
  };
}

const root = fileURLToPath(new URL('..', import.meta.url));
const simProject = 'sim';
const functionOfRoutes = 'router';
const functionOfSources = 'sync-sources';
const functionOfBuilds = 'build-credentials';
/** A runner is at its largest while it starts: with more space for what is young there is nothing to collect, a tenth of its CPU time. */
const runnerNodeOptions = ['--min-semi-space-size=16'];
/** As the longest that a build may take in AWS. */
const buildMinutes = 120;

export function kubeloom(runner: RunnerKind): Product {
  return {
    machinesDirectory: join(root, 'state-machines'),
    runnerProjects: Object.fromEntries(
      runnerTools.map((tool) => [tool, runner === 'sim' ? simProject : runnerProject(tool)]),
    ),
    templateSources: runner === 'sim' ? 'recorded' : 'git',
    documents: documentsOf(runner),
    statusRules: [
      { machine: 'reconcile-manifest', statuses: ['FAILED', 'TIMED_OUT', 'ABORTED'], target: 'finish-run' },
      { machine: 'roll-out', statuses: ['FAILED', 'TIMED_OUT', 'ABORTED'], target: 'finish-roll-out' },
    ],
    tick: 'tick',
    stream: 'publish-events',
    quickTick: functionOfSources,
    notifier: 'send-notifications',
    console: true,
    agents: true,
    providerTypes: () => providerTypesOf(runner),
    tableSchema: async () => (await import('#adapters/table-keys.ts')).tableSchema,
    async functions() {
      const { portsByFunction } = await import('./rights/function-ports.ts');
      // Ports of an earlier platform in this process would still talk to its endpoints.
      (await import('#functions/wire.ts')).useDeps(portsByFunction({ ...process.env }));
      const functions = await loadFunctions(join(root, 'functions', 'tasks'));
      return Object.fromEntries(
        Object.entries(functions).map(([name, work]) => [
          name,
          (...given: Parameters<LambdaFunction>) => asFunction(name, () => work(...given)),
        ]),
      );
    },
    inThreads: {
      [functionOfSources]: {
        module: pathToFileURL(join(root, 'functions', 'tasks', `${functionOfSources}.ts`)).href,
        // As in AWS.
        timeoutMs: 5 * 60_000,
        hasWork: () => asFunction(functionOfSources, isSourceDue),
      },
    },
    async routes() {
      const { routes } = await import('#functions/api/routes.ts');
      return routes.map((route) => ({
        ...route,
        handler: (...given: Parameters<GatewayRoute['handler']>) =>
          asFunction(functionOfRoutes, () => route.handler(...given)),
      }));
    },
    async credentialsOfBuilds() {
      const { handler } = await import('#functions/api/build-credentials.ts');
      return (event) => asFunction(functionOfBuilds, () => handler(event));
    },
    async metrics(numbers) {
      const { kubeloomMetrics } = await import('./metrics/kubeloom-metrics.ts');
      return kubeloomMetrics((await import('#functions/wire.ts')).wire(), numbers);
    },
    routesModule: {
      url: pathToFileURL(join(root, 'functions', 'api', 'routes.ts')).href,
      functionName: functionOfRoutes,
    },
    async projects(variables, dataDirectory) {
      if (runner === 'sim') return [await simulated(variables)];
      const directory = join(dataDirectory, 'runner');
      const program = await bundleRunner(directory);
      // Without a URL for agents no cluster has one.
      const withAgent = (variables.KUBELOOM_AGENT_URL ?? '') !== '';
      if (withAgent) await buildAgent(join(directory, agentProgram));
      const environment = {
        ...buildEnvironment(variables),
        KUBELOOM_TEMPLATES: process.env.KUBELOOM_TEMPLATES ?? join(root, 'templates'),
        KUBELOOM_DOCUMENTS: [...documentDirectories(), ...(withAgent ? [directory] : [])].join(delimiter),
        // For the runner, and for the programs of ours that it runs.
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(directory, 'compiled'),
      };
      return runnerTools.map((tool) => real(tool, program, environment));
    },
  };
}

/** Simulated, all of them are there, and clusters get storage only when they ask for it. */
function documentsOf(runner: RunnerKind): LocalDocuments {
  if (runner === 'sim') return { upstream: Object.keys(upstream), defaultStorage: 'none' };
  const there = upstreamThere();
  return { upstream: there, defaultStorage: there.includes('longhorn') ? 'longhorn' : 'none' };
}

/** With the real runner, types that have Terraform templates; simulated, all types. */
async function providerTypesOf(runner: RunnerKind): Promise<readonly string[]> {
  const { providerTypeNames } = await import('#domain/provider-types.ts');
  if (runner === 'sim') return providerTypeNames;
  const templates = await readdir(join(root, 'templates', 'terraform'));
  return providerTypeNames.filter((name) => templates.includes(name));
}

async function isSourceDue(): Promise<boolean> {
  const { gitSources } = (await import('#functions/wire.ts')).wire();
  return (await gitSources.due(new Date().toISOString(), 1)).length > 0;
}

async function simulated(variables: Readonly<Record<string, string>>): Promise<Project> {
  const { runSimStage } = await import('#runner/sim/run-sim-stage.ts');
  const { checkSimulation } = await import('#runner/sim/check-simulation.ts');
  checkSimulation(process.env);
  const { openCredentials } = await import('#runner/build-credentials.ts');
  const { wire } = await import('#functions/wire.ts');
  const { KUBELOOM_CREDENTIALS_URL: url = '', AWS_ACCESS_KEY_ID: accessKey = '' } = variables;
  const run: Extract<ProjectRun, { kind: 'function' }>['run'] = async (environment, { signal, killed }) => {
    // It has the ports of this process, and is held to the session that a runner in a process of its own would work with.
    const source = await openCredentials(url, environment);
    const session = openIdentity(accessKey, (await source()).sessionToken);
    if (session?.kind !== 'session') throw new Error('the build got no session');
    return runSimStage(environment, { signal, ports: disconnected(boundedPorts(wire(), session), killed) });
  };
  return {
    name: simProject,
    run: { kind: 'function', run },
    environment: withoutSimulation(buildEnvironment(variables)),
  };
}

/** The sim runner works in this process and reads how it should behave from there, each time: who sets it later is heard. */
const withoutSimulation = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('KUBELOOM_SIM_')));

function real(tool: RunnerTool, program: string, environment: Readonly<Record<string, string>>): Project {
  return {
    name: runnerProject(tool),
    run: {
      kind: 'command',
      command: [process.execPath, ...runnerNodeOptions, program],
      directory: root,
    },
    environment: {
      ...environment,
      PATH: pathOfBuilds(environment.KUBELOOM_KUBERNETES, environment.PATH),
      KUBELOOM_STAGE_MINUTES: String(buildMinutes - stageMarginMinutes),
    },
    timeoutMinutes: buildMinutes,
  };
}

/**
 * Node 24 comes before the system's. Real Kubernetes is installed by an official `kubeone` where the PATH has one, else by one that was built
 * here; a simulated control plane has a `kubeone` of its own.
 */
export function pathOfBuilds(kubernetes: string | undefined, path = ''): string {
  const programs = [dirname(process.execPath), path];
  const built = kubeoneVersions.map((version) => dirname(builtKubeone(version)));
  const simulated = join(root, 'local', 'kubeone', 'bin');
  return (kubernetes === 'real' ? [...programs, ...built] : [simulated, ...programs]).join(delimiter);
}
