/** Requests to the metadata service of the machine that this runs on. What answers may be anyone: it is bounded, and parsed by who asks. */
import { boundedText } from '../bounded-text.ts';

export interface MetadataAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface MetadataRequest {
  readonly method?: 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  /** @default 3 s */
  readonly timeoutMs?: number;
}

/** Asks for a path; throws when the answer does not come in time, is larger than any, or leads elsewhere. */
export type AskMetadata = (path: string, request?: MetadataRequest) => Promise<MetadataAnswer>;

/** A list of events has some kilobytes. */
const mostBytes = 256_000;

/** `base`: `http://169.254.169.254`. */
export function metadataService(base: string): AskMetadata {
  return async (
    path,
    { method = 'GET', headers = {}, timeoutMs = 3000 }: Omit<MetadataRequest, 'method'> & { method?: string } = {},
  ) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`${base}${path}`, { method, headers, redirect: 'error', signal });
    return { status: response.status, headers: response.headers, text: await boundedText(response, mostBytes) };
  };
}

/** Throws for every answer but a 200. */
export function answeredText({ status, text }: MetadataAnswer, what: string): string {
  if (status !== 200) throw new Error(`${what}: the metadata service answers ${status}`);
  return text;
}
