/** Runs the real state machine files on aws-local-stepfunctions, with the real task handlers and a given builder. */
import {
  ExecutionAbortedError,
  ExecutionError,
  StateMachine,
  type StateMachineDefinition,
} from 'aws-local-stepfunctions';
import { bounded } from 'aws-on-loopback/stepfunctions/local-subset.ts';
import { machineNames, machineOf, statesOf } from './asl-files.ts';

export interface Outcome {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'ABORTED';
  readonly error?: string;
  readonly cause?: string;
}

/** A build as Step Functions passes it on. */
export interface BuildRequest {
  readonly ProjectName: string;
  readonly ImageOverride?: string;
  readonly IdempotencyToken?: string;
  readonly EnvironmentVariablesOverride: readonly { readonly Name: string; readonly Value: string }[];
}

export interface ValidationContext {
  /** Calls a function by its file name. */
  readonly invoke: (name: string, input: unknown) => Promise<unknown>;
  /** Runs a build; throws `StateFault` when it fails. */
  readonly build: (request: BuildRequest) => Promise<unknown>;
  /** Why CodeBuild does not even start a build, for services that start builds of their own. */
  readonly refusal?: (variables: BuildRequest['EnvironmentVariablesOverride']) => StateFault | undefined;
  /** Called when a child that has a name of its own ended. */
  readonly ended?: (machine: string, name: string, outcome: Outcome, input: unknown) => Promise<void>;
}

/** An error under the name that a state machine sees. */
export class StateFault extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** As Lambda reports a function that failed for no reason of its own. */
export const internalFault = (): StateFault =>
  new StateFault('InternalFault', JSON.stringify({ errorType: 'InternalFault', errorMessage: 'it broke' }));

type Json = Parameters<StateMachine['run']>[0];
const copy = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null)) as Json;

const definitions = new Map(
  machineNames.map((name) => {
    const machine = machineOf(name);
    const options = { validationOptions: { noValidate: true } };
    // A timer of Node that is longer ends at once.
    const definition = { ...machine, TimeoutSeconds: bounded(machine.TimeoutSeconds) };
    return [name, { machine, interpreter: new StateMachine(definition as unknown as StateMachineDefinition, options) }];
  }),
);

/** An implementation of Step Functions with our machines on it. */
export interface Machines {
  /** `machine/state` in the order they were entered, over all executions. */
  readonly entered: string[];
  /** `machine/state` whose Catch was taken. */
  readonly caught: Set<string>;
  /** Runs one execution to its end. */
  run(machine: string, input: unknown, name?: string): Promise<Outcome>;
  /** StopExecution on everything that runs: parents and children. */
  abortAll(): void | Promise<void>;
}

export class StateMachines implements Machines {
  readonly entered: string[] = [];
  readonly caught = new Set<string>();
  readonly #around: ValidationContext;
  readonly #aborts = new Set<() => void>();
  #count = 0;

  constructor(around: ValidationContext) {
    this.#around = around;
  }

  async run(machine: string, input: unknown, name = `auto-${++this.#count}`): Promise<Outcome> {
    const found = definitions.get(machine);
    if (!found) throw new Error(`there is no state machine ${machine}`);
    const id = `arn:aws:states:eu-central-1:000000000000:execution:${machine}:${name}`;
    const states = statesOf(found.machine);
    const tasks = states.filter(([, state]) => state.Type === 'Task');
    const waits = states.filter(([, state]) => state.Type === 'Wait');
    const execution = found.interpreter.run(copy(input), {
      overrides: {
        taskResourceLocalHandlers: Object.fromEntries(
          tasks.map(([state, { Resource = '' }]) => [state, (given: Json) => this.#task(Resource, given)]),
        ),
        waitTimeOverrides: Object.fromEntries(waits.map(([state]) => [state, 0])),
        retryIntervalOverrides: Object.fromEntries(tasks.map(([state]) => [state, 0])),
      },
      context: { Execution: { Id: id, Name: name, Input: copy(input), StartTime: '2026-11-20T12:00:00.000Z' } },
    });
    this.#aborts.add(execution.abort);
    const reported = this.#listen(machine, execution.eventLogs);
    const outcome = await execution.result.then((): Outcome => ({ status: 'SUCCEEDED' }), toOutcome);
    this.#aborts.delete(execution.abort);
    if (outcome.status !== 'ABORTED') await reported;
    return outcome;
  }

  abortAll(): void {
    for (const abort of this.#aborts) abort();
  }

  async #listen(machine: string, events: ReturnType<StateMachine['run']>['eventLogs']): Promise<void> {
    for await (const event of events) {
      if (event.type === 'StateEntered') this.entered.push(`${machine}/${event.state.name}`);
      if (event.type === 'StateCaught') this.caught.add(`${machine}/${event.state.name}`);
    }
  }

  async #task(resource: string, input: Json): Promise<Json> {
    if (resource.startsWith('arn:aws:lambda:')) {
      return copy(await this.#around.invoke(resource.split(':').at(-1) ?? '', copy(input)));
    }
    if (resource === 'arn:aws:states:::states:startExecution.sync:2') {
      const { StateMachineArn, Input, Name } = input as { StateMachineArn: string; Input: unknown; Name?: string };
      const machine = StateMachineArn.split(':').at(-1) ?? '';
      const outcome = await this.run(machine, Input, Name);
      if (Name !== undefined) await this.#around.ended?.(machine, Name, outcome, Input);
      const description = {
        Status: outcome.status,
        Error: outcome.error,
        Cause: outcome.cause,
        Input: JSON.stringify(Input),
      };
      if (outcome.status === 'SUCCEEDED') return copy(description);
      throw new StateFault('States.TaskFailed', JSON.stringify(description));
    }
    if (/^arn:aws:states:::codebuild:startBuild(\.sync)?$/.test(resource)) {
      return copy(await this.#around.build(copy(input) as unknown as BuildRequest));
    }
    throw new Error(`the resource ${resource} is not known here`);
  }
}

function toOutcome(thrown: unknown): Outcome {
  if (thrown instanceof ExecutionAbortedError) return { status: 'ABORTED' };
  const reason = thrown instanceof ExecutionError ? thrown.cause : thrown;
  if (reason instanceof Error) return { status: 'FAILED', error: reason.name, cause: reason.message };
  return { status: 'FAILED', error: 'States.Runtime', cause: String(reason) };
}
