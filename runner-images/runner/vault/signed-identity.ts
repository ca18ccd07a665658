/** A request for GetCallerIdentity, signed with the runner's own identity in AWS and not sent: its receiver can ask AWS for the runner's identity. */
import { SignatureV4 } from '@smithy/signature-v4';
import { NodeHash } from '#contracts/node-hash.ts';
import { runnerIdentityFailure } from '../web-identity.ts';

export interface SignedIdentity {
  readonly method: 'POST';
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const body = 'Action=GetCallerIdentity&Version=2011-06-15';

/** `serverId`: a header that a Vault requires in the signature, so that the request is of no use to another Vault. */
export async function signedIdentity(serverId?: string): Promise<SignedIdentity> {
  const { ownIdentity } = await import('#adapters/aws-identity.ts');
  const { keys, region } = await ownIdentity().catch((cause: unknown) => Promise.reject(runnerIdentityFailure(cause)));
  const host = new URL(process.env.AWS_ENDPOINT_URL_STS ?? `https://sts.${region}.amazonaws.com`);
  const signer = new SignatureV4({ service: 'sts', region, sha256: NodeHash, credentials: keys });
  const { headers } = await signer.sign({
    method: 'POST',
    protocol: host.protocol,
    hostname: host.hostname,
    path: '/',
    query: {},
    body,
    ...(host.port === '' ? {} : { port: Number(host.port) }),
    headers: {
      host: host.host,
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      ...(serverId === undefined ? {} : { 'x-vault-aws-iam-server-id': serverId }),
    },
  });
  return { method: 'POST', url: `${host.origin}/`, body, headers };
}
