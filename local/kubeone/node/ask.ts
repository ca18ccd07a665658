/** One HTTPS request to an API server of the cluster. */
import { type RequestOptions, request } from 'node:https';

export interface ServerAnswer {
  readonly code: number;
  readonly text: string;
}

/** `timeoutMs`: for the whole answer. Rejects without an answer. Connections are kept where the options have an agent that does. */
export function askServer(
  url: string,
  timeoutMs: number,
  options: RequestOptions,
  body?: string,
): Promise<ServerAnswer> {
  return send(url, { agent: false, ...options, signal: AbortSignal.timeout(timeoutMs) }, body);
}

function send(url: string, options: RequestOptions, body: string | undefined): Promise<ServerAnswer> {
  return new Promise((resolve, reject) => {
    const call = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject).on('end', () => resolve({ code: response.statusCode ?? 0, text }));
    });
    call.on('error', (error) => {
      // A kept connection to a server that was started again fails first.
      if (call.reusedSocket) resolve(send(url, { ...options, agent: false }, body));
      else reject(error);
    });
    call.end(body);
  });
}

/** The same, and its JSON; rejects unless the code is 200. */
export async function askJson(url: string, timeoutMs: number, options: RequestOptions, body?: string) {
  const { code, text } = await askServer(url, timeoutMs, options, body);
  if (code !== 200) throw new Error(`${url} answered ${code}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
