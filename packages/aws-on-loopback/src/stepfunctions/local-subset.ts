/** Adapts a definition to the interpreter, and refuses features that would silently run differently. */
import { allStates, type MachineDefinition, type StateDefinition } from './asl-engine.ts';
import { withTexts } from './hash-parameters.ts';

/** Longest time a Node timer can count, in whole seconds. */
const longestTimeout = 2_147_483;
const refusedFields = ['Assign', 'Arguments', 'Output', 'Items', 'HeartbeatSeconds', 'HeartbeatSecondsPath'];
/** The interpreter knows no others, in a Map too. */
const refusedPaths = /\$\$\.(?!Execution\.(Id|Name)\b|StateMachine\.(Id|Name)\b|Map\.Item\.)/;

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
    const unhashed = state.Type === 'Task' ? { ...state, Parameters: withTexts(state).Parameters } : state;
    if (JSON.stringify(withoutInner(unhashed)).includes('States.Hash('))
      fault('States.Hash is run only as a field of the parameters of a task');
    if (modeOf(state) === 'DISTRIBUTED') fault('a distributed Map is not run');
    if (refusedPaths.test(JSON.stringify(withoutInner(state)))) fault('a path of the context object is not known here');
  }
  return faults;
}

/**
 * The definition as the interpreter needs it. It counts a task's time from the moment the state is entered, so its own timer
 * is disabled: `interpreter-engine.ts` counts from the start of the work.
 */
export function fitted(machine: MachineDefinition): MachineDefinition {
  const fitState = (state: StateDefinition): StateDefinition => ({
    ...state,
    ...(state.Type === 'Task' && { TimeoutSeconds: longestTimeout, ...parametersOf(state) }),
    ...(state.ItemProcessor && { ItemProcessor: fitted(state.ItemProcessor) }),
    ...(state.Iterator && { Iterator: fitted(state.Iterator) }),
    ...(state.Branches && { Branches: state.Branches.map(fitted) }),
  });
  return {
    ...machine,
    ...(typeof machine.TimeoutSeconds === 'number' && { TimeoutSeconds: bounded(machine.TimeoutSeconds) }),
    States: Object.fromEntries(Object.entries(machine.States).map(([name, state]) => [name, fitState(state)])),
  };
}

const parametersOf = (state: StateDefinition): object =>
  'Parameters' in state ? { Parameters: withTexts(state).Parameters } : {};

/** Seconds that a timer of Node can count. */
export const bounded = (seconds = longestTimeout): number => Math.min(seconds, longestTimeout);

function withoutInner(state: StateDefinition): Record<string, unknown> {
  const inner = ['ItemProcessor', 'Iterator', 'Branches'];
  return Object.fromEntries(Object.entries(state).filter(([field]) => !inner.includes(field)));
}

function modeOf({ ItemProcessor: processor }: StateDefinition): unknown {
  const config = processor?.ProcessorConfig;
  return typeof config === 'object' && config !== null && 'Mode' in config ? config.Mode : undefined;
}
