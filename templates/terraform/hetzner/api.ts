/** Requests of the hooks to the API of Hetzner, and what a refusal means to the runner. */

const base = process.env.HCLOUD_ENDPOINT || 'https://api.hetzner.cloud/v1';

export interface HetznerAnswer {
  readonly status: number;
  readonly body: { readonly [key: string]: unknown };
}

export async function askHetzner(path: string, method: 'GET' | 'POST' | 'DELETE' = 'GET'): Promise<HetznerAnswer> {
  const headers = { authorization: `Bearer ${process.env.HCLOUD_TOKEN ?? ''}` };
  const options = { method, headers, redirect: 'error', signal: AbortSignal.timeout(30_000) } as const;
  const answer = await fetch(`${base}${path}`, options).catch((error: Error) =>
    endHetznerHook(4, `Hetzner did not answer: ${error.message}`),
  );
  const body = (await answer.json().catch(() => ({}))) as HetznerAnswer['body'];
  return { status: answer.status, body };
}

/** The answer if it is a good one. */
export function bodyOfHetzner({ status, body }: HetznerAnswer, what: string): HetznerAnswer['body'] {
  if (status < 300) return body;
  const { code = '' } = (body.error ?? {}) as { readonly code?: string };
  const said = `${what}: Hetzner answered with status ${status} ${code}`.trim();
  if (code === 'protected') return endHetznerHook(8, `${said}: it is protected against that`);
  if (code === 'locked' || code === 'conflict') return endHetznerHook(5, said);
  if (status === 401 || status === 403)
    return endHetznerHook(7, `${what}: Hetzner refuses the token (status ${status})`);
  return endHetznerHook(4, said);
}

/** Exit codes: 4 may pass, 5 something else is done with it, 7 the credentials, 8 the provider keeps it. */
export function endHetznerHook(code: number, message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
