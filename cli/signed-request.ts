/** Signs requests to an API of ours in AWS (SigV4, service `execute-api`) with the caller's own credentials. */
import { SignatureV4 } from '@smithy/signature-v4';
import { NodeHash } from '#adapters/node-hash.ts';
import { CliError, exitCodes } from './exit-codes.ts';

type Headers = Readonly<Record<string, string>>;
type Credentials = ConstructorParameters<typeof SignatureV4>[0]['credentials'];

/** Headers of the request, with those of the signature. */
export type Signer = (method: string, url: URL, headers: Headers, body?: string) => Promise<Headers>;

export function signerOf(region: string, credentials: Credentials): Signer {
  const signer = new SignatureV4({ service: 'execute-api', region, credentials, sha256: NodeHash });
  return async (method, url, headers, body) => {
    const query: Record<string, string> = Object.fromEntries(url.searchParams);
    const signed = await signer.sign({
      ...{ method, protocol: url.protocol, hostname: url.hostname, path: url.pathname, query },
      ...(url.port === '' ? {} : { port: Number(url.port) }),
      ...(body === undefined ? {} : { body }),
      headers: { ...headers, host: url.host },
    });
    return signed.headers;
  };
}

/**
 * Signs what goes to an API in AWS without a token, and leaves everything else as it is. The region is that of the host name; an
 * API behind a name of one's own has it in KUBELOOM_API_REGION. Throws `CliError` where there are no credentials.
 */
export function signerFor({ apiUrl, token }: { readonly apiUrl: string; readonly token: string | undefined }): Signer {
  const region = process.env.KUBELOOM_API_REGION || regionOfApi(apiUrl);
  if (token !== undefined || region === undefined) return async (_method, _url, headers) => headers;
  let signer: Promise<Signer> | undefined;
  return async (...request) => {
    signer ??= ownSigner(region);
    return (await signer)(...request);
  };
}

/** With the credentials that the AWS command line would use. */
async function ownSigner(region: string): Promise<Signer> {
  const { STSClient } = await import('@aws-sdk/client-sts');
  const credentials = await new STSClient({ region }).config.credentials().catch((cause: unknown) => {
    const how = 'run `aws configure sso`, set AWS_PROFILE, or set KUBELOOM_TOKEN where the API takes tokens';
    throw new CliError(`the API in AWS wants signed requests, and there are no credentials: ${how}`, exitCodes.fault, {
      cause,
    });
  });
  return signerOf(region, credentials);
}

/** Region of an API of AWS by its host name; undefined for any other host. */
export function regionOfApi(url: string): string | undefined {
  return /^[a-z0-9]+\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$/.exec(new URL(url).hostname)?.[1];
}
