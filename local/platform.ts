/** All of Kubeloom in one process on 127.0.0.1: storage, workflows, builds, API, scheduler, in the order they need each other. */
import type { OidcOptions } from 'aws-on-loopback/api-gateway/oidc-issuer.ts';
import type { LocalBuilds } from 'aws-on-loopback/codebuild/builds.ts';
import { type Logger, silentLogger } from 'aws-on-loopback/logger.ts';
import type { ExecutionStore } from 'aws-on-loopback/stepfunctions/execution-store.ts';
import type { Executions } from 'aws-on-loopback/stepfunctions/executions.ts';
import { reachForAgents } from './agents/reach.ts';
import { installationIdentity, openDataDirectory, openTemporaryDirectory } from './data-directory.ts';
import { bucket, type Endpoints } from './environment.ts';
import type { Ground } from './parts/ground.ts';
import { startApi, startMetrics, startTicks } from './parts/outside.ts';
import { startServices } from './parts/services.ts';
import { recover, startEnvironment, startFunctions, startStream, startWork } from './parts/work.ts';
import { kubeloom, type Product, type RunnerKind } from './product.ts';
import { accessKeyOf } from './rights/access-key.ts';
import { checkStores } from './store-identity.ts';

export interface PlatformOptions {
  /** Directory of all data; required unless `inMemory`. */
  readonly dataDir?: string;
  /** 0: any. */
  readonly apiPort: number;
  /** real: builds are child processes that run the tools; sim: stages in this process, nothing real is created. */
  readonly runner: RunnerKind;
  /** Nothing outlives it; its temporary directory is removed at the end. @default false */
  readonly inMemory?: boolean;
  /** @default 300 */
  readonly tickSeconds?: number;
  /** Between SIGINT and SIGTERM for a build. @default 10,000 */
  readonly graceMs?: number;
  /** Issuer whose tokens the API accepts in addition to those of the platform's owner and users. @default none */
  readonly oidc?: OidcOptions;
  /** @default silent */
  readonly logger?: Logger;
  /** Starts although a store, or acknowledged data, is lost. @default false */
  readonly acceptLoss?: boolean;
  /** What runs on it. @default Kubeloom */
  readonly product?: Product;
}

export interface Platform {
  readonly apiUrl: string;
  /** For Prometheus; without a token. */
  readonly metricsUrl: string;
  readonly token: string;
  readonly endpoints: Endpoints;
  /** The implementations of the services, for tests and benches; the store has histories and transitions. */
  readonly executions: Executions;
  readonly executionStore: ExecutionStore;
  readonly builds: LocalBuilds;
  /** Keys in the bucket below a prefix. */
  objects(prefix: string): readonly string[];
  /** Runs the work of the scheduler now. */
  tick(): Promise<void>;
  /** The same of what is called more often. */
  quickTick(): Promise<void>;
  /** One tick of what sends notifications. */
  notifierTick(): Promise<void>;
  /** Stops builds, ends executions as ABORTED, waits for functions, closes. They are resumed at the next start. */
  stop(): Promise<void>;
}

/** One platform in a process at a time: functions find their services by environment variables. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { dataDir, inMemory = false, runner, logger = silentLogger, product = kubeloom(runner) } = options;
  if (!inMemory && dataDir === undefined) throw new Error('startPlatform needs dataDir, or inMemory');
  const directory =
    inMemory || dataDir === undefined ? await openTemporaryDirectory() : await openDataDirectory(dataDir);
  const cleanUp: (() => void | Promise<void>)[] = [() => directory.release()];
  const stop = once(async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  });
  const ground: Ground = {
    directory,
    inMemory,
    product,
    runner,
    apiPort: options.apiPort,
    tickSeconds: options.tickSeconds ?? 300,
    graceMs: options.graceMs,
    oidc: options.oidc,
    acceptLoss: options.acceptLoss ?? false,
    accessKey: accessKeyOf(directory.token),
    logger,
    onStop: (step) => void cleanUp.push(step),
  };
  try {
    return { ...(await assemble(ground)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Part by part: each on those before it. */
async function assemble(ground: Ground): Promise<Omit<Platform, 'stop'>> {
  const { directory, inMemory, acceptLoss, logger, product, tickSeconds } = ground;
  const report = (fault: string): void => logger.warn('a loss was accepted', { fault });
  const noteStart = inMemory ? undefined : await checkStores(directory.path, { accept: acceptLoss, report });
  const services = await startServices(ground);
  const agents = await reachForAgents(ground);
  const variables = await startEnvironment(ground, services, agents?.variables ?? {});
  const functions = await startFunctions(ground);
  const { lambdas } = functions;
  const work = await startWork(ground, services, { lambdas, variables });
  startStream(ground, services, lambdas);
  await noteStart?.();
  await recover(ground, services, work);
  const api = await startApi(ground);
  agents?.door.lead(api.url);
  services.listeners.push((trouble) => api.report(trouble));
  work.rules.resume();
  const metrics = await startMetrics(ground, work, functions);
  const ticks = startTicks(ground, lambdas, { functionName: product.tick, seconds: tickSeconds, atStart: true });
  const quick = { functionName: product.quickTick, seconds: tickSeconds / 5, atStart: false };
  const quickTicks = startTicks(ground, lambdas, quick);
  const notifierTicks = startTicks(ground, lambdas, { ...quick, functionName: product.notifier });
  const { endpoints, servers } = services;
  const addresses = { apiUrl: api.url, metricsUrl: `${metrics.url}/metrics`, endpoints };
  await publish(ground, { ...addresses, servers: { ...servers, metrics, ...(agents && { agents: agents.door }) } });
  return {
    ...addresses,
    token: directory.token,
    builds: work.builds,
    executions: work.executions,
    executionStore: work.store,
    objects: (prefix) => services.objects.keys(bucket, prefix),
    tick: async () => ticks?.tick(),
    quickTick: async () => quickTicks?.tick(),
    notifierTick: async () => notifierTicks?.tick(),
  };
}

/** Notes where the platform is, for commands and for the next start. */
async function publish(
  { directory, runner, oidc, logger }: Ground,
  given: Pick<Platform, 'apiUrl' | 'metricsUrl' | 'endpoints'> & {
    readonly servers: Readonly<Record<string, { readonly port: number }>>;
  },
): Promise<void> {
  const { apiUrl, metricsUrl, endpoints, servers } = given;
  await directory.publish({
    apiUrl,
    token: directory.token,
    ...installationIdentity(),
    runner,
    since: new Date().toISOString(),
    ...(oidc && { oidc: { issuer: oidc.issuer, audiences: [...oidc.audiences] } }),
    endpoints: { ...endpoints },
    metricsUrl,
    ports: Object.fromEntries(Object.entries(servers).map(([name, { port }]) => [name, port])),
  });
  logger.info('the platform is up', { api: apiUrl, runner, directory: directory.path });
}

function once(work: () => Promise<void>): () => Promise<void> {
  let under: Promise<void> | undefined;
  return () => {
    under ??= work();
    return under;
  };
}
