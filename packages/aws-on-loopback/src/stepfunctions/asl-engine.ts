/** What the platform needs of an interpreter of Amazon States Language. */

/** A definition with all placeholders filled in. */
export interface MachineDefinition {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, StateDefinition>>;
  readonly [field: string]: unknown;
}

export interface StateDefinition {
  readonly Type: string;
  readonly Resource?: string;
  readonly TimeoutSeconds?: number;
  readonly ItemProcessor?: MachineDefinition;
  readonly Iterator?: MachineDefinition;
  readonly Branches?: readonly MachineDefinition[];
  readonly [field: string]: unknown;
}

export interface CompiledMachine {
  run(request: RunRequest): MachineRun;
}

export interface RunRequest {
  readonly input: unknown;
  /** `$$.Execution` and `$$.StateMachine` of the context object. */
  readonly context: {
    readonly Execution: { readonly Id: string; readonly Name: string };
    readonly StateMachine: { readonly Id: string; readonly Name: string };
  };
  /** Does the work of a Task state; what it throws has its `name` as Error and its `message` as Cause. */
  readonly runTask: (call: TaskCall) => Promise<unknown>;
  /** Called in order, except that branches of Map and Parallel interleave. */
  readonly onEvent: (event: EngineEvent) => void;
}

export interface TaskCall {
  readonly state: string;
  readonly resource: string;
  readonly input: unknown;
  /** Called when the work gets its turn: the state's time counts from here, not while it waits for others. */
  readonly begins: () => void;
  /** Aborted when the task timed out, a sibling failed, or the execution was stopped. */
  readonly signal: AbortSignal;
}

export interface MachineRun {
  readonly outcome: Promise<Outcome>;
  abort(): void;
  /** Ends it as FAILED whatever its states say: for limits of the service. */
  fail(error: string, cause: string): void;
}

export type Outcome =
  | { readonly status: 'SUCCEEDED'; readonly output: unknown }
  | { readonly status: 'FAILED'; readonly error: string; readonly cause: string }
  | { readonly status: 'TIMED_OUT' | 'ABORTED' };

/** `caught`: the execution continues at the catcher's state. */
export type EngineEvent = { readonly state: string; readonly type: string } & (
  | { readonly kind: 'entered'; readonly input: unknown }
  | { readonly kind: 'exited'; readonly output: unknown }
  | { readonly kind: 'failed' | 'caught' | 'retried' }
  | { readonly kind: 'iterationStarted' | 'iterationSucceeded' | 'iterationFailed'; readonly index: number }
  | { readonly kind: 'taskTimedOut'; readonly resource: string }
);

/** Thrown to fail a task under a name; `Error` and `Cause` of the state. */
export class TaskFault extends Error {
  constructor(name: string, cause: string) {
    super(cause);
    this.name = name;
  }
}

/** Every state of a machine, those inside Map and Parallel too, with the outermost state that holds it. */
export function* allStates(
  definition: MachineDefinition,
  outermost?: string,
): Generator<{ name: string; state: StateDefinition; outermost: string | undefined }> {
  for (const [name, state] of Object.entries(definition.States)) {
    yield { name, state, outermost };
    for (const inner of [state.ItemProcessor, state.Iterator, ...(state.Branches ?? [])])
      if (inner) yield* allStates(inner, outermost ?? name);
  }
}
