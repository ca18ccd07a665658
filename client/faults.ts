/** What a call of the API throws: the problem that it answered with, or why there is no answer. */
import type { Problem } from '#contracts/api-bodies.ts';

/** An answer of 4xx or 5xx. */
export class ProblemAnswer extends Error {
  readonly problem: Problem;
  /** What was sent, when it was one document. */
  readonly document: unknown;

  constructor(problem: Problem, document?: unknown) {
    super(problem.detail);
    this.name = 'ProblemAnswer';
    this.problem = problem;
    this.document = document;
  }
}

/**
 * `unreachable`: nothing answers. `elsewhere`: it redirects, so it is no API of Kubeloom. `refused`: the gateway does not let the caller
 * in. `incomprehensible`: an answer of another version. `unsigned`: there are no credentials to sign the request with.
 */
export type ConnectionFaultKind = 'unreachable' | 'elsewhere' | 'refused' | 'incomprehensible' | 'unsigned';

/** There is no answer of the API. */
export class ConnectionFault extends Error {
  readonly kind: ConnectionFaultKind;
  /** Code of the system's error, if nothing answers. */
  readonly code: string | undefined;

  constructor(kind: ConnectionFaultKind, message: string, { code, cause }: { code?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = 'ConnectionFault';
    this.kind = kind;
    this.code = code;
  }
}

/** True for the answer that there is no such thing. */
export const isMissing = (error: unknown): boolean => error instanceof ProblemAnswer && error.problem.status === 404;
