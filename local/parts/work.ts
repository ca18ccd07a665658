/** Functions, builds and executions of a platform, in their environment. */
import { setTimeout as pause } from 'node:timers/promises';
import type { BuildStore } from 'aws-on-loopback/codebuild/build-store.ts';
import type { LocalBuilds } from 'aws-on-loopback/codebuild/builds.ts';
import { codeBuildListener } from 'aws-on-loopback/codebuild/codebuild-listener.ts';
import { startEventSource } from 'aws-on-loopback/event-bus/event-source.ts';
import { type LambdaHost, lambdaHost } from 'aws-on-loopback/lambda/lambda-host.ts';
import { threadedFunctions } from 'aws-on-loopback/lambda/threaded-functions.ts';
import { stepFunctionsListener } from 'aws-on-loopback/stepfunctions/stepfunctions-listener.ts';
import { startCodeBuild, startWorkflows, type WorkflowServices } from 'aws-on-loopback/workflow-services.ts';
import { expressMachines } from '#contracts/state-inputs.ts';
import { buildsDoor } from '../api-gateway/builds-door.ts';
import { ensureTable } from '../ensure-table.ts';
import { platformEnvironment, runsAtOnce, setEnvironment, tableName } from '../environment.ts';
import { startHousekeeping } from '../housekeeping.ts';
import { measuresOf } from '../metrics/measured.ts';
import { identityOfBuild } from '../rights/access-key.ts';
import { storeWords } from '../store-words.ts';
import { environmentOf, type Ground, inDirectory, stateIn } from './ground.ts';
import type { Services } from './services.ts';

/** The environment that functions and builds find: set before any function is imported. */
export async function startEnvironment(
  ground: Ground,
  { endpoints }: Services,
  agents: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const { product, accessKey, directory } = ground;
  const variables = platformEnvironment({
    endpoints,
    accessKey,
    dataDirectory: directory.path,
    runnerProjects: product.runnerProjects,
    providerTypes: await product.providerTypes(),
    templateSources: product.templateSources ?? 'git',
    documents: product.documents ?? { upstream: [], defaultStorage: 'none' },
    agents,
  });
  ground.onStop(setEnvironment(variables));
  await ensureTable(endpoints.dynamodb, tableName, await product.tableSchema(), accessKey);
  return variables;
}

export interface Functions {
  readonly lambdas: LambdaHost;
  /** Last values, by the name of a measure. */
  readonly measured: ReadonlyMap<string, number>;
}

export async function startFunctions(ground: Ground): Promise<Functions> {
  const { product, inMemory, logger } = ground;
  const { measured, note } = measuresOf();
  const threads = threadedFunctions(await product.functions(), inMemory ? {} : (product.inThreads ?? {}), {
    logger,
    environmentOf: (name) => environmentOf(ground, name),
  });
  ground.onStop(() => threads.close());
  return { lambdas: lambdaHost(threads.functions, note), measured };
}

export interface StartedWork extends WorkflowServices {
  readonly builds: LocalBuilds;
  readonly buildStore: BuildStore;
}

/** Builds and executions, neither of which begins before `recover` has ended what an earlier platform left. */
export async function startWork(
  ground: Ground,
  { doors, objects }: Services,
  { lambdas, variables }: { readonly lambdas: LambdaHost; readonly variables: Readonly<Record<string, string>> },
): Promise<StartedWork> {
  const { product, directory, accessKey, graceMs, logger } = ground;
  const projects = await product.projects(variables, directory.path);
  const { credentialsOfBuilds } = product;
  if (credentialsOfBuilds) doors.builds.open(buildsDoor(await credentialsOfBuilds(), logger));
  const { builds, store: buildStore } = startCodeBuild({
    projects,
    identityOf: ({ id }) => identityOfBuild(accessKey, id),
    statePath: stateIn(ground, 'builds.sqlite'),
    dataDirectory: directory.path,
    graceMs,
    words: storeWords,
    logger,
  });
  ground.onStop(() => buildStore.close());
  const workflows = await startWorkflows({
    machinesDirectory: product.machinesDirectory,
    statePath: stateIn(ground, 'executions.sqlite'),
    projectNames: product.runnerProjects,
    lambdas,
    builds,
    rules: product.statusRules,
    concurrency: runsAtOnce(variables),
    words: storeWords,
    logger,
  });
  const { executions, store } = workflows;
  ground.onStop(() => store.close());
  const logFile = inDirectory(ground, 'platform.log');
  ground.onStop(startHousekeeping({ executions: store, builds: buildStore, objects, logFile, logger }));
  // Running functions still use everything above; one that hangs must not keep the platform from stopping.
  ground.onStop(() => Promise.race([lambdas.idle(), pause(5_000, undefined, { ref: false })]));
  ground.onStop(async () => {
    // In this order: executions that end stop their builds, which kills them.
    const ended = builds.shutDown();
    executions.shutDown();
    await ended;
  });
  return { ...workflows, builds, buildStore };
}

/** What reads the stream of the table, if the product has such a function. */
export function startStream(ground: Ground, { servers }: Services, lambdas: LambdaHost): void {
  const { accessKey, logger } = ground;
  const { stream: functionName } = ground.product;
  if (functionName === undefined) return;
  const databaseUrl = servers.dynamodb.url;
  ground.onStop(startEventSource({ databaseUrl, accessKey, lambdas, functionName, logger }));
}

/** First the tools that an earlier platform left running, then its executions: when a run is finished, no tool is running any more. */
export async function recover(
  { logger }: Ground,
  { doors }: Services,
  { builds, executions, store, machines }: StartedWork,
): Promise<void> {
  await builds.recover();
  executions.recover();
  const express = expressMachines;
  doors.stepFunctions.open(stepFunctionsListener({ executions, store, machines, express, logger }));
  doors.codeBuild.open(codeBuildListener(builds, logger));
}
