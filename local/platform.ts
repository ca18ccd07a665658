/** All of Kubeloom in one process on 127.0.0.1: storage, workflows, builds, API, scheduler, in the order they need each other. */
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { OidcOptions } from 'aws-on-loopback/api-gateway/oidc-issuer.ts';
import type { LocalBuilds } from 'aws-on-loopback/codebuild/builds.ts';
import { codeBuildListener } from 'aws-on-loopback/codebuild/codebuild-listener.ts';
import { startDynamoDb } from 'aws-on-loopback/dynamodb/start-dynamodb.ts';
import { eventBusListener } from 'aws-on-loopback/event-bus/event-bus.ts';
import { startEventSource } from 'aws-on-loopback/event-bus/event-source.ts';
import { lambdaHost } from 'aws-on-loopback/lambda/lambda-host.ts';
import { threadedFunctions } from 'aws-on-loopback/lambda/threaded-functions.ts';
import { type Logger, silentLogger } from 'aws-on-loopback/logger.ts';
import { openS3 } from 'aws-on-loopback/s3/s3-listener.ts';
import { startScheduler } from 'aws-on-loopback/scheduler/scheduler.ts';
import { guarded } from 'aws-on-loopback/server/callers.ts';
import { door } from 'aws-on-loopback/server/door.ts';
import { type LoopbackServer, listenNear } from 'aws-on-loopback/server/loopback-server.ts';
import { openParameterStore } from 'aws-on-loopback/ssm/parameter-store.ts';
import { ssmListener } from 'aws-on-loopback/ssm/ssm-listener.ts';
import type { ExecutionStore } from 'aws-on-loopback/stepfunctions/execution-store.ts';
import type { Executions } from 'aws-on-loopback/stepfunctions/executions.ts';
import type { Machine } from 'aws-on-loopback/stepfunctions/machines.ts';
import { stepFunctionsListener } from 'aws-on-loopback/stepfunctions/stepfunctions-listener.ts';
import { stsListener } from 'aws-on-loopback/sts/sts-listener.ts';
import { startCodeBuild, startWorkflows } from 'aws-on-loopback/workflow-services.ts';
import { eventPartitions, tableSchema } from '#adapters/table-keys.ts';
import { expressMachines } from '#contracts/state-inputs.ts';
import { buildsDoor } from './api-gateway/builds-door.ts';
import { type Gateway, startGateway, startGatewayThread } from './api-gateway/start-gateway.ts';
import {
  type DataDirectory,
  installationIdentity,
  openDataDirectory,
  openTemporaryDirectory,
} from './data-directory.ts';
import { ensureTable } from './ensure-table.ts';
import {
  bucket,
  type Endpoints,
  eventBusName,
  platformEnvironment,
  runsAtOnce,
  setEnvironment,
  tableName,
} from './environment.ts';
import { partEnded } from './health.ts';
import { expiringPrefixes, startHousekeeping } from './housekeeping.ts';
import { metricsListener } from './metrics/exposition.ts';
import { measuresOf } from './metrics/measured.ts';
import { kubeloom, type Product, type RunnerKind } from './product.ts';
import { accessKeyOf, functionKeyOf, identityOfBuild } from './rights/access-key.ts';
import { doorkeeperOf } from './rights/doorkeeper.ts';
import { toolSessions } from './rights/tool-sessions.ts';
import { checkStores } from './store-identity.ts';
import { storeWords } from './store-words.ts';
import { usersFile } from './users.ts';

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
  /** The implementations of the services, for tests and benches; `store` has histories and transitions. */
  readonly executions: Executions & { readonly store: ExecutionStore; readonly machines: readonly Machine[] };
  readonly builds: LocalBuilds;
  /** Keys in the bucket below a prefix. */
  objects(prefix: string): readonly string[];
  /** Runs the work of the scheduler now. */
  tick(): Promise<void>;
  /** The same of what is called more often. */
  quickTick(): Promise<void>;
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
  try {
    return await assemble({ options, directory, inMemory, logger, product, cleanUp, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

async function assemble(given: {
  readonly options: PlatformOptions;
  readonly directory: DataDirectory;
  readonly inMemory: boolean;
  readonly logger: Logger;
  readonly product: Product;
  readonly cleanUp: (() => void | Promise<void>)[];
  readonly stop: () => Promise<void>;
}): Promise<Platform> {
  const { options, directory, inMemory, logger, product, cleanUp, stop } = given;
  const { apiPort, runner, tickSeconds = 300, graceMs, oidc, acceptLoss = false } = options;
  const inDirectory = (name: string): string => join(directory.path, name);
  const state = (name: string): string => (inMemory ? ':memory:' : inDirectory(name));
  const accessKey = accessKeyOf(directory.token);
  const doorkeeper = doorkeeperOf(accessKey);
  const open = async (name: string, listener: RequestListener): Promise<LoopbackServer> => {
    const server = await listenNear(guarded(listener, doorkeeper), directory.ports[name]);
    cleanUp.push(() => server.close());
    return server;
  };

  const report = (fault: string): void => logger.warn('a loss was accepted', { fault });
  const noteStart = inMemory ? undefined : await checkStores(directory.path, { accept: acceptLoss, report });
  let gateway: Gateway | undefined;
  const dynamodb = await startDynamoDb({
    directory: inMemory ? undefined : inDirectory('dynamodb'),
    port: directory.ports.dynamodb ?? 0,
    accessKey,
    doorkeeperModule: new URL('./rights/doorkeeper.ts', import.meta.url).href,
    acceptLoss,
    streamed: { attribute: tableSchema.partitionKey, prefix: eventPartitions },
    words: storeWords,
    logger,
    onEnd(cause) {
      const trouble = partEnded('the database of this platform', cause);
      logger.error(trouble.detail);
      gateway?.report(trouble);
    },
  });
  cleanUp.push(() => dynamodb.close());
  const objects = await openS3({
    directory: inDirectory('s3'),
    buckets: [bucket],
    expiring: expiringPrefixes,
    flush: !inMemory,
    logger,
  });
  const s3 = await open('s3', objects.listener);
  const ssm = await open(
    'ssm',
    ssmListener(await openParameterStore(inDirectory('ssm'), { acceptLoss, words: storeWords }), logger),
  );
  const sts = await open('sts', stsListener(toolSessions(accessKey), logger));
  const busFile = inDirectory('events.jsonl');
  const eventBus = await open('eventBus', eventBusListener({ name: eventBusName, file: busFile, logger }));
  // These answer once they can do their work; until then clients retry.
  const stepFunctionsDoor = door();
  const stepFunctions = await open('stepFunctions', stepFunctionsDoor.listener);
  const codeBuildDoor = door();
  const codeBuild = await open('codeBuild', codeBuildDoor.listener);
  const buildsGate = door();
  const credentials = await open('builds', buildsGate.listener);
  const endpoints: Endpoints = {
    dynamodb: dynamodb.url,
    s3: s3.url,
    ssm: ssm.url,
    stepFunctions: stepFunctions.url,
    codeBuild: codeBuild.url,
    eventBus: eventBus.url,
    sts: sts.url,
    builds: credentials.url,
  };

  const variables = platformEnvironment({
    endpoints,
    accessKey,
    dataDirectory: directory.path,
    runnerProjects: product.runnerProjects,
    providerTypes: await product.providerTypes(),
    templateSources: product.templateSources ?? 'git',
    documents: product.documents ?? { upstream: [], defaultStorage: 'none' },
  });
  cleanUp.push(setEnvironment(variables));
  await ensureTable(dynamodb.url, tableName, await product.tableSchema(), accessKey);
  const { measured, note } = measuresOf();
  const ofProduct = await product.functions();
  const environmentOf = (name: string) => ({ AWS_ACCESS_KEY_ID: functionKeyOf(accessKey, name) });
  const threads = threadedFunctions(ofProduct, inMemory ? {} : (product.inThreads ?? {}), { logger, environmentOf });
  cleanUp.push(() => threads.close());
  const lambdas = lambdaHost(threads.functions, note);

  const projects = await product.projects(variables, directory.path);
  const { credentialsOfBuilds } = product;
  if (credentialsOfBuilds) buildsGate.open(buildsDoor(await credentialsOfBuilds(), logger));
  const { builds, store: buildStore } = startCodeBuild({
    projects,
    identityOf: ({ id }) => identityOfBuild(accessKey, id),
    statePath: state('builds.sqlite'),
    dataDirectory: directory.path,
    graceMs,
    words: storeWords,
    logger,
  });
  cleanUp.push(() => buildStore.close());
  const { executions, store, machines, rules } = await startWorkflows({
    machinesDirectory: product.machinesDirectory,
    statePath: state('executions.sqlite'),
    projectNames: product.runnerProjects,
    lambdas,
    builds,
    rules: product.statusRules,
    concurrency: runsAtOnce(variables),
    words: storeWords,
    logger,
  });
  cleanUp.push(() => store.close());
  const logFile = inDirectory('platform.log');
  cleanUp.push(startHousekeeping({ executions: store, builds: buildStore, objects, logFile, logger }));
  // Running functions still use everything above; one that hangs must not keep the platform from stopping.
  cleanUp.push(() => Promise.race([lambdas.idle(), pause(5_000, undefined, { ref: false })]));
  cleanUp.push(async () => {
    // In this order: executions that end stop their builds, which kills them.
    const ended = builds.shutDown();
    executions.shutDown();
    await ended;
  });

  const { stream: functionName } = product;
  if (functionName !== undefined)
    cleanUp.push(startEventSource({ databaseUrl: dynamodb.url, accessKey, lambdas, functionName, logger }));

  await noteStart?.();
  // First the tools that an earlier platform left running, then its executions: when a run is finished, no tool is running any more.
  await builds.recover();
  executions.recover();
  stepFunctionsDoor.open(stepFunctionsListener({ executions, store, machines, express: expressMachines, logger }));
  codeBuildDoor.open(codeBuildListener(builds, logger));
  const access = { token: directory.token, usersFile: usersFile(directory.path), ...(oidc && { oidc }) };
  const { routesModule, console = false } = product;
  const doorOptions = { access, port: apiPort, console, logger, ...(!inMemory && { directory: directory.path }) };
  const api = await (routesModule === undefined || inMemory
    ? startGateway(await product.routes(), doorOptions)
    : startGatewayThread({
        ...doorOptions,
        routesModule: routesModule.url,
        environment: environmentOf(routesModule.functionName),
      }));
  gateway = api;
  cleanUp.push(() => api.close());
  rules.resume();

  const numbers = () => ({ executions: store.counts(), builds: buildStore.all(), measured });
  const collect = async () => (await product.metrics?.(numbers())) ?? [];
  const metrics = await listenNear(metricsListener(collect, logger), directory.ports.metrics);
  cleanUp.push(() => metrics.close());

  const calledEvery = (functionName: string | undefined, seconds: number, atStart: boolean) => {
    if (functionName === undefined) return undefined;
    const scheduler = startScheduler({ lambdas, functionName, seconds, logger, atStart });
    cleanUp.push(() => scheduler.stop());
    return scheduler;
  };
  const scheduler = calledEvery(product.tick, tickSeconds, true);
  const quickScheduler = calledEvery(product.quickTick, tickSeconds / 5, false);
  const servers = { s3, ssm, sts, stepFunctions, codeBuild, builds: credentials, dynamodb, eventBus, metrics };
  await directory.publish({
    apiUrl: api.url,
    token: directory.token,
    ...installationIdentity(),
    runner,
    since: new Date().toISOString(),
    ...(oidc && { oidc: { issuer: oidc.issuer, audiences: [...oidc.audiences] } }),
    endpoints: { ...endpoints },
    metricsUrl: `${metrics.url}/metrics`,
    ports: Object.fromEntries(Object.entries(servers).map(([name, { port }]) => [name, port])),
  });
  logger.info('the platform is up', { api: api.url, runner, directory: directory.path });
  return {
    apiUrl: api.url,
    metricsUrl: `${metrics.url}/metrics`,
    token: directory.token,
    endpoints,
    builds,
    stop,
    executions: { ...executions, store, machines },
    objects: (prefix) => objects.keys(bucket, prefix),
    tick: async () => scheduler?.tick(),
    quickTick: async () => quickScheduler?.tick(),
  };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let under: Promise<void> | undefined;
  return () => {
    under ??= work();
    return under;
  };
}
