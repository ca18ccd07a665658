/** Turns refusals of the API, and its silence, into errors for the person at the terminal. */
import { ConnectionFault, ProblemAnswer } from '#client/faults.ts';
import type { Problem } from '#contracts/api-bodies.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { packageVersion } from '../own-files.ts';
import { faultLines, located } from '../print/faults.ts';
import type { CliConnection } from './connection.ts';

/** An answer of 4xx or 5xx. */
export class ApiProblem extends CliError {
  readonly problem: Problem;
  /** `document`: the document of the request, if it had one. */
  constructor(problem: Problem, document?: unknown) {
    // For parameters, the sentence is complete.
    const faults = (problem.faults ?? []).filter(({ reason }) => !problem.detail.includes(reason));
    super([problem.detail, ...faultLines(located(document, faults), 'fault')].join('\n'), exitCodeOf(problem));
    this.name = 'ApiProblem';
    this.problem = problem;
  }
}

/** True for the answer that there is no such manifest. */
export const isNotFound = (error: unknown): boolean => error instanceof ApiProblem && error.problem.status === 404;

/** For `catch`: returns `other` if the API answers 404. */
export const whenMissing =
  <Other>(other: Other) =>
  (error: unknown): Other => {
    if (isNotFound(error)) return other;
    throw error;
  };

/** An error of the client, with a hint; any other error is returned unchanged. */
export function forPerson(error: unknown, connection: CliConnection): unknown {
  if (error instanceof ProblemAnswer) return new ApiProblem(error.problem, error.document);
  return error instanceof ConnectionFault ? connectionError(error, connection) : error;
}

function connectionError(fault: ConnectionFault, { apiUrl, token }: CliConnection): CliError {
  const { kind, message } = fault;
  const failed = (text: string, exitCode: number): CliError => new CliError(text, exitCode, { cause: fault.cause });
  switch (kind) {
    case 'refused': {
      const how = token ? 'the token is not accepted' : 'no token was sent';
      const fix =
        'set KUBELOOM_TOKEN; or unset it and KUBELOOM_API_URL to use the platform on this machine as its owner';
      return failed(`${apiUrl}: access denied (${how}): ${message}; ${fix}`, exitCodes.forbidden);
    }
    case 'elsewhere':
      return failed(
        `${apiUrl} is not an API of Kubeloom, it redirects to ${message}: set KUBELOOM_API_URL to the address of the API itself`,
        exitCodes.unreachable,
      );
    case 'incomprehensible':
      return failed(
        `kubeloom ${packageVersion()}: ${message}; check whether the platform has another version (\`kubeloom version --check\`)`,
        exitCodes.fault,
      );
    case 'unsigned': {
      const how = 'run `aws configure sso`, set AWS_PROFILE, or set KUBELOOM_TOKEN if the API accepts tokens';
      return failed(`the API in AWS requires signed requests, and ${message}: ${how}`, exitCodes.fault);
    }
    case 'unreachable':
      return failed(noAnswerText(apiUrl, fault), exitCodes.unreachable);
    default:
      return kind satisfies never;
  }
}

/** Codes of connections that no server accepts. */
const unanswered: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

function noAnswerText(apiUrl: string, { code = '', message }: ConnectionFault): string {
  if (unanswered.includes(code)) return `nothing answers at ${apiUrl}: is it running? (\`kubeloom local status\`)`;
  const fix =
    code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? 'is KUBELOOM_API_URL right?'
      : /CERT|SIGNED|VERIFY|ISSUER/.test(code)
        ? 'trust its authority with NODE_EXTRA_CA_CERTS, if it is the right one'
        : 'is it an API of Kubeloom?';
  return `${apiUrl} cannot be asked (${message}): ${fix}`;
}

function exitCodeOf({ status, code }: Problem): number {
  if (code === 'ApprovalRequired') return exitCodes.unconfirmed;
  if (status === 401 || status === 403) return exitCodes.forbidden;
  if (status === 404) return exitCodes.notFound;
  if (status === 409 || status === 412) return exitCodes.conflict;
  if (status === 400 || status === 413 || status === 415 || status === 422) return exitCodes.invalid;
  return exitCodes.fault;
}
