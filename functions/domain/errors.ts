/** The named errors of the pipeline: names are API for ASL, HTTP and CLI alike. */
import { cutText } from './cut-text.ts';

/** The meaning of a failure for retry, rollback and stop; `failure-policy.ts` holds the one table that decides. */
export const errorClasses = [
  'user',
  'credentials',
  'quota',
  'capacity',
  'transient',
  'conflict',
  'platform',
  'stuck',
  'bug',
] as const;
export type ErrorClass = (typeof errorClasses)[number];

/** Every error name that a Lambda may throw into Step Functions, with its meaning for people. */
export const errorNames = {
  InvalidInput: 'the request or document does not fit its schema',
  InvalidManifest: 'the document has faults; all are listed',
  Forbidden: 'the caller lacks the required role',
  NotFound: 'the resource does not exist',
  Unreadable: 'the stored record cannot be read',
  VersionConflict: 'the resource was changed meanwhile, or its state does not allow this request',
  KubeconfigRefused: 'this kubeconfig is not given out; the reason is given',
  VerbRefused: 'the current state does not allow this; the reason is given',
  Protected: 'the manifest is protected from deletion',
  InUse: 'other resources still need it',
  TemplatesPending: 'the template commit is still being resolved; retry in a few seconds',
  LeaseLost: 'another run holds the lease of this manifest',
  PlanRefused: 'the change cannot be planned; the reason is given',
  PlanMoved: 'what the plan was made from has changed; the message says what',
  BudgetMoved: 'others were accepted within the same budget at the same moment; retry',
  NameTaken: 'a DNS name of the document belongs to another manifest; use another name',
  ApprovalRequired: 'the plan is kept as proposed until someone approves it',
  BuildStillRuns: 'a build may still run; until it has ended nothing else may work on its cluster',
  StageFailed: 'a tool failed; class, cause and hint are in the stage result',
  PayloadTooLarge: 'the body is larger than this installation accepts',
  ServiceUnavailable: 'a service that Kubeloom uses did not answer; retry',
  InternalFault: 'a fault of Kubeloom itself',
} as const;
export type ErrorName = keyof typeof errorNames;

/** Characters of a message: it may list what it is about, and stays short enough to be shown. */
const mostOfMessage = 4000;

export class PipelineError extends Error {
  readonly details: unknown;

  constructor(name: ErrorName, message: string, options: { cause?: unknown; details?: unknown } = {}) {
    super(cutText(message, mostOfMessage), { cause: options.cause });
    this.name = name;
    this.details = options.details;
  }
}

/** True when `error` is a `PipelineError` with that name. */
export function isPipelineError(error: unknown, name?: ErrorName): error is PipelineError {
  return error instanceof PipelineError && (name === undefined || error.name === name);
}
