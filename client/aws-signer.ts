/** Signs requests with SigV4, service `execute-api`: loaded only for an API in AWS, the signing packages are large. */
import { STSClient } from '@aws-sdk/client-sts';
import { SignatureV4 } from '@smithy/signature-v4';
import { NodeHash } from '#contracts/node-hash.ts';
import { ConnectionFault } from './faults.ts';

type Headers = Readonly<Record<string, string>>;

/** Headers of the request, with those of the signature. */
export type Signer = (method: string, url: URL, headers: Headers, body?: string) => Promise<Headers>;

type Credentials = ConstructorParameters<typeof SignatureV4>[0]['credentials'];

export function signerOf(region: string, credentials: Credentials): Signer {
  const signer = new SignatureV4({ service: 'execute-api', region, credentials, sha256: NodeHash });
  return async (method, url, headers, body) => {
    const query: Record<string, string> = Object.fromEntries(url.searchParams);
    const signed = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query,
      ...(url.port === '' ? {} : { port: Number(url.port) }),
      ...(body === undefined ? {} : { body }),
      headers: { ...headers, host: url.host },
    });
    return signed.headers;
  };
}

/**
 * With the credentials that the AWS command line would use; temporary ones are renewed before they end. Throws `ConnectionFault` where
 * none are configured.
 */
export async function ownSigner(region: string): Promise<Signer> {
  // Files are read again by each signer: someone may have written others.
  const config = { region, ignoreCache: true };
  const { credentials } = new STSClient(config).config;
  await credentials().catch(noCredentials);
  return signerOf(region, () => credentials().catch(noCredentials));
}

const noCredentials = (cause: unknown): never => {
  throw new ConnectionFault('unsigned', 'there are no credentials', { cause });
};
