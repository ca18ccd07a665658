/** Turns a thrown value into a named error, and a named error into RFC 9457 `application/problem+json`. */
import { z } from 'zod';
import { Problem, WireFault } from '#contracts/api-bodies.ts';
import { cutFault } from '#domain/cut-text.ts';
import { type ErrorName, errorNames, isPipelineError, PipelineError } from '#domain/errors.ts';
import { mostFaults } from '#domain/manifest/faults/fault.ts';

/** HTTP status of each error name; `VersionConflict` is 412 when the request named a version. */
export const httpStatuses = {
  InvalidInput: 400,
  InvalidManifest: 422,
  Forbidden: 403,
  NotFound: 404,
  Unreadable: 409,
  VersionConflict: 409,
  KubeconfigRefused: 409,
  VerbRefused: 409,
  Protected: 409,
  InUse: 409,
  TemplatesPending: 409,
  LeaseLost: 409,
  PlanRefused: 422,
  PlanMoved: 409,
  BudgetMoved: 409,
  NameTaken: 409,
  ApprovalRequired: 409,
  BuildStillRuns: 500,
  StageFailed: 500,
  PayloadTooLarge: 413,
  ServiceUnavailable: 503,
  InternalFault: 500,
} as const satisfies Record<ErrorName, number>;

/** The body for an error. Faults of Kubeloom show no internals: they name the request, which the log explains. */
export function toProblem(error: PipelineError, requestId: string, conditional: boolean): Problem {
  const name = nameOf(error);
  const ours = name === 'InternalFault' || name === 'StageFailed' || name === 'ServiceUnavailable';
  return {
    type: `urn:kubeloom:error:${name}`,
    title: errorNames[name],
    status: name === 'VersionConflict' && conditional ? 412 : httpStatuses[name],
    detail: ours
      ? `The request could not be served; request id ${requestId} finds the cause in the log.`
      : error.message,
    instance: requestId,
    code: name,
    ...(ours || error.details === undefined ? {} : membersOf(error.details)),
  };
}

/** An error's details as members of the problem: a list is the faults, stored versions are `current`, the rest stays. */
function membersOf(details: unknown): Partial<Problem> {
  const faults = z.array(WireFault).safeParse(details);
  if (faults.success) return { faults: faults.data.map(cutFault) };
  const known = Problem.pick({ faults: true, current: true }).partial().strict().safeParse(details);
  if (known.success) return known.data;
  const current = z.object({ generation: z.number(), attempt: z.number() }).safeParse(details);
  return current.success ? { current: current.data } : { details };
}

/** Gives everything thrown a name out of `errorNames`; temporary faults of services become `ServiceUnavailable`. */
export function asPipelineError(error: unknown): PipelineError {
  if (isPipelineError(error)) return error;
  if (error instanceof z.ZodError) {
    const faults = error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
    const sentence = faults.map((fault) => `${fault.path || 'the value'}: ${fault.message}`).join('; ');
    return new PipelineError('InternalFault', `a stored or passed value does not fit its schema: ${sentence}`, {
      cause: error,
    });
  }
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new PipelineError(isTemporary(error) ? 'ServiceUnavailable' : 'InternalFault', words, { cause: error });
}

/** Parses input from outside. Throws `InvalidInput` that lists the faults, at most `mostFaults`. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { issues } = result.error;
  const faults = issues.slice(0, mostFaults).map(({ path, message }) => ({ path: path.join('.'), reason: message }));
  if (issues.length > mostFaults) faults.push({ path: '', reason: `and ${issues.length - mostFaults} more faults` });
  const sentence = faults.map((fault) => `${fault.path || 'it'}: ${fault.reason}`).join('; ');
  throw new PipelineError('InvalidInput', `${what} is not valid: ${sentence}`, { details: faults });
}

function nameOf(error: PipelineError): ErrorName {
  return error.name in errorNames ? (error.name as ErrorName) : 'InternalFault';
}

/** How services name that they were asked too often, or did not answer in time: few of these are marked by the SDK. */
const passing =
  /^(Throttl|TooManyRequests|RequestThrottled|RequestLimitExceeded|ProvisionedThroughputExceeded|SlowDown|TimeoutError|RequestTimeout|TransactionConflict|TransactionInProgress)/;

/** The SDK marks some throttling and outages; connection faults carry a code of the operating system. */
function isTemporary(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const fault = error as {
    name?: unknown;
    $retryable?: unknown;
    $metadata?: { httpStatusCode?: number };
    code?: unknown;
  };
  return (
    fault.$retryable !== undefined ||
    passing.test(String(fault.name)) ||
    (fault.$metadata?.httpStatusCode ?? 0) >= 500 ||
    ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE'].includes(String(fault.code))
  );
}
