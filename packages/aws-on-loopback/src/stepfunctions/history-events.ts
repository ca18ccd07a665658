/** Converts events of the engine into the history events that AWS would show. */
import type { EngineEvent } from './asl-engine.ts';
import type { HistoryEvent } from './execution-store.ts';

type Details = Readonly<Record<string, unknown>>;

const untruncated = { truncated: false };
const event = (type: string, details: Details = {}): HistoryEvent => ({
  type,
  timestamp: Date.now() / 1000,
  ...details,
});
const text = (value: unknown): string => JSON.stringify(value) ?? 'null';

/** The history events of one event of the engine; some become two. */
export function toHistory(reported: EngineEvent): readonly HistoryEvent[] {
  switch (reported.kind) {
    case 'entered': {
      const details = { name: reported.state, input: text(reported.input), inputDetails: untruncated };
      const entered = event(`${reported.type}StateEntered`, { stateEnteredEventDetails: details });
      return hasBranches(reported.type) ? [entered, event(`${reported.type}StateStarted`)] : [entered];
    }
    case 'exited': {
      const details = { name: reported.state, output: text(reported.output), outputDetails: untruncated };
      const exited = event(`${reported.type}StateExited`, { stateExitedEventDetails: details });
      return hasBranches(reported.type) ? [event(`${reported.type}StateSucceeded`), exited] : [exited];
    }
    case 'failed':
      return hasBranches(reported.type) ? [event(`${reported.type}StateFailed`)] : [];
    case 'caught':
      return [event(`${reported.type}StateExited`, { stateExitedEventDetails: { name: reported.state } })];
    case 'retried':
      return [];
    case 'iterationStarted':
      return [event('MapIterationStarted', { mapIterationStartedEventDetails: iteration(reported) })];
    case 'iterationSucceeded':
      return [event('MapIterationSucceeded', { mapIterationSucceededEventDetails: iteration(reported) })];
    case 'iterationFailed':
      return [event('MapIterationFailed', { mapIterationFailedEventDetails: iteration(reported) })];
    case 'taskTimedOut':
      return [taskEvent(reported.resource, 'TimedOut', { error: 'States.Timeout' })];
    default:
      return reported satisfies never;
  }
}

const hasBranches = (type: string): boolean => type === 'Map' || type === 'Parallel';
const iteration = ({ state, index }: { state: string; index: number }): Details => ({ name: state, index });

type TaskStep = 'Scheduled' | 'Started' | 'Submitted' | 'Succeeded' | 'Failed' | 'TimedOut';

/** An event of a task: `LambdaFunction…` for a plain function ARN, `Task…` with its resource for an integration. */
export function taskEvent(resource: string, step: TaskStep, details: Details = {}): HistoryEvent {
  if (!resource.startsWith('arn:aws:states:::')) {
    const field = `lambdaFunction${step}EventDetails`;
    return event(`LambdaFunction${step}`, step === 'Started' ? {} : { [field]: details });
  }
  const [resourceType = '', ...rest] = resource.slice('arn:aws:states:::'.length).split(':');
  return event(`Task${step}`, { [`task${step}EventDetails`]: { resourceType, resource: rest.join(':'), ...details } });
}

/** Start of a task with what it is given. */
export function taskScheduled(resource: string, input: unknown, region: string): HistoryEvent {
  const plain = !resource.startsWith('arn:aws:states:::');
  return taskEvent(
    resource,
    'Scheduled',
    plain ? { resource, input: text(input) } : { region, parameters: text(input) },
  );
}

export function executionStarted(input: string, roleArn: string): HistoryEvent {
  return event('ExecutionStarted', { executionStartedEventDetails: { input, inputDetails: untruncated, roleArn } });
}

/** The last event of every history. */
export function executionEnded(end: {
  readonly status: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly cause: string | null;
}): HistoryEvent {
  const fault = { ...(end.error !== null && { error: end.error }), ...(end.cause !== null && { cause: end.cause }) };
  switch (end.status) {
    case 'SUCCEEDED':
      return event('ExecutionSucceeded', {
        executionSucceededEventDetails: { output: end.output, outputDetails: untruncated },
      });
    case 'FAILED':
      return event('ExecutionFailed', { executionFailedEventDetails: fault });
    case 'TIMED_OUT':
      return event('ExecutionTimedOut', { executionTimedOutEventDetails: fault });
    default:
      return event('ExecutionAborted', { executionAbortedEventDetails: fault });
  }
}
