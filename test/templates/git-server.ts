/** A git host on 127.0.0.1: https, git's own `http-backend`, one repository; with a token it is private. */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, globalAgent, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { selfSigned } from '#test/fakes/self-signed.ts';

export interface GitServer {
  /** `127.0.0.1:<port>` */
  readonly host: string;
  /** Host and path of the repository, as a TemplateGitReference names it. */
  readonly url: string;
  /** File with the certificate that signs the server's. */
  readonly certificate: string;
  /** How many requests were answered. */
  readonly requests: () => number;
  /** Commits these files (path to text) on top of `branch`; returns the hash. */
  commit(files: Readonly<Record<string, string>>, branch?: string): string;
  /** Runs git in the repository; an object instead of the last word is what it reads. */
  git(...args: readonly (string | { readonly input: string })[]): string;
  close(): Promise<void>;
}

const quiet = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
  PATH: process.env.PATH ?? '',
};

type Certified = Pick<GitServer, 'certificate'>;
let trusted: readonly Certified[] = [];

/** Requests of this process trust these servers, and no longer those of an earlier call; without any, what Node trusts. */
export function trust(...servers: readonly Certified[]): void {
  trusted = servers;
  // An undefined value would hide the certificates of single requests.
  delete globalAgent.options.ca;
  if (servers.length === 0) return;
  globalAgent.options.ca = servers.map(({ certificate }) => readFileSync(certificate, 'utf8'));
}

/**
 * `token`: only who sends it as password may read. `suffix`: the path ends with it and nothing else is answered.
 * `redirectTo`: all requests are redirected there.
 */
export async function startGitServer({
  token,
  suffix = '',
  redirectTo,
}: {
  token?: string;
  suffix?: string;
  redirectTo?: string;
} = {}): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), 'kubeloom-git-'));
  const work = join(root, 'work');
  const name = `team/templates${suffix}`;
  const git: GitServer['git'] = (...args) => {
    const words = args.filter((arg) => typeof arg === 'string');
    const input = args.flatMap((arg) => (typeof arg === 'string' ? [] : [arg.input])).join('');
    const options = { env: quiet, input, stdio: ['pipe', 'pipe', 'ignore'] as ('pipe' | 'ignore')[] };
    return execFileSync('git', ['-C', work, ...words], options)
      .toString()
      .trim();
  };
  mkdirSync(work);
  git('init', '-q', '-b', 'main');
  git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  git('config', 'uploadpack.allowFilter', 'true');
  const served = join(root, 'served', name);
  mkdirSync(dirname(served), { recursive: true });
  execFileSync('ln', ['-s', join(work, '.git'), served]);
  const { key, certificate } = selfSigned(root, 'git');
  let requests = 0;
  const options = { key: readFileSync(key), cert: readFileSync(certificate) };
  const server: Server = createServer(options, (request, response) => {
    requests += 1;
    const expected = token && `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
    if (expected && request.headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
      return;
    }
    if (redirectTo !== undefined) {
      const path = (request.url ?? '').slice(name.length + 1);
      response.writeHead(301, { location: `${redirectTo}${path}` }).end();
      return;
    }
    const url = new URL(request.url ?? '/', 'https://host');
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...quiet,
        GIT_PROJECT_ROOT: join(root, 'served'),
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method ?? '',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REMOTE_USER: 'someone',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    });
    // It may answer before it has read the request.
    backend.stdin.on('error', () => {});
    request.pipe(backend.stdin);
    const pieces: Buffer[] = [];
    backend.stdout.on('data', (piece: Buffer) => pieces.push(piece));
    backend.on('close', () => answer(Buffer.concat(pieces)));
    const answer = (whole: Buffer): void => {
      const end = whole.indexOf('\r\n\r\n');
      const headers = Object.fromEntries(
        whole
          .toString('latin1', 0, end)
          .split('\r\n')
          .map((line) => line.split(': ', 2) as [string, string]),
      );
      const { Status = '200', ...rest } = headers;
      response.writeHead(Number.parseInt(Status, 10), rest).end(whole.subarray(end + 4));
    };
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `${host}/${name}`,
    certificate,
    git,
    requests: () => requests,
    commit(files, branch = 'main') {
      git('checkout', '-q', '-B', branch);
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(work, path)), { recursive: true });
        writeFileSync(join(work, path), text);
      }
      git('add', '-A');
      git('commit', '-q', '-m', 'templates');
      return git('rev-parse', 'HEAD');
    },
    async close() {
      // Test files share a process: the next one must not trust what this one did.
      trust(...trusted.filter((other) => other.certificate !== certificate));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Platforms that start from now on may ask them and trust their certificates; the returned function puts back what was there. */
export function allowGitServer(...servers: readonly Pick<GitServer, 'host' | 'certificate'>[]): () => void {
  const [first, ...more] = servers.map(({ certificate }) => certificate);
  if (first === undefined) throw new Error('no server is named');
  // One file has them all; it is removed with the first server.
  for (const file of more) appendFileSync(first, `\n${readFileSync(file, 'utf8')}`);
  const allowed = {
    KUBELOOM_TEMPLATE_PRIVATE_HOSTS: servers.map(({ host }) => host).join(','),
    NODE_EXTRA_CA_CERTS: first,
  };
  const before = Object.keys(allowed).map((variable) => [variable, process.env[variable]] as const);
  Object.assign(process.env, allowed);
  return () => {
    for (const [variable, value] of before)
      if (value === undefined) delete process.env[variable];
      else process.env[variable] = value;
  };
}
