/** Requests to Exoscale's API, signed by EXO2-HMAC-SHA256 over method, path, body, query, headers (none) and end of validity. */
import { createHmac } from 'node:crypto';
import { askCloud, type CloudAnswer } from './ask.ts';
import type { CheckInput } from './finding.ts';

/** How long a request is good for, in seconds; clocks may differ by as much. */
const validity = 600;

/** Asks once, without query and body. Throws `CheckRefused` when there is no answer. */
export function askExoscale(
  { apikey = '', apisecret = '' }: CheckInput['fields'],
  url: string,
  { method = 'GET' }: { readonly method?: 'GET' | 'PUT' | 'DELETE' } = {},
): Promise<CloudAnswer> {
  const expires = Math.floor(Date.now() / 1000) + validity;
  const text = [`${method} ${new URL(url).pathname}`, '', '', '', expires].join('\n');
  const signature = createHmac('sha256', apisecret).update(text).digest('base64');
  const authorization = `EXO2-HMAC-SHA256 credential=${apikey},expires=${expires},signature=${signature}`;
  return askCloud(url, { method, headers: { authorization } });
}
