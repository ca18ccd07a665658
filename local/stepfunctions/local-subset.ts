/** Adapts a definition to the interpreter: refuses features that would silently run differently, rewrites those that it lacks. */
import { allStates, type MachineDefinition, type StateDefinition } from './asl-engine.ts';

/** Longest time a Node timer can count, in whole seconds. */
const longestTimeout = 2_147_483;
const refusedFields = ['Assign', 'Arguments', 'Output', 'Items', 'HeartbeatSeconds', 'HeartbeatSecondsPath'];
const refusedPaths = /\$\$\.(Task\.Token|State\.(EnteredTime|RetryCount)|Execution\.RedriveCount)/;

/** A sentence for every state that does not run here as in AWS; empty when all do. */
export function faultsOf(definition: MachineDefinition): readonly string[] {
  const faults: string[] = [];
  const language = definition.QueryLanguage;
  if (language !== undefined && language !== 'JSONPath') faults.push('the machine: JSONata is not run');
  for (const { name, state } of allStates(definition)) {
    const fault = (sentence: string): void => void faults.push(`${name}: ${sentence}`);
    for (const field of refusedFields) if (field in state) fault(`${field} is not run`);
    if (state.QueryLanguage !== undefined && state.QueryLanguage !== 'JSONPath') fault('JSONata is not run');
    if (state.Resource?.endsWith('.waitForTaskToken')) fault('task tokens are not run');
    // The interpreter knows no timeouts but its own: this would match those of tasks, too.
    if (JSON.stringify([state.Retry, state.Catch]).includes('"States.TaskFailed"'))
      fault('States.TaskFailed in Retry or Catch is not run; name the errors');
    if ('TimeoutSecondsPath' in state) fault('TimeoutSecondsPath is not run; use TimeoutSeconds');
    if (state.Type === 'Pass' && 'Result' in state && !state.Result)
      fault('a Result that is false, 0, "" or null is dropped');
    if (modeOf(state) === 'DISTRIBUTED') fault('a distributed Map is not run');
    if (refusedPaths.test(JSON.stringify(withoutInner(state)))) fault('a path of the context object is not known here');
  }
  return faults;
}

/**
 * The definition as the interpreter needs it. It knows neither `$$.State.Name` nor, inside a Map, the execution's own
 * input and start time: both are put elsewhere in the context object. It counts a task's time from the moment the state is
 * entered, so its own timer is disabled: `interpreter-engine.ts` counts from the start of the work.
 */
export function fitted(definition: MachineDefinition): MachineDefinition {
  const fitMachine = (machine: MachineDefinition): MachineDefinition => ({
    ...machine,
    ...(typeof machine.TimeoutSeconds === 'number' && { TimeoutSeconds: bounded(machine.TimeoutSeconds) }),
    States: Object.fromEntries(Object.entries(machine.States).map(([name, state]) => [name, fitState(name, state)])),
  });
  const fitState = (name: string, state: StateDefinition): StateDefinition => ({
    ...(rewriteStrings(withoutInner(state), (text) => rewritePath(name, text)) as StateDefinition),
    ...(state.Type === 'Task' && { TimeoutSeconds: longestTimeout }),
    ...(state.ItemProcessor && { ItemProcessor: fitMachine(state.ItemProcessor) }),
    ...(state.Iterator && { Iterator: fitMachine(state.Iterator) }),
    ...(state.Branches && { Branches: state.Branches.map(fitMachine) }),
  });
  return fitMachine(definition);
}

/** Context of `fitted` definitions, in addition to `Execution` and `StateMachine`. */
export function contextFor(
  definition: MachineDefinition,
  execution: { readonly Input: unknown; readonly StartTime: string },
): Readonly<Record<string, unknown>> {
  const names = [...allStates(definition)].map(({ name }) => [keyOf(name), name]);
  return { Run: { Input: execution.Input, StartTime: execution.StartTime }, StateNames: Object.fromEntries(names) };
}

const keyOf = (state: string): string => `s${Buffer.from(state).toString('hex')}`;
/** Seconds that a timer of Node can count. */
export const bounded = (seconds = longestTimeout): number => Math.min(seconds, longestTimeout);

function rewritePath(state: string, text: string): string {
  if (!text.includes('$$.')) return text;
  return text
    .replace(/\$\$\.State\.Name\b/g, () => `$$.StateNames.${keyOf(state)}`)
    .replace(/\$\$\.Execution\.(Input|StartTime)\b/g, (_, field) => `$$.Run.${field}`);
}

function rewriteStrings(value: unknown, rewrite: (text: string) => string): unknown {
  if (typeof value === 'string') return rewrite(value);
  if (Array.isArray(value)) return value.map((item) => rewriteStrings(item, rewrite));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rewriteStrings(inner, rewrite)]));
}

function withoutInner(state: StateDefinition): Record<string, unknown> {
  const inner = ['ItemProcessor', 'Iterator', 'Branches'];
  return Object.fromEntries(Object.entries(state).filter(([field]) => !inner.includes(field)));
}

function modeOf({ ItemProcessor: processor }: StateDefinition): unknown {
  const config = processor?.ProcessorConfig;
  return typeof config === 'object' && config !== null && 'Mode' in config ? config.Mode : undefined;
}
