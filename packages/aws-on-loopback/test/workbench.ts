/** Step Functions and CodeBuild with machines, functions and projects that a test brings along. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CodeBuildClient } from '@aws-sdk/client-codebuild';
import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { onTestFinished } from 'vitest';
import type { ProjectRun } from '../src/codebuild/build-run.ts';
import type { LocalBuilds } from '../src/codebuild/builds.ts';
import { codeBuildListener } from '../src/codebuild/codebuild-listener.ts';
import { type LambdaFunction, lambdaHost } from '../src/lambda/lambda-host.ts';
import { silentLogger } from '../src/logger.ts';
import { executionArn, stateMachineArn } from '../src/names.ts';
import type { StatusRule } from '../src/stepfunctions/status-change.ts';
import { stepFunctionsListener } from '../src/stepfunctions/stepfunctions-listener.ts';
import { startCodeBuild, startWorkflows, type WorkflowServices } from '../src/workflow-services.ts';
import { at, listening, temporaryDirectory } from './clients.ts';

export interface WorkbenchOptions {
  readonly machines?: Readonly<Record<string, object>>;
  readonly functions?: Readonly<Record<string, LambdaFunction>>;
  readonly projects?: Readonly<Record<string, ProjectRun>>;
  readonly rules?: readonly StatusRule[];
  readonly directory?: string;
  readonly graceMs?: number;
  readonly concurrency?: number;
  /** Executions at work at once. @default 100 */
  readonly executionsAtOnce?: number;
}

export interface Workbench extends WorkflowServices {
  readonly sfn: SFNClient;
  readonly codebuild: CodeBuildClient;
  readonly builds: LocalBuilds;
  readonly directory: string;
  /** Starts a machine and returns the description of its end. */
  run(
    machine: string,
    input?: unknown,
    name?: string,
  ): Promise<{ status?: string; output: unknown; error?: string; cause?: string }>;
  /** Types of the history's events. */
  historyOf(machine: string, name: string): Promise<readonly string[]>;
  close(): void;
}

/** A Task state with the fields that every one has. */
export const task = (Resource: string, more: object): object => ({
  Type: 'Task',
  Resource,
  TimeoutSeconds: 30,
  ...more,
});

export async function startWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  const directory = options.directory ?? (await temporaryDirectory());
  const machinesDirectory = join(directory, 'machines');
  await mkdir(machinesDirectory, { recursive: true });
  for (const [name, machine] of Object.entries(options.machines ?? {}))
    await writeFile(join(machinesDirectory, `${name}.asl.json`), JSON.stringify(machine));
  const projects = Object.entries(options.projects ?? {}).map(([name, run]) => ({
    name,
    run,
    environment: { PATH: process.env.PATH ?? '' },
  }));
  const { builds, store: buildStore } = startCodeBuild({
    projects,
    statePath: join(directory, 'builds.sqlite'),
    dataDirectory: directory,
    logger: silentLogger,
    concurrency: options.concurrency,
    graceMs: options.graceMs,
  });
  const workflows = await startWorkflows({
    machinesDirectory,
    statePath: join(directory, 'executions.sqlite'),
    builds,
    logger: silentLogger,
    lambdas: lambdaHost(options.functions ?? {}),
    rules: options.rules ?? [],
    projectNames: {},
    concurrency: options.executionsAtOnce ?? 100,
  });
  const sfn = new SFNClient(
    at((await listening(stepFunctionsListener({ ...workflows, express: ['ask-runner'], logger: silentLogger }))).url),
  );
  const codebuild = new CodeBuildClient(at((await listening(codeBuildListener(builds, silentLogger))).url));
  let closed = false;
  const close = (): void => {
    if (closed) return;
    closed = true;
    workflows.executions.shutDown();
    workflows.store.close();
  };
  onTestFinished(async () => {
    close();
    await builds.shutDown();
    buildStore.close();
  });
  return {
    ...workflows,
    sfn,
    codebuild,
    builds,
    directory,
    close,
    async run(machine, input = {}, name) {
      const stateMachineArn_ = stateMachineArn(machine);
      const { executionArn: arn } = await sfn.send(
        new StartExecutionCommand({ stateMachineArn: stateMachineArn_, input: JSON.stringify(input), name }),
      );
      await workflows.executions.ended(arn ?? '');
      const { status, output, error, cause } = await sfn.send(new DescribeExecutionCommand({ executionArn: arn }));
      return { status, output: output === undefined ? undefined : JSON.parse(output), error, cause };
    },
    async historyOf(machine, name) {
      const command = new GetExecutionHistoryCommand({ executionArn: executionArn(machine, name), maxResults: 1000 });
      return ((await sfn.send(command)).events ?? []).map(({ type }) => type ?? '');
    },
  };
}
