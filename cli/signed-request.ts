/** Signs requests to an API of ours in AWS (SigV4, service `execute-api`) with the caller's own credentials. */
import type { Signer } from './aws-signer.ts';
import type { Connection } from './connection.ts';

/**
 * Signs what goes to an API in AWS without a token, and leaves everything else as it is. The region is that of the host name; an
 * API behind a name of one's own has it in its context or in KUBELOOM_API_REGION. Throws `CliError` where there are no credentials.
 */
export function signerFor({ apiUrl, token, region: own }: Connection): Signer {
  const region = process.env.KUBELOOM_API_REGION || own || regionOfApi(apiUrl);
  if (token !== undefined || region === undefined) return async (_method, _url, headers) => headers;
  let signer: Promise<Signer> | undefined;
  return async (...request) => {
    signer ??= import('./aws-signer.ts').then(({ ownSigner }) => ownSigner(region));
    return (await signer)(...request);
  };
}

/** Region of an API of AWS by its host name; undefined for any other host. */
export function regionOfApi(url: string): string | undefined {
  return /^[a-z0-9]+\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$/.exec(new URL(url).hostname)?.[1];
}
