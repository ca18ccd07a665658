/** Exit codes of the CLI; documented in docs/cli.md. */
export const exitCodes = {
  ok: 0,
  /** Something unexpected, in Kubeloom or in the connection to it. */
  fault: 1,
  /** Wrong use of the command line. */
  usage: 2,
  /** The input has faults; all are printed. */
  invalid: 3,
  /** What was asked for does not exist. */
  notFound: 4,
  /** Someone else changed it first. */
  conflict: 5,
  /** The run ended, but not as asked for: failed or rolled back. */
  runFailed: 6,
  /** The API does not answer. */
  unreachable: 7,
  /** Access denied: no valid credentials, or the caller lacks the required role. */
  forbidden: 8,
  /** Something would be removed, and it was not confirmed; or a plan has to be approved first. */
  unconfirmed: 9,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

/** For `catch`: what was thrown, printed as it is; for what is no fault of Kubeloom. */
export const asSentence =
  (exitCode: number) =>
  (cause: unknown): never => {
    throw new CliError(cause instanceof Error ? cause.message : String(cause), exitCode, { cause });
  };

/** An error whose text is for the person at the terminal and whose code is the process's. */
export class CliError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}
