/** Errors of the connection to the API, as sentences that name the cause. */
import type { Connection } from './connection.ts';
import { CliError, exitCodes } from './exit-codes.ts';

/** Codes of connections that no server accepts. */
const nobody: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** `fetch` says only that it failed; why is in its cause. */
export function noAnswer({ apiUrl }: Connection, failure: unknown): CliError {
  const { code, message } = reasonOf(failure);
  if (code !== undefined && nobody.includes(code)) {
    const text = `nothing answers at ${apiUrl}: is it running? (\`kubeloom local status\`)`;
    return new CliError(text, exitCodes.unreachable, { cause: failure });
  }
  const fix =
    code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? 'is KUBELOOM_API_URL right?'
      : /CERT|SIGNED|VERIFY|ISSUER/.test(code ?? '')
        ? 'trust its authority with NODE_EXTRA_CA_CERTS, if it is the right one'
        : 'is it an API of Kubeloom?';
  return new CliError(`${apiUrl} cannot be asked (${message}): ${fix}`, exitCodes.unreachable, { cause: failure });
}

/** The API never redirects. To follow would send the token and Secrets to another server. */
export function sentElsewhere({ apiUrl }: Connection, response: Response): CliError {
  const place = response.headers.get('location') ?? 'nowhere';
  return new CliError(
    `${apiUrl} is not an API of Kubeloom, it redirects to ${place}: set KUBELOOM_API_URL to the address of the API itself`,
    exitCodes.unreachable,
  );
}

function reasonOf(failure: unknown): { readonly code?: string; readonly message: string } {
  const inner = failure instanceof Error && failure.cause instanceof Error ? failure.cause : failure;
  // Of a host with several addresses, each has failed.
  const first = inner instanceof AggregateError ? inner.errors[0] : inner;
  if (!(first instanceof Error)) return { message: String(first) };
  const code = 'code' in first ? String(first.code) : undefined;
  // OpenSSL prints locations in its own source.
  const message = /\n|^[0-9A-F]{8,}:/.test(first.message) ? (code ?? 'no answer') : first.message;
  return code === undefined ? { message } : { code, message };
}
