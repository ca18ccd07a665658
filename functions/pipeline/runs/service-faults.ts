/** Faults of the services below Kubeloom, as Step Functions names them: which one it really was, and whether it passes. */
import { z } from 'zod';
import type { StateError } from '#contracts/state-inputs.ts';
import { parseJson } from '#domain/json.ts';

/** What `startExecution.sync:2` puts into `Cause`: the description of the execution that failed. */
const FailedExecution = z.object({ Status: z.string(), Error: z.string().optional(), Cause: z.string().optional() });

/**
 * A nested execution fails its parent as `States.TaskFailed`, with its own error inside `Cause`; that one may be of an
 * execution below it. An execution that ran out of time has no error of its own.
 */
export function innermost(fault: StateError): StateError {
  if (fault.Error !== 'States.TaskFailed') return fault;
  const child = FailedExecution.safeParse(parseJson(fault.Cause)).data;
  if (child === undefined) return fault;
  const { Status, Error: name = Status === 'TIMED_OUT' ? 'States.Timeout' : undefined, Cause = '' } = child;
  return name === undefined ? fault : innermost({ Error: name, Cause });
}

const passing = new Set([
  'ServiceUnavailable',
  'States.Timeout',
  'Sandbox.Timedout',
  ...['Unknown', 'ServiceException', 'AWSLambdaException', 'SdkClientException'].map((name) => `Lambda.${name}`),
  ...['ClientExecutionTimeoutException', 'TooManyRequestsException'].map((name) => `Lambda.${name}`),
  ...['ThrottlingException', 'ExecutionLimitExceededException'].map((name) => `StepFunctions.${name}`),
  // An answer was lost, or a backup brought its name back: the next waypoint has another one.
  'StepFunctions.ExecutionAlreadyExistsException',
  ...['ServiceUnavailableException', 'SdkClientException'].map((name) => `StepFunctions.${name}`),
]);

/** Slowness, throttling, outages: no tool failed, and nothing is wrong with the manifest. */
export function passes({ Error: name, Cause }: StateError): boolean {
  // Step Functions uses this name for every error without a name of its own, refused calls included.
  if (name === 'StepFunctions.AWSStepFunctionsException') return /Status Code: 5\d\d/.test(Cause);
  return passing.has(name);
}
