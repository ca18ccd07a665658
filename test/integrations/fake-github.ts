/** As much of GitHub's API as the action asks: comments of an issue, pull requests of a commit, tokens of a job. Refuses what GitHub refuses. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Comment {
  readonly id: number;
  readonly issue: number;
  readonly user: { readonly login: string };
  body: string;
}

export interface FakeGitHub {
  readonly url: string;
  readonly comments: Comment[];
  /** By commit: pull requests that it belongs to. */
  readonly requests: Map<string, readonly object[]>;
  /** What was asked, as `GET /repos/…`. */
  readonly asked: string[];
  comment(issue: number, login: string, body: string): void;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

const token = 'gh-token';
const mostCharacters = 65_536;

export async function fakeGitHub(): Promise<FakeGitHub> {
  const comments: Comment[] = [];
  const requests = new Map<string, readonly object[]>();
  const asked: string[] = [];
  const comment = (issue: number, login: string, body: string): Comment => {
    const made = { id: 1000 + comments.length, issue, user: { login }, body };
    comments.push(made);
    return made;
  };
  const bodyOf = async (request: IncomingMessage): Promise<string | Answer> => {
    let parsed: { body?: unknown };
    try {
      parsed = JSON.parse(await text(request)) as { body?: unknown };
    } catch {
      return { status: 400, json: { message: 'Problems parsing JSON' } };
    }
    const { body } = parsed;
    if (typeof body === 'string' && body.length > 0 && body.length <= mostCharacters) return body;
    return { status: 422, json: { message: 'Validation Failed', errors: [{ field: 'body' }] } };
  };
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://github.test');
    asked.push(`${request.method} ${pathname}`);
    if (!request.headers['user-agent']) return { status: 403, json: { message: 'Request forbidden' } };
    if (pathname === '/token') return identity(request, searchParams);
    if (request.headers.authorization !== `Bearer ${token}`)
      return { status: 401, json: { message: 'Bad credentials' } };
    const [, issue] = /^\/repos\/team\/shop\/issues\/(\d+)\/comments$/.exec(pathname) ?? [];
    if (issue !== undefined && request.method === 'GET') {
      const size = Math.min(100, Number(searchParams.get('per_page') ?? 30));
      const from = (Number(searchParams.get('page') ?? 1) - 1) * size;
      return { status: 200, json: comments.filter((one) => one.issue === Number(issue)).slice(from, from + size) };
    }
    if (issue !== undefined && request.method === 'POST') {
      const body = await bodyOf(request);
      return typeof body === 'string'
        ? { status: 201, json: comment(Number(issue), 'github-actions[bot]', body) }
        : body;
    }
    const [, id] = /^\/repos\/team\/shop\/issues\/comments\/(\d+)$/.exec(pathname) ?? [];
    const found = comments.find((one) => one.id === Number(id));
    if (found && request.method === 'PATCH') {
      const body = await bodyOf(request);
      if (typeof body !== 'string') return body;
      found.body = body;
      return { status: 200, json: found };
    }
    const [, commit] = /^\/repos\/team\/shop\/commits\/([0-9a-f]{40})\/pulls$/.exec(pathname) ?? [];
    if (commit !== undefined && request.method === 'GET') return { status: 200, json: requests.get(commit) ?? [] };
    // GitHub says no more about what does not exist for this method or this token.
    return { status: 404, json: { message: 'Not Found' } };
  };
  const server = createServer((request, response) => {
    void answer(request).then(({ status, json }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    comments,
    requests,
    asked,
    comment: (...of) => void comment(...of),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function identity(request: IncomingMessage, query: URLSearchParams): Answer {
  if (request.headers.authorization !== 'Bearer request-token')
    return { status: 401, json: { message: 'Unauthorized' } };
  return { status: 200, json: { value: `identity-for-${query.get('audience')}` } };
}
