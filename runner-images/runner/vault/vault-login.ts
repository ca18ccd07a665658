/** The body of a login request to a Vault, by auth method. */

import { webIdentityToken } from '../web-identity.ts';
import { signedIdentity } from './signed-identity.ts';
import type { VaultLogin } from './vault-connection.ts';

type Body = Readonly<Record<string, unknown>>;

/** Builds the body of a login; secrets that occur on the way are passed to `mask`. */
export type LoginWords = (login: VaultLogin, mask: (values: readonly string[]) => void) => Promise<Body>;

export const loginWords: LoginWords = async (login, mask) => {
  switch (login.kind) {
    case 'approle':
      return { role_id: login.roleId, secret_id: login.secretId };
    case 'jwt':
      return { role: login.role, jwt: login.jwt };
    case 'jwtOfAws': {
      const { token: jwt } = await webIdentityToken(login.audience, mask);
      return { role: login.role, jwt };
    }
    case 'aws': {
      const { method, url, body, headers } = await signedIdentity(login.serverId);
      mask([headers.authorization?.split('Signature=')[1] ?? '', headers['x-amz-security-token'] ?? '']);
      return {
        role: login.role,
        iam_http_request_method: method,
        iam_request_url: base64(url),
        iam_request_body: base64(body),
        iam_request_headers: base64(JSON.stringify(headers)),
      };
    }
    default:
      return login satisfies never;
  }
};

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
