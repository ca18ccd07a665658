/** One request to a Vault. Status and body are returned unchanged; only a request without an answer throws. */
import { boundedRequest } from '#adapters/bounded-request.ts';
import { parseShallowJson } from '#domain/json.ts';
import { StageFailure } from '../stage-failure.ts';
import type { VaultConnection } from './vault-connection.ts';

export interface VaultRequest {
  readonly method: 'GET' | 'POST';
  /** Below `/v1/`. */
  readonly path: string;
  readonly token?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** @default 20 s */
  readonly patienceMs?: number;
}

export interface VaultAnswer {
  readonly status: number;
  /** The parsed JSON; undefined when it was not JSON, or nested without end. */
  readonly body: unknown;
}

const usualPatienceMs = 20_000;
/** More than any secret: Vault itself stores 1 MiB at most. */
const mostBytes = 4_000_000;

/** Asks once. Throws `VaultUnreachable` (transient) or `VaultCertificate` (user). */
export async function vaultRequest(connection: VaultConnection, asked: VaultRequest): Promise<VaultAnswer> {
  const url = new URL(`${connection.address}/v1/${asked.path}`);
  const body = asked.body === undefined ? undefined : JSON.stringify(asked.body);
  const headers = {
    'x-vault-request': 'true',
    ...(asked.token === undefined ? {} : { 'x-vault-token': asked.token }),
    ...(connection.namespace === undefined ? {} : { 'x-vault-namespace': connection.namespace }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const { ca } = connection;
  const timeoutMs = asked.patienceMs ?? usualPatienceMs;
  const answer = await boundedRequest(url, {
    method: asked.method,
    headers,
    timeoutMs,
    mostBytes,
    ...(body !== undefined && { body }),
    ...(ca !== undefined && { ca }),
  }).catch((cause: Error) => {
    throw unanswered(connection, cause);
  });
  return { status: answer.status, body: parseShallowJson(answer.body.toString('utf8')) };
}

const certificateCodes = /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|INVALID_CA)/;

function unanswered({ name, address }: VaultConnection, cause: Error): StageFailure {
  const code = 'code' in cause ? String(cause.code) : cause.name;
  if (certificateCodes.test(code) || code.startsWith('ERR_OSSL')) {
    return new StageFailure(
      {
        class: 'user',
        code: 'VaultCertificate',
        message: `The certificate of the Vault ${address} is not trusted (${code}).`,
        resource: name,
        hint: `Put the certificate of its authority into the field ca of the Secret ${name}, then retry.`,
      },
      { cause },
    );
  }
  return new StageFailure(
    {
      class: 'transient',
      code: 'VaultUnreachable',
      message: `The Vault ${address} does not answer (${code}).`,
      resource: name,
      hint: `Check that it is up and that runners can reach the address in the Secret ${name}.`,
    },
    { cause },
  );
}
