/** Requests of the hooks to the API of DigitalOcean, and what a refusal means to the runner. */

const base = process.env.DIGITALOCEAN_API_URL || 'https://api.digitalocean.com';

export interface DigitalOceanAnswer {
  readonly status: number;
  readonly body: { readonly [key: string]: unknown };
}

export async function askDigitalOcean(
  path: string,
  { method = 'GET', body }: { readonly method?: 'GET' | 'POST' | 'DELETE'; readonly body?: object } = {},
): Promise<DigitalOceanAnswer> {
  const answer = await fetch(`${base}/v2/${path}`, {
    ...{ method, redirect: 'error', signal: AbortSignal.timeout(30_000) },
    headers: {
      authorization: `Bearer ${process.env.DIGITALOCEAN_TOKEN ?? ''}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: Error) => endDigitalOceanHook(4, `DigitalOcean did not answer: ${error.message}`));
  return { status: answer.status, body: (await answer.json().catch(() => ({}))) as DigitalOceanAnswer['body'] };
}

/** The answer if it is a good one. */
export function bodyOfDigitalOcean({ status, body }: DigitalOceanAnswer, what: string): DigitalOceanAnswer['body'] {
  if (status < 300) return body;
  if (status === 401 || status === 403)
    return endDigitalOceanHook(7, `${what}: DigitalOcean refuses the token (status ${status})`);
  // A droplet with which something else is done has a pending event.
  if (status === 409 || status === 422)
    return endDigitalOceanHook(5, `${what}: DigitalOcean answered with status ${status}`);
  return endDigitalOceanHook(4, `${what}: DigitalOcean answered with status ${status}`);
}

/** Exit codes: 4 may pass, 5 something else is done with it, 7 the credentials. */
export function endDigitalOceanHook(code: number, message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
