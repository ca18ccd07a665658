/** Our state machines on the Step Functions and CodeBuild of the local platform, with given functions and builds. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SFNClient } from '@aws-sdk/client-sfn';
import { type LambdaFunction, lambdaHost } from 'aws-on-loopback/lambda/lambda-host.ts';
import { silentLogger } from 'aws-on-loopback/logger.ts';
import { region, stateMachineArn } from 'aws-on-loopback/names.ts';
import { AwsFault } from 'aws-on-loopback/server/aws-json.ts';
import { type LoopbackServer, listenOnLoopback } from 'aws-on-loopback/server/loopback-server.ts';
import { stepFunctionsListener } from 'aws-on-loopback/stepfunctions/stepfunctions-listener.ts';
import { startCodeBuild, startWorkflows } from 'aws-on-loopback/workflow-services.ts';
import { expressMachines } from '#contracts/state-inputs.ts';
import { runnerTools } from '#functions/rights/runner-rights.ts';
import { machineNames, machineText } from '#test/pipeline/harness/asl-files.ts';
import type { ValidationContext } from '#test/pipeline/harness/state-machines.ts';
import type { FunctionCall } from './on-moto.ts';
import { ServiceMachines } from './service-machines.ts';

export interface OnLocal {
  readonly machines: ServiceMachines;
  close(): Promise<void>;
}

/** Our machines among these surroundings. */
export function startOnLocal(around: ValidationContext, functions: readonly string[]): Promise<OnLocal> {
  const texts = Object.fromEntries(machineNames.map((name) => [name, machineText(name)]));
  return startLocal(texts, functions, {
    // The fakes' executions live in another region.
    call: (name, input) => around.invoke(name, JSON.parse(JSON.stringify(input).replaceAll(region, 'eu-central-1'))),
    build: (environment) =>
      around.build({
        ProjectName: 'sim',
        EnvironmentVariablesOverride: variablesIn(environment),
      }),
    refusal: (environment) => around.refusal?.(variablesIn(environment)),
  });
}

const variablesIn = (environment: Readonly<Record<string, string>>) =>
  Object.entries(environment).map(([Name, Value]) => ({ Name, Value }));

async function startLocal(
  texts: Readonly<Record<string, string>>,
  functions: readonly string[],
  work: {
    readonly call: FunctionCall;
    build(environment: Readonly<Record<string, string>>): Promise<unknown>;
    refusal?(environment: Readonly<Record<string, string>>): Error | undefined;
  },
): Promise<OnLocal> {
  const directory = await mkdtemp(join(tmpdir(), 'kubeloom-conformance-'));
  const machinesDirectory = join(directory, 'machines');
  await mkdir(machinesDirectory);
  for (const [name, text] of Object.entries(texts)) await writeFile(join(machinesDirectory, `${name}.asl.json`), text);
  const { builds, store: buildStore } = startCodeBuild({
    projects: [{ name: 'sim', run: { kind: 'function', run: work.build }, environment: {} }],
    statePath: ':memory:',
    dataDirectory: directory,
    graceMs: 0,
    logger: silentLogger,
  });
  const lambdas: Record<string, LambdaFunction> = {};
  for (const name of functions) lambdas[name] = (input) => work.call(name, input);
  const start = builds.start.bind(builds);
  builds.start = (input) => {
    const variables = input.environmentVariablesOverride.map(({ name, value }) => [name, value]);
    const refused = work.refusal?.(Object.fromEntries(variables));
    if (refused) throw new AwsFault(refused.name.replace('CodeBuild.', ''), refused.message);
    return start(input);
  };
  const workflows = await startWorkflows({
    machinesDirectory,
    statePath: ':memory:',
    builds,
    logger: silentLogger,
    rules: [],
    concurrency: 100,
    lambdas: lambdaHost(lambdas),
    projectNames: Object.fromEntries(runnerTools.map((tool) => [tool, 'sim'])),
  });
  const server: LoopbackServer = await listenOnLoopback(
    stepFunctionsListener({ ...workflows, express: expressMachines, logger: silentLogger }),
  );
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new SFNClient({ endpoint: server.url, region, credentials, maxAttempts: 1 });
  return {
    machines: new ServiceMachines({ client, machines: Object.keys(texts), arnOf: stateMachineArn }),
    async close() {
      client.destroy();
      workflows.executions.shutDown();
      await builds.shutDown();
      await server.close();
      workflows.store.close();
      buildStore.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
