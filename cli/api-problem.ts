/** What the API refuses, as an error for the person at the terminal. */
import type { Problem } from '#contracts/api-bodies.ts';
import { CliError, exitCodes } from './exit-codes.ts';
import { faultLines, located } from './faults.ts';

/** An answer of 4xx or 5xx. */
export class ApiProblem extends CliError {
  readonly problem: Problem;
  /** `document`: what was sent, when it was one. */
  constructor(problem: Problem, document?: unknown) {
    // For parameters, the sentence says all of it.
    const faults = (problem.faults ?? []).filter(({ reason }) => !problem.detail.includes(reason));
    super([problem.detail, ...faultLines(located(document, faults), 'fault')].join('\n'), exitCodeOf(problem.status));
    this.name = 'ApiProblem';
    this.problem = problem;
  }
}

/** True for the answer that there is no such manifest. */
export const isMissing = (error: unknown): boolean => error instanceof ApiProblem && error.problem.status === 404;

/** For `catch`: `other` where the API says that there is no such thing. */
export const whenMissing =
  <Other>(other: Other) =>
  (error: unknown): Other => {
    if (isMissing(error)) return other;
    throw error;
  };

function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return exitCodes.forbidden;
  if (status === 404) return exitCodes.notFound;
  if (status === 409 || status === 412) return exitCodes.conflict;
  if (status === 400 || status === 413 || status === 415 || status === 422) return exitCodes.invalid;
  return exitCodes.fault;
}
