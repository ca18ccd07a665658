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
  /** The run ended, but not as asked for, and none of the kinds below says why: several kinds, or none known. */
  runFailed: 6,
  /** The API does not answer. */
  unreachable: 7,
  /** Access denied: no valid credentials, or the caller lacks the required role. */
  forbidden: 8,
  /** Something would be removed, and it was not confirmed; or a plan has to be approved first. */
  unconfirmed: 9,
  // Kinds of a run that failed; codes up to 19 are kept for more of them.
  /** A person has to change something: the manifest, a machine, an account. */
  runRefused: 10,
  /** The credentials do not work. */
  runCredentials: 11,
  /** A quota is used up, or the provider has no capacity. */
  runNoRoom: 12,
  /** A machine, network or service did not answer, or another program was making a change. */
  runNoAnswer: 13,
  /** Something that Kubeloom itself runs on failed, or Kubeloom has a bug. */
  runPlatform: 14,
  /** It was cancelled or interrupted. */
  runInterrupted: 15,
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
