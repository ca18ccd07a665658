/** The named errors of the pipeline: names are API for ASL, HTTP and CLI alike. */

/** What a failure means for retry, rollback and stop; `failure-policy.ts` holds the one table that decides. */
export const errorClasses = [
  'user',
  'credentials',
  'quota',
  'capacity',
  'transient',
  'conflict',
  'platform',
  'bug',
] as const;
export type ErrorClass = (typeof errorClasses)[number];

/** Every error name that a Lambda may throw into Step Functions, with what it tells a person. */
export const errorNames = {
  InvalidInput: 'the request or document does not fit its schema',
  InvalidManifest: 'the document has faults; all are listed',
  Forbidden: 'the caller has not the role that this needs',
  NotFound: 'the thing asked for does not exist',
  Unreadable: 'what is stored of it cannot be read',
  VersionConflict: 'it is not, or no longer, as the request takes it to be',
  VerbRefused: 'what is stored does not allow this now; the reason is given',
  Protected: 'the manifest says that it must not be deleted',
  InUse: 'something else still needs it',
  TemplatesPending: 'a runner looks up which templates are meant; asking again in a moment helps',
  LeaseLost: 'another run holds the lease of this manifest',
  PlanRefused: 'the change cannot be planned; the reason is given',
  BuildStillRuns: 'a build that was stopped has not ended yet; nothing else may work on its cluster before',
  StageFailed: 'a tool failed; class, cause and hint are in the stage result',
  PayloadTooLarge: 'the body is larger than this installation accepts',
  ServiceUnavailable: 'a service that Kubeloom builds on did not answer; trying again helps',
  InternalFault: 'a fault of Kubeloom itself',
} as const;
export type ErrorName = keyof typeof errorNames;

export class PipelineError extends Error {
  readonly details: unknown;

  constructor(name: ErrorName, message: string, options: { cause?: unknown; details?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = name;
    this.details = options.details;
  }
}

/** True when `error` is a `PipelineError` with that name. */
export function isPipelineError(error: unknown, name?: ErrorName): error is PipelineError {
  return error instanceof PipelineError && (name === undefined || error.name === name);
}
