/** The executions of this platform: start, stop, wait for, describe; all state is in the store, runs are in the engine. */
import pLimit, { type LimitFunction } from 'p-limit';
import { executionArn, nameOfArn } from '../names.ts';
import { AwsFault } from '../server/aws-json.ts';
import { type EngineEvent, type MachineRun, type Outcome, type TaskCall, TaskFault } from './asl-engine.ts';
import type { Execution, ExecutionStore } from './execution-store.ts';
import { executionEnded, executionStarted, toHistory } from './history-events.ts';
import type { Machine } from './machines.ts';

/** 256 KiB: what Step Functions lets pass between states. */
const payloadLimit = 262_144;
export const roleArn = 'arn:aws:iam::000000000000:role/local';

interface StartRequest {
  readonly machine: Machine;
  /** 1 to 80 characters. @default a random id */
  readonly name?: string | undefined;
  /** JSON text. */
  readonly input: string;
  /** It waits until fewer than `concurrency` of those that wait are at work. @default false: it starts at once */
  readonly waits?: boolean;
}

export interface Executions {
  /** As StartExecution: the same name with the same input is the same execution while it runs; else `ExecutionAlreadyExists`. */
  start(request: StartRequest): Execution;
  /** Ends it as ABORTED and aborts its tasks; returns the stored execution, also when it had ended before. */
  stop(arn: string, error: string | undefined, cause: string | undefined): Execution;
  /** Throws `ExecutionDoesNotExist`. */
  get(arn: string): Execution;
  /** Resolves when it has ended. */
  ended(arn: string): Promise<Execution>;
  /** Ends as ABORTED the executions that a dead process left running; those that it left waiting wait again. */
  recover(): void;
  /** Ends running executions as ABORTED and starts no more; those that wait are left for the next start. */
  shutDown(): void;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  /** Whether it was shut down. */
  readonly stopping: boolean;
}

export interface ExecutionsOptions {
  readonly store: ExecutionStore;
  readonly runTask: (execution: Execution, call: TaskCall) => Promise<unknown>;
  /** True when the end of an execution has to be followed up by a status-change rule. */
  readonly needsFollowUp: (execution: Execution) => boolean;
  readonly onEnd: (execution: Execution) => void;
  readonly machineNamed: (name: string) => Machine | undefined;
  /** How many of those that wait are at work at once. */
  readonly concurrency: number;
}

interface Live {
  execution: Execution;
  run: MachineRun | undefined;
  transitions: number;
  readonly end: PromiseWithResolvers<Execution>;
}

export function startExecutions(options: ExecutionsOptions): Executions {
  return new RunningExecutions(options);
}

type End = Pick<Execution, 'status' | 'output' | 'error' | 'cause'>;

const stoppedWith = (cause: string): End => ({ status: 'ABORTED', output: null, error: 'PlatformStopped', cause });

class RunningExecutions implements Executions {
  readonly #options: ExecutionsOptions;
  readonly #live = new Map<string, Live>();
  readonly #turn: LimitFunction;
  #closed = false;

  constructor(options: ExecutionsOptions) {
    this.#options = options;
    this.#turn = pLimit(options.concurrency);
  }

  get stopping(): boolean {
    return this.#closed;
  }

  start({ machine, name = crypto.randomUUID(), input, waits = false }: StartRequest): Execution {
    if (this.#closed) throw new AwsFault('ServiceUnavailable', 'the platform is stopping', 503);
    if (Buffer.byteLength(input) > payloadLimit)
      throw new AwsFault('InvalidExecutionInput', `the input is larger than ${payloadLimit} bytes`);
    const arn = executionArn(machine.name, name);
    const execution: Execution = {
      arn,
      machine: machine.name,
      name,
      input,
      status: 'RUNNING',
      output: null,
      error: null,
      cause: null,
      startedAt: Date.now(),
      stoppedAt: null,
      transitions: 0,
      followUp: 'none',
    };
    if (!this.#options.store.insert(execution, waits)) {
      const running = this.#live.get(arn)?.execution;
      if (running?.input === input) return running;
      throw new AwsFault('ExecutionAlreadyExists', `execution already exists: '${arn}'`);
    }
    if (waits) this.#wait(machine, this.#enter(execution));
    else this.#begin(machine, this.#enter(execution));
    return execution;
  }

  stop(arn: string, error: string | undefined, cause: string | undefined): Execution {
    const entry = this.#live.get(arn);
    if (!entry) return this.get(arn);
    const end = { status: 'ABORTED', output: null, error: error ?? null, cause: cause ?? null } as const;
    const stopped = this.#finish(entry.execution, entry.transitions, end);
    entry.run?.abort();
    return stopped;
  }

  get(arn: string): Execution {
    const execution = this.#live.get(arn)?.execution ?? this.#options.store.get(arn);
    if (!execution) throw new AwsFault('ExecutionDoesNotExist', `there is no execution ${arn}`);
    return execution;
  }

  async ended(arn: string): Promise<Execution> {
    return this.#live.get(arn)?.end.promise ?? this.get(arn);
  }

  recover(): void {
    const { store, machineNamed } = this.#options;
    for (const execution of store.list({ status: 'RUNNING', waits: false }))
      this.#finish(
        execution,
        execution.transitions,
        stoppedWith('the platform stopped while the execution was running'),
      );
    for (const execution of store.list({ status: 'RUNNING', waits: true }).toReversed()) {
      const machine = machineNamed(execution.machine);
      if (machine) this.#wait(machine, this.#enter(execution));
    }
  }

