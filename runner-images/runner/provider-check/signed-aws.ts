/** One signed request to an API of AWS that has no client here. */
import { SignatureV4 } from '@smithy/signature-v4';
import type { AwsKeys } from '#adapters/aws-identity.ts';
import { NodeHash } from '#contracts/node-hash.ts';
import { askCloud, type CloudAnswer } from './ask.ts';

export interface AwsQuestion {
  readonly service: string;
  readonly region: string;
  readonly url: string;
  readonly body: string;
  /** Operation of a JSON API; absent for a query API. */
  readonly target?: string;
}

export async function signedAws(
  { service, region, url, body, target }: AwsQuestion,
  credentials: AwsKeys,
): Promise<CloudAnswer> {
  const { protocol, hostname, host, port } = new URL(url);
  const signer = new SignatureV4({ service, region, credentials, sha256: NodeHash });
  const kind = target === undefined ? 'application/x-www-form-urlencoded; charset=utf-8' : 'application/x-amz-json-1.1';
  const { headers } = await signer.sign({
    method: 'POST',
    protocol,
    hostname,
    path: '/',
    query: {},
    body,
    ...(port === '' ? {} : { port: Number(port) }),
    headers: { host, 'content-type': kind, ...(target === undefined ? {} : { 'x-amz-target': target }) },
  });
  const { host: _, ...sent } = headers;
  return askCloud(url, { method: 'POST', headers: sent, body });
}
