/** What a Task state's `Resource` does here: Lambda functions, nested executions, builds. */
import { z } from 'zod';
import { camelCase, describeBuild, parseStartBuild, pascalCase, withKeys } from '../codebuild/build-shapes.ts';
import type { Build } from '../codebuild/build-store.ts';
import type { LocalBuilds } from '../codebuild/builds.ts';
import type { LambdaHost } from '../lambda/lambda-host.ts';
import { nameOfArn, region } from '../names.ts';
import { AwsFault } from '../server/aws-json.ts';
import { type TaskCall, TaskFault } from './asl-engine.ts';
import type { Execution, ExecutionStore } from './execution-store.ts';
import { describeForCause, type Executions, withinLimit } from './executions.ts';
import { taskEvent, taskScheduled } from './history-events.ts';
import type { Machine } from './machines.ts';

export interface IntegrationOptions {
  readonly lambdas: LambdaHost;
  readonly builds: LocalBuilds;
  readonly store: ExecutionStore;
  readonly machineNamed: (name: string) => Machine | undefined;
  /** Given as a function: executions and integrations need each other. */
  readonly executions: () => Executions;
}

type Integration = (call: TaskCall, submitted: (output: unknown) => void) => Promise<unknown>;

const InvokeInput = z.object({ FunctionName: z.string(), Payload: z.unknown() });
const StartExecutionInput = z.object({ StateMachineArn: z.string(), Name: z.string().optional(), Input: z.unknown() });

/** AWS stops what a state waits for when the execution is aborted, and not when the time of the state is up. */
const timedOut = (signal: AbortSignal): boolean => signal.reason instanceof TaskFault;

/** A build as Step Functions shows it: the API's shape with capital letters. */
const shown = (build: Build): unknown => withKeys(describeBuild(build), pascalCase);

/** The work of all Task states, with the events that a history shows of it. */
export function runTaskWith(options: IntegrationOptions): (execution: Execution, call: TaskCall) => Promise<unknown> {
  const integrationOf = integrationsOf(options);
  const { store } = options;
  return async (execution, call) => {
    const report = (step: Parameters<typeof taskEvent>[1], details?: Parameters<typeof taskEvent>[2]): void => {
      // Events of a task after its time was up, or after its execution ended, are not part of the history.
      if (!call.signal.aborted) store.append(execution.arn, taskEvent(call.resource, step, details));
    };
    store.append(execution.arn, taskScheduled(call.resource, call.input, region));
    report('Started');
    try {
      withinLimit(call.input, `the input of ${call.state}`);
      const result = await integrationOf(call.resource)(call, (output) =>
        report('Submitted', { output: JSON.stringify(output) }),
      );
      withinLimit(result, `the result of ${call.state}`);
      report('Succeeded', { output: JSON.stringify(result) });
      return result;
    } catch (error) {
      const fault = error instanceof Error ? error : new TaskFault('States.Runtime', String(error));
      report('Failed', { error: fault.name, cause: fault.message });
      throw fault;
    }
  };
}

function startBuild(builds: IntegrationOptions['builds'], input: unknown): Build {
  try {
    return builds.start(parseStartBuild(withKeys(input, camelCase)));
  } catch (error) {
    if (error instanceof AwsFault) throw new TaskFault(`CodeBuild.${error.code}`, error.message);
    throw error;
  }
}

/** What a resource of a Task state is done by. Throws `TaskFault` for one that is not emulated. */
function integrationsOf({
  lambdas,
  builds,
  machineNamed,
  executions,
}: IntegrationOptions): (resource: string) => Integration {
  const startNested = (input: unknown): Execution => {
    const { StateMachineArn, Name, Input = {} } = StartExecutionInput.parse(input);
    const machine = machineNamed(nameOfArn(StateMachineArn));
    if (!machine)
      throw new TaskFault('StepFunctions.StateMachineDoesNotExistException', `no machine ${StateMachineArn}`);
    try {
      return executions().start({ machine, name: Name, input: JSON.stringify(Input) });
    } catch (error) {
      if (error instanceof AwsFault) throw new TaskFault(`StepFunctions.${error.code}Exception`, error.message);
      throw error;
    }
  };

  const integrations: Readonly<Record<string, Integration>> = {
    'arn:aws:states:::lambda:invoke': async ({ input, begins }) => {
      const { FunctionName, Payload } = InvokeInput.parse(input);
      const result = await lambdas.invoke(nameOfArn(FunctionName), Payload, begins);
      return { ExecutedVersion: '$LATEST', Payload: result, StatusCode: 200 };
    },
    'arn:aws:states:::states:startExecution.sync:2': async ({ input, signal, begins }, submitted) => {
      begins();
      const child = startNested(input);
      const stop = (): void => {
        if (!timedOut(signal)) executions().stop(child.arn, undefined, 'the parent execution ended');
      };
      signal.addEventListener('abort', stop);
      submitted({ ExecutionArn: child.arn, StartDate: child.startedAt });
      const ended = await executions().ended(child.arn);
      signal.removeEventListener('abort', stop);
      const description = describeForCause(ended);
      if (ended.status !== 'SUCCEEDED') throw new TaskFault('States.TaskFailed', description);
      return { ...JSON.parse(description), Input: JSON.parse(ended.input), Output: JSON.parse(ended.output ?? 'null') };
    },
    'arn:aws:states:::states:startExecution': async ({ input, begins }) => {
      begins();
      const child = startNested(input);
      return { ExecutionArn: child.arn, StartDate: child.startedAt };
    },
    'arn:aws:states:::codebuild:startBuild': async ({ input, begins }) => {
      begins();
      return { Build: shown(startBuild(builds, input)) };
    },
    'arn:aws:states:::codebuild:startBuild.sync': async ({ input, signal, begins }, submitted) => {
      begins();
      const build = startBuild(builds, input);
      const stop = (): void => {
        if (!timedOut(signal)) builds.stop(build.id);
      };
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      submitted({ Build: shown(build) });
      const ended = await builds.ended(build.id);
      signal.removeEventListener('abort', stop);
      const result = { Build: shown(ended) };
      if (ended.status !== 'SUCCEEDED') throw new TaskFault('States.TaskFailed', JSON.stringify(result));
      return result;
    },
  };

  return (resource) => {
    const known = integrations[resource];
    if (known) return known;
    if (resource.startsWith('arn:aws:lambda:'))
      return ({ input, begins }) => lambdas.invoke(nameOfArn(resource), input, begins);
    throw new TaskFault('States.Runtime', `the resource ${resource} is not emulated on this platform`);
  };
}