  shutDown(): void {
    this.#closed = true;
    this.#turn.clearQueue();
    for (const entry of [...this.#live.values()]) {
      if (!entry.run) {
        this.#live.delete(entry.execution.arn);
        entry.end.resolve(entry.execution);
        continue;
      }
      this.#finish(entry.execution, entry.transitions, stoppedWith('the platform was stopped'));
      entry.run?.abort();
    }
  }

  async idle(): Promise<void> {
    while (this.#live.size > 0) await Promise.all([...this.#live.values()].map((entry) => entry.end.promise));
  }

  #enter(execution: Execution): Live {
    const entry: Live = { execution, run: undefined, transitions: 0, end: Promise.withResolvers() };
    this.#live.set(execution.arn, entry);
    return entry;
  }

  #wait(machine: Machine, entry: Live): void {
    void this.#turn(async () => {
      // It may have been stopped meanwhile.
      if (this.#live.get(entry.execution.arn) !== entry) return;
      this.#options.store.begin(entry.execution.arn);
      this.#begin(machine, entry);
      await entry.end.promise;
    });
  }

  #begin(machine: Machine, entry: Live): void {
    const { execution } = entry;
    const { store, runTask } = this.#options;
    store.append(execution.arn, executionStarted(execution.input, roleArn));
    entry.run = machine.compiled.run({
      input: JSON.parse(execution.input),
      context: {
        Execution: { Id: execution.arn, Name: execution.name },
        StateMachine: { Id: machine.arn, Name: machine.name },
      },
      runTask: (call) => runTask(execution, call),
      onEvent: (event) => this.#observe(entry, event),
    });
    void entry.run.outcome.then((outcome) => {
      if (this.#live.has(execution.arn)) this.#finish(execution, entry.transitions, endOf(outcome));
    });
  }

  #observe(entry: Live, event: EngineEvent): void {
    if (!this.#live.has(entry.execution.arn)) return;
    if (event.kind === 'entered' || event.kind === 'retried') entry.transitions += 1;
    for (const line of toHistory(event)) this.#options.store.append(entry.execution.arn, line);
    if (event.kind !== 'exited' || Buffer.byteLength(JSON.stringify(event.output) ?? '') <= payloadLimit) return;
    entry.run?.fail('States.DataLimitExceeded', `the output of ${event.state} is larger than ${payloadLimit} bytes`);
  }

  #finish(execution: Execution, transitions: number, end: End): Execution {
    const { store, needsFollowUp, onEnd } = this.#options;
    const ended: Execution = { ...execution, ...end, stoppedAt: Date.now(), transitions };
    const finished: Execution = { ...ended, followUp: needsFollowUp(ended) ? 'pending' : 'none' };
    store.append(execution.arn, executionEnded(finished));
    store.finish(finished);
    const entry = this.#live.get(execution.arn);
    this.#live.delete(execution.arn);
    entry?.end.resolve(finished);
    // Executions that ended with an earlier process are followed up by `StatusRules.resume`.
    if (entry && !this.#closed) onEnd(finished);
    return finished;
  }
}

function endOf(outcome: Outcome): End {
  switch (outcome.status) {
    case 'SUCCEEDED':
      return { status: 'SUCCEEDED', output: JSON.stringify(outcome.output ?? null), error: null, cause: null };
    case 'FAILED':
      return { status: 'FAILED', output: null, error: outcome.error, cause: outcome.cause };
    default:
      return { status: outcome.status, output: null, error: null, cause: null };
  }
}

/** What AWS puts into `Cause` when a nested execution failed: the description of it, as JSON text. */
export function describeForCause(execution: Execution): string {
  return JSON.stringify({
    ExecutionArn: execution.arn,
    Name: execution.name,
    Status: execution.status,
    Input: execution.input,
    StateMachineArn: execution.arn
      .replace(':execution:', ':stateMachine:')
      .slice(0, -nameOfArn(execution.arn).length - 1),
    StartDate: execution.startedAt,
    StopDate: execution.stoppedAt ?? undefined,
    InputDetails: { Included: true },
    ...(execution.output !== null && { Output: execution.output, OutputDetails: { Included: true } }),
    ...(execution.error !== null && { Error: execution.error }),
    ...(execution.cause !== null && { Cause: execution.cause }),
  });
}

/** Fails a task whose payload does not fit; not caught by `States.ALL`, as in AWS. */
export function withinLimit(value: unknown, what: string): void {
  if (Buffer.byteLength(JSON.stringify(value) ?? '') <= payloadLimit) return;
  const fault = new TaskFault('States.DataLimitExceeded', `${what} is larger than ${payloadLimit} bytes`);
  throw Object.assign(fault, { isCatchable: false, isRetryable: false });
}
