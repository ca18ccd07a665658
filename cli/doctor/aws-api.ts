/** Whether the API answers, and which principal it takes the caller for. */
import { WhoAmI } from '#contracts/http-documents.ts';
import type { Signer } from '../aws-signer.ts';
import { type AwsCheck, look, passed, skipped } from './aws-check.ts';

const name = 'API';

export interface ApiQuestion {
  readonly url: string | undefined;
  readonly sign: Signer;
  /** Of an OIDC issuer, for installations with authorization=jwt. */
  readonly token: string | undefined;
}

export async function checkApi({ url, sign, token }: ApiQuestion): Promise<readonly AwsCheck[]> {
  if (url === undefined) return [skipped(name, 'its stack is not deployed')];
  return look(name, 'execute-api:Invoke', async () => {
    const target = new URL(`${url.replace(/\/$/, '')}/v1/whoami`);
    const plain = { accept: 'application/json' };
    const headers = token ? { ...plain, authorization: `Bearer ${token}` } : await sign('GET', target, plain);
    const response = await fetch(target, { headers, signal: AbortSignal.timeout(30_000) }).catch((cause: unknown) => {
      throw Object.assign(new Error(`nothing answers at ${url}`, { cause }), { code: 'ECONNREFUSED' });
    });
    return judge(url, response.status, await response.text(), token !== undefined);
  });
}

function judge(url: string, status: number, body: string, withToken: boolean): AwsCheck {
  if (status === 200) {
    const caller = WhoAmI.safeParse(parseJson(body));
    if (!caller.success) {
      const fix = '`kubeloom version --check` compares the versions of both';
      return {
        name,
        state: 'warning',
        found: `${url} answers with something that this version does not understand`,
        fix,
      };
    }
    const { grants, name: who } = caller.data;
    const roles = grants.map(({ role, namespaces }) => `${role} of ${namespaces.join(', ')}`).join('; ');
    if (grants.length > 0) return passed(name, `${url} answers; you are ${who}, ${roles}`);
    const fix = 'ask an admin for a role: kubeloom apply a RoleBinding, or -c admins=… at the next deployment';
    return { name, state: 'warning', found: `${url} answers, but ${who} has no role there`, fix };
  }
  if (status === 401) {
    const fix = withToken
      ? 'fetch a new token from the issuer'
      : 'it requires tokens (authorization=jwt): set KUBELOOM_TOKEN';
    return { name, state: 'wrong', found: `${url} does not know the caller (401)`, fix };
  }
  if (status === 403) {
    const fix = 'let this principal execute-api:Invoke on the API; with authorization=jwt, set KUBELOOM_TOKEN';
    return { name, state: 'wrong', found: `${url} denies access to the caller (403)`, fix };
  }
  const fix = status >= 500 ? 'docs/aws/runbooks/api-server-errors.md' : 'deploy the version of this command line';
  return { name, state: 'wrong', found: `${url} answered with ${status}`, fix };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
