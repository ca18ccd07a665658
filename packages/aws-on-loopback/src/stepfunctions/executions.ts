/** The executions of this platform: start, stop, wait for, describe; all state is in the store, runs are in the engine. */
import pLimit from 'p-limit';
import { executionArn, nameOfArn } from '../names.ts';
import { AwsFault } from '../server/aws-json.ts';
import { type EngineEvent, type MachineRun, type Outcome, type TaskCall, TaskFault } from './asl-engine.ts';
import type { Execution, ExecutionStore } from './execution-store.ts';
import { executionEnded, executionStarted, toHistory } from './history-events.ts';
import type { Machine } from './machines.ts';

/** 256 KiB: what Step Functions lets pass between states. */
const payloadLimit = 262_144;
export const roleArn = 'arn:aws:iam::000000000000:role/local';

export interface StartRequest {
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
  const { store, runTask, needsFollowUp, onEnd, machineNamed } = options;
  const live = new Map<string, Live>();
  const turn = pLimit(options.concurrency);
  let closed = false;

  const get = (arn: string): Execution => {
    const execution = live.get(arn)?.execution ?? store.get(arn);
    if (!execution) throw new AwsFault('ExecutionDoesNotExist', `there is no execution ${arn}`);
    return execution;
  };

  const finish = (
    execution: Execution,
    transitions: number,
    end: Pick<Execution, 'status' | 'output' | 'error' | 'cause'>,
  ) => {
    const ended: Execution = { ...execution, ...end, stoppedAt: Date.now(), transitions };
    const finished: Execution = { ...ended, followUp: needsFollowUp(ended) ? 'pending' : 'none' };
    store.append(execution.arn, executionEnded(finished));
    store.finish(finished);
    const entry = live.get(execution.arn);
    live.delete(execution.arn);
    entry?.end.resolve(finished);
    // Executions that ended with an earlier process are followed up by `StatusRules.resume`.
    if (entry && !closed) onEnd(finished);
    return finished;
  };

  const observe = (entry: Live, event: EngineEvent): void => {
    if (!live.has(entry.execution.arn)) return;
    if (event.kind === 'entered' || event.kind === 'retried') entry.transitions += 1;
    for (const line of toHistory(event)) store.append(entry.execution.arn, line);
    if (event.kind !== 'exited' || Buffer.byteLength(JSON.stringify(event.output) ?? '') <= payloadLimit) return;
    entry.run?.fail('States.DataLimitExceeded', `the output of ${event.state} is larger than ${payloadLimit} bytes`);
  };

  const enter = (execution: Execution): Live => {
    const entry: Live = { execution, run: undefined, transitions: 0, end: Promise.withResolvers() };
    live.set(execution.arn, entry);
    return entry;
  };

  const begin = (machine: Machine, entry: Live): void => {
    const { execution } = entry;
    store.append(execution.arn, executionStarted(execution.input, roleArn));
    entry.run = machine.compiled.run({
      input: JSON.parse(execution.input),
      context: {
        Execution: { Id: execution.arn, Name: execution.name },
        StateMachine: { Id: machine.arn, Name: machine.name },
      },
      runTask: (call) => runTask(execution, call),
      onEvent: (event) => observe(entry, event),
    });
    void entry.run.outcome.then((outcome) => {
      if (live.has(execution.arn)) finish(execution, entry.transitions, endOf(outcome));
    });
  };

  const wait = (machine: Machine, entry: Live): void =>
    void turn(async () => {
      // It may have been stopped meanwhile.
      if (live.get(entry.execution.arn) !== entry) return;
      store.begin(entry.execution.arn);
      begin(machine, entry);
      await entry.end.promise;
    });

  return {
    get,
    start({ machine, name = crypto.randomUUID(), input, waits = false }) {
      if (closed) throw new AwsFault('ServiceUnavailable', 'the platform is stopping', 503);
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
      if (!store.insert(execution, waits)) {
        const running = live.get(arn)?.execution;
        if (running?.input === input) return running;
        throw new AwsFault('ExecutionAlreadyExists', `execution already exists: '${arn}'`);
      }
      if (waits) wait(machine, enter(execution));
      else begin(machine, enter(execution));
      return execution;
    },
    stop(arn, error, cause) {
      const entry = live.get(arn);
      if (!entry) return get(arn);
      const end = { status: 'ABORTED', output: null, error: error ?? null, cause: cause ?? null } as const;
      const stopped = finish(entry.execution, entry.transitions, end);
      entry.run?.abort();
      return stopped;
    },
    ended: async (arn) => live.get(arn)?.end.promise ?? get(arn),
    recover() {
      const cause = 'the platform stopped while the execution was running';
      for (const execution of store.list({ status: 'RUNNING', waits: false }))
        finish(execution, execution.transitions, {
          status: 'ABORTED',
          output: null,
          error: 'PlatformStopped',
          cause,
        });
      for (const execution of store.list({ status: 'RUNNING', waits: true }).toReversed()) {
        const machine = machineNamed(execution.machine);
        if (machine) wait(machine, enter(execution));
      }
    },
    shutDown() {
      closed = true;
      turn.clearQueue();
      for (const entry of [...live.values()]) {
        if (!entry.run) {
          live.delete(entry.execution.arn);
          entry.end.resolve(entry.execution);
          continue;
        }
        const cause = 'the platform was stopped';
        finish(entry.execution, entry.transitions, {
          status: 'ABORTED',
          output: null,
          error: 'PlatformStopped',
          cause,
        });
        entry.run?.abort();
      }
    },
    async idle() {
      while (live.size > 0) await Promise.all([...live.values()].map((entry) => entry.end.promise));
    },
  };
}

function endOf(outcome: Outcome): Pick<Execution, 'status' | 'output' | 'error' | 'cause'> {
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
