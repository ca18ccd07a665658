/** One HTTPS request to an API server of the cluster. */
import { type RequestOptions, request } from 'node:https';

export interface Answer {
  readonly code: number;
  readonly text: string;
}

/** `timeoutMs`: for the whole answer. Rejects when there is none. */
export function ask(url: string, timeoutMs: number, options: RequestOptions, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    // No kept connections: one to a server that was started again would fail first.
    const call = request(url, { ...options, signal, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject).on('end', () => resolve({ code: response.statusCode ?? 0, text }));
    });
    call.on('error', reject).end(body);
  });
}

/** The same, and its JSON; rejects unless the code is 200. */
export async function askJson(url: string, timeoutMs: number, options: RequestOptions, body?: string) {
  const { code, text } = await ask(url, timeoutMs, options, body);
  if (code !== 200) throw new Error(`${url} answered ${code}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
