/** Questions to the APIs of clouds, and how a refusal becomes a finding. */
import type { CheckFinding } from './finding.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The JSON of it; an empty map when it is none. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** A cloud that refuses, or does not answer; ends the check. */
export class CheckRefused extends Error {
  readonly finding: CheckFinding;

  constructor(finding: CheckFinding) {
    super(finding.message);
    this.name = 'CheckRefused';
    this.finding = finding;
  }
}

/** Asks once. Throws `CheckRefused` when there is no answer. */
export async function ask(url: string, options: RequestInit = {}): Promise<Answer> {
  const host = new URL(url).host;
  const response = await fetch(url, { ...options, signal: AbortSignal.timeout(20_000) }).catch((cause: unknown) => {
    const name =
      cause instanceof Error && cause.cause instanceof Error && 'code' in cause.cause
        ? String(cause.cause.code)
        : 'no answer';
    throw new CheckRefused({ about: 'identity', name: host, ok: null, message: `does not answer (${name})` });
  });
  const text = await response.text();
  return { status: response.status, text, json: parsed(text) };
}

/** The answer when it is a good one. Throws `CheckRefused`: the credentials, or what they were used for, are refused. */
export async function mustAsk(what: string, url: string, options: RequestInit = {}): Promise<Answer> {
  const answer = await ask(url, options);
  if (answer.status < 300) return answer;
  const isTheirs = answer.status >= 500 || answer.status === 429;
  throw new CheckRefused({
    ...{ about: 'identity', name: what, ok: isTheirs ? null : false },
    message: isTheirs
      ? `cannot be asked now (HTTP ${answer.status})`
      : `is refused (HTTP ${answer.status}): are the credentials right, and meant for this?`,
  });
}

export const bearer = (token: string): { readonly authorization: string } => ({ authorization: `Bearer ${token}` });

export function form(fields: Readonly<Record<string, string>>): RequestInit {
  return { method: 'POST', body: new URLSearchParams(fields) };
}

export function json(body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
