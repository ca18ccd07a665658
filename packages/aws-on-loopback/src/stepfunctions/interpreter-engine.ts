/** Machines on aws-local-stepfunctions, with additions: signals that reach running tasks, and outcomes as AWS names them. */
import { setImmediate } from 'node:timers/promises';
import {
  ExecutionAbortedError,
  ExecutionError,
  ExecutionTimeoutError,
  StateMachine,
  type StateMachineDefinition,
} from 'aws-local-stepfunctions';
import {
  allStates,
  type CompiledMachine,
  type EngineEvent,
  type MachineDefinition,
  type MachineRun,
  type Outcome,
  type RunRequest,
  TaskFault,
} from './asl-engine.ts';
import { type HashedFields, withHashes, withTexts } from './hash-parameters.ts';
import { bounded, faultsOf, fitted } from './local-subset.ts';

type LibraryRun = ReturnType<StateMachine['run']>;
type LibraryEvent = LibraryRun['eventLogs'] extends AsyncGenerator<infer Event> ? Event : never;
type Json = Parameters<StateMachine['run']>[0];

interface Task {
  readonly name: string;
  readonly resource: string;
  readonly timeoutMs: number;
  readonly outermost: string | undefined;
  readonly hashes: HashedFields;
}

/** Prepares a machine, once. Throws a sentence for every state that would run differently here than in AWS. */
export function compile(name: string, definition: MachineDefinition): CompiledMachine {
  const faults = faultsOf(definition);
  if (faults.length > 0) throw new Error(`${name} does not run on this platform: ${faults.join('; ')}`);
  // Validating costs 70 ms and is the tests' work; the definition is only read, so one machine serves all runs.
  const machine = new StateMachine(fitted(definition) as StateMachineDefinition, {
    validationOptions: { noValidate: true },
  });
  const tasks = [...allStates(definition)].flatMap(({ name: state, state: definition, outermost }) => {
    const { Type, Resource, TimeoutSeconds } = definition;
    if (Type !== 'Task') return [];
    const timeoutMs = bounded(TimeoutSeconds) * 1000;
    return [{ name: state, resource: Resource ?? '', timeoutMs, outermost, hashes: withTexts(definition).hashes }];
  });
  return { run: (request) => run(machine, tasks, request) };
}

function run(machine: StateMachine, tasks: readonly Task[], request: RunRequest): MachineRun {
  const running = new Map<AbortController, Task>();
  let ended = false;
  let forced: Outcome | undefined;
  const abortTasks = (concerned: (task: Task) => boolean): void => {
    for (const [controller, task] of running) if (concerned(task)) controller.abort();
  };
  const handlerOf = (task: Task) => async (input: Json) => {
    // The interpreter's own event "entered" is emitted before anything the task does.
    await setImmediate();
    const controller = new AbortController();
    // An aborted interpreter still starts a task it was waiting to retry.
    if (ended || forced) throw new ExecutionAbortedError();
    running.set(controller, task);
    const late = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout | undefined;
    const begins = (): void => {
      timer ??= setTimeout(() => {
        request.onEvent({ kind: 'taskTimedOut', state: task.name, type: 'Task', resource: task.resource });
        const fault = new TaskFault('States.Timeout', `${task.name} took longer than ${task.timeoutMs / 1000} s`);
        late.reject(fault);
        controller.abort(fault);
      }, task.timeoutMs);
    };
    try {
      const call = {
        state: task.name,
        resource: task.resource,
        input: withHashes(structuredClone(input), task.hashes),
        begins,
        signal: controller.signal,
      };
      return (await Promise.race([request.runTask(call), late.promise])) as Json;
    } finally {
      clearTimeout(timer);
      running.delete(controller);
    }
  };

  const execution = machine.run(request.input as Json, {
    overrides: { taskResourceLocalHandlers: Object.fromEntries(tasks.map((task) => [task.name, handlerOf(task)])) },
    context: request.context as unknown as Record<string, Json>,
  });
  void report(execution, (event) => {
    request.onEvent(event);
    // The interpreter drops the siblings of a failed branch but lets their tasks run on.
    if (event.kind === 'failed' && event.type !== 'Task') abortTasks(({ outermost }) => outermost === event.state);
  });
  const outcome = execution.result
    .then((output): Outcome => ({ status: 'SUCCEEDED', output }), toOutcome)
    .then(async (reached) => {
      ended = true;
      abortTasks(() => true);
      await setImmediate();
      return forced ?? reached;
    });
  return {
    outcome,
    abort() {
      forced ??= { status: 'ABORTED' };
      execution.abort();
    },
    fail(error, cause) {
      forced ??= { status: 'FAILED', error, cause };
      execution.abort();
    },
  };
}

function toOutcome(thrown: unknown): Outcome {
  if (thrown instanceof ExecutionTimeoutError) return { status: 'TIMED_OUT' };
  if (thrown instanceof ExecutionAbortedError) return { status: 'ABORTED' };
  const cause = thrown instanceof ExecutionError ? thrown.cause : thrown;
  if (cause instanceof Error) return { status: 'FAILED', error: cause.name, cause: cause.message };
  return { status: 'FAILED', error: 'States.Runtime', cause: String(cause) };
}

const kinds = {
  StateEntered: 'entered',
  StateExited: 'exited',
  StateFailed: 'failed',
  StateCaught: 'caught',
  StateRetried: 'retried',
  MapIterationStarted: 'iterationStarted',
  MapIterationSucceeded: 'iterationSucceeded',
  MapIterationFailed: 'iterationFailed',
} as const satisfies Partial<Record<LibraryEvent['type'], EngineEvent['kind']>>;

async function report(execution: LibraryRun, onEvent: (event: EngineEvent) => void): Promise<void> {
  for await (const event of execution.eventLogs) {
    if (!(event.type in kinds)) continue;
    const { type, ...rest } = event as Extract<LibraryEvent, { type: keyof typeof kinds }>;
    const { name, ...more } = 'parentState' in rest ? { ...rest.parentState, index: rest.index } : rest.state;
    onEvent({ ...more, kind: kinds[type], state: name } as EngineEvent);
  }
}
