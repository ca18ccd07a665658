/** Questions to the APIs of clouds, and how a refusal becomes a finding. */
import type { IncomingHttpHeaders } from 'node:http';
import { type BoundedRequest, boundedRequest } from '#adapters/bounded-request.ts';
import { parseJson } from '#domain/json.ts';
import { type CheckFinding, permissionFinding, unreported } from './finding.ts';

export interface CloudAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON; undefined when it is not JSON. */
  readonly body: unknown;
  /** The JSON if it is a map, else an empty map. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const timeoutMs = 20_000;
/** More than any answer of a cloud; addresses of some come from Secrets. */
const mostBytes = 8_000_000;
/** Clouds refuse requests that are signed with a clock further off: Oracle and AWS at 5 min, Exoscale at 10. */
const clockMayBeOffMs = 4 * 60_000;

/** A cloud that refuses, or does not answer; ends the check. */
export class CheckRefused extends Error {
  readonly finding: CheckFinding;

  constructor(finding: CheckFinding) {
    super(finding.message);
    this.name = 'CheckRefused';
    this.finding = finding;
  }
}

/** What a cloud is asked. @default a GET */
export type CloudQuestion = Pick<BoundedRequest, 'method' | 'headers' | 'body'>;

/**
 * Asks once and follows no redirect, which would take a token to another place; the answer may take 20 s and have 8 MB. Throws
 * `CheckRefused` without an answer.
 */
export async function askCloud(url: string, { headers, ...question }: CloudQuestion = {}): Promise<CloudAnswer> {
  try {
    const answer = await boundedRequest(url, {
      ...question,
      headers: { accept: '*/*', 'user-agent': 'kubeloom', ...headers },
      timeoutMs,
      mostBytes,
    });
    const text = answer.body.toString('utf8');
    const body = parseJson(text);
    const json = typeof body === 'object' && body !== null ? { ...body } : {};
    return { status: answer.status, headers: answer.headers, body, json, text };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'no answer';
    const message = `does not answer (${code}): check that it is up and can be reached from here`;
    throw new CheckRefused({ about: 'identity', name: new URL(url).host, ok: null, message });
  }
}

/** Findings of one part of a check: if its server does not answer, that is reported for `name`, and the rest of the check continues. */
export async function orUnreported(
  about: CheckFinding['about'],
  name: string,
  part: Promise<readonly CheckFinding[]>,
): Promise<readonly CheckFinding[]> {
  return part.catch((error: unknown) => {
    if (!(error instanceof CheckRefused)) throw error;
    return [unreported(about, name, `${error.finding.name} ${error.finding.message}`)];
  });
}

/** The answer when it is a good one. Throws `CheckRefused`: the credentials, or what they were used for, are refused. */
export async function mustAsk(what: string, url: string, question: CloudQuestion = {}): Promise<CloudAnswer> {
  const answer = await askCloud(url, question);
  mustBeGood(what, answer);
  return answer;
}

/** Throws `CheckRefused` for an answer that is not a good one; `hint` says what to check then. */
export function mustBeGood(
  what: string,
  answer: CloudAnswer,
  hint = 'check that the credentials are right and meant for this',
): void {
  const { status } = answer;
  if (status < 300) return;
  throw new CheckRefused(
    isBusy(status)
      ? unreported('identity', what, `cannot be checked now (HTTP ${status}): retry later`)
      : {
          about: 'identity',
          name: what,
          ok: false,
          message: `is refused (HTTP ${status}): ${clockFault(answer) ?? hint}`,
        },
  );
}

/** Asks with a token that needs no login. Throws `CheckRefused` when there is no answer, and when the token is refused. */
export async function askWithToken(
  token = '',
  ...[url, options = {}]: Parameters<typeof askCloud>
): Promise<CloudAnswer> {
  const answer = await askCloud(url, { ...options, headers: { ...options.headers, ...bearer(token) } });
  if (answer.status === 401) mustBeGood('token', answer);
  return answer;
}

/** The finding of an answer about a permission; `proof`: whether it shows that the permission is granted. */
export function permissionShown(name: string, { status }: CloudAnswer, proof: boolean, missing: string): CheckFinding {
  if (isBusy(status)) return unreported('permission', name, `cannot be checked now (HTTP ${status}): retry later`);
  return permissionFinding(name, proof, `is missing (HTTP ${status}): ${missing}`);
}

/** For a quota that could not be read. */
export function quotaUnread(name: string, { status }: CloudAnswer, fix?: string): CheckFinding {
  const then = isBusy(status) ? 'retry later' : fix;
  return unreported('quota', name, `cannot be read (HTTP ${status})${then === undefined ? '' : `: ${then}`}`);
}

/** An answer of an overloaded or broken cloud says nothing about rights. */
const isBusy = (status: number): boolean => status >= 500 || status === 429;

export const bearer = (token: string): { readonly authorization: string } => ({ authorization: `Bearer ${token}` });

export function form(fields: Readonly<Record<string, string>>): CloudQuestion {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { method: 'POST', headers, body: String(new URLSearchParams(fields)) };
}

export function json(body: unknown, headers: Readonly<Record<string, string>> = {}): CloudQuestion {
  return { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
}

/** Signatures contain the time: with a wrong clock a valid key is refused. Undefined when the clock is right. */
export function clockFault({ headers }: Pick<CloudAnswer, 'headers'>): string | undefined {
  const off = Date.now() - Date.parse(headers.date ?? '');
  if (!(Math.abs(off) > clockMayBeOffMs)) return undefined;
  const minutes = Math.round(Math.abs(off) / 60_000);
  return `the clock here is ${minutes} minutes ${off > 0 ? 'ahead of' : 'behind'} the cloud's: set it, then retry`;
}
