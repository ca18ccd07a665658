/** The simulated Kubernetes API server: HTTPS, client certificates or a token, one leader that all others ask. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { askServer } from './ask.ts';
import { discoveryAnswer } from './discovery.ts';
import type { Json } from './json.ts';
import { type Credentials, Membership } from './membership.ts';
import { type Heartbeat, NodeLifecycle } from './node-lifecycle.ts';
import { answerObjectRequest } from './object-requests.ts';
import { ObjectStore, type Snapshot, type StoreMember } from './object-store.ts';
import { parseApiPath, resourceNamed, resourcesWith } from './resources.ts';
import { seedObjects } from './seed-objects.ts';
import { ApiFailure } from './status.ts';

export interface ApiServerOptions {
  readonly self: StoreMember;
  readonly seeds: readonly StoreMember[];
  readonly listen: { readonly host: string; readonly port: number };
  readonly stateFile: string;
  /** Without leading v. */
  readonly kubernetesVersion: string;
  readonly certificate: { readonly key: Buffer; readonly cert: Buffer };
  readonly credentials: Credentials;
  /** How long a kubelet may be silent, ms. */
  readonly silenceMs: number;
  /** How long an answer about who leads is believed, ms. */
  readonly trustMs: number;
}

export interface RunningApiServer {
  close(): Promise<void>;
}

const maxBody = 4_000_000;

export async function startApiServer(options: ApiServerOptions): Promise<RunningApiServer> {
  const api = new ControlPlaneApi(options);
  const { key, cert } = options.certificate;
  const server = createServer(
    { key, cert, ca: options.credentials.ca, requestCert: true, rejectUnauthorized: false },
    (incoming, response) => {
      api.answer(incoming, response).catch((error: unknown) => fail(response, error));
    },
  );
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.listen.port, options.listen.host, resolve);
  });
  const sweeping = setInterval(() => api.sweep(), 1000).unref();
  return {
    close: () =>
      new Promise((resolve) => {
        clearInterval(sweeping);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class ControlPlaneApi {
  readonly #options: ApiServerOptions;
  readonly #store: ObjectStore;
  readonly #lifecycle: NodeLifecycle;
  readonly #membership: Membership;

  constructor(options: ApiServerOptions) {
    const store = new ObjectStore(options.stateFile);
    const lifecycle = new NodeLifecycle(store, options.silenceMs);
    this.#options = options;
    this.#store = store;
    this.#lifecycle = lifecycle;
    this.#membership = new Membership({
      ...options,
      store,
      onLeading: () => {
        lifecycle.reset();
        seedObjects(store, new Date());
      },
    });
  }

  async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { self, credentials, kubernetesVersion } = this.#options;
    const url = new URL(incoming.url ?? '/', 'https://kubernetes');
    if (['/livez', '/healthz', '/readyz'].includes(url.pathname)) {
      if (url.pathname === '/readyz') await this.#membership.leader();
      response.end('ok');
      return;
    }
    authenticate(incoming, credentials.token);
    const resources = resourcesWith(this.#store.list(resourceNamed('customresourcedefinitions'), ''));
    const discovered = discoveryAnswer(url.pathname, kubernetesVersion, resources);
    if (discovered !== undefined) return reply(response, 200, discovered);
    if (url.pathname.startsWith('/internal/') && url.pathname !== '/internal/heartbeat') {
      return this.#answerMember(incoming, response, url);
    }
    const leader = await this.#membership.leader();
    if (leader.name !== self.name) return this.#forward(incoming, response, leader);

    const text = await readText(incoming);
    if (url.pathname === '/internal/heartbeat') return reply(response, 200, await this.#hear(JSON.parse(text)));
    const target = parseApiPath(url.pathname, resources);
    if (target === undefined) throw new ApiFailure('NotFound', 'the server could not find the requested resource');
    reply(response, 200, await this.#answerObjects({ incoming, url, target, text }));
  }

  /** Marks nodes whose kubelets are silent. */
  sweep(): void {
    if (!this.#membership.leading) return;
    const { revision } = this.#store.snapshot;
    this.#lifecycle.sweep(new Date());
    this.#confirm(revision).catch(() => this.#membership.stepDown());
  }

  /** Passes on the changes since `revision`, before any client gets its answer; also to members that are not any more. */
  async #confirm(revision: number, dismissed: readonly StoreMember[] = []): Promise<void> {
    if (this.#store.snapshot.revision === revision) return;
    if (!(await this.#membership.replicate(dismissed))) {
      throw new ApiFailure('ServiceUnavailable', 'another control-plane node leads now; retry');
    }
    if (dismissed.some(({ name }) => name === this.#options.self.name)) this.#membership.stepDown();
  }

  async #hear(heartbeat: Heartbeat): Promise<object> {
    const { revision } = this.#store.snapshot;
    const heard = this.#lifecycle.hear(heartbeat, new Date());
    await this.#confirm(revision);
    return heard;
  }

  async #answerObjects(asked: {
    readonly incoming: IncomingMessage;
    readonly url: URL;
    readonly target: NonNullable<ReturnType<typeof parseApiPath>>;
    readonly text: string;
  }): Promise<object> {
    const { url, target, text } = asked;
    const { method = 'GET', headers } = asked.incoming;
    const { accept = '', 'content-type': contentType = '' } = headers;
    const store = this.#store;
    const { revision } = store.snapshot;
    const answered = answerObjectRequest(
      store,
      { method, target, query: url.searchParams, accept, contentType, body: parsed(text) },
      new Date(),
    );
    const { members } = store.snapshot;
    const deleted =
      method === 'DELETE' && target.resource.kind === 'Node' && target.resource.group === '' ? target.name : undefined;
    const dismissed = members.filter(({ name }) => name === deleted);
    if (dismissed.length > 0) store.setMembers(members.filter((member) => !dismissed.includes(member)));
    await this.#confirm(revision, dismissed);
    return answered;
  }

  async #answerMember(incoming: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    if (url.pathname === '/internal/ping') {
      this.#membership.hear(Number(url.searchParams.get('term') ?? '0'));
      return reply(response, 200, { name: this.#options.self.name });
    }
    if (incoming.method === 'GET') return reply(response, 200, this.#store.snapshot);
    const snapshot: Snapshot = JSON.parse(await readText(incoming));
    return reply(response, this.#membership.accept(snapshot) ? 200 : 409, {});
  }

  async #forward(incoming: IncomingMessage, response: ServerResponse, leader: StoreMember): Promise<void> {
    const { ca, token } = this.#options.credentials;
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const text = await readText(incoming);
    const { method } = incoming;
    const answered = await askServer(`${leader.url}${incoming.url}`, 30_000, { method, headers, ca }, text).catch(
      () => {
        this.#membership.stepDown();
        throw new ApiFailure('ServiceUnavailable', 'the leading control-plane node does not answer; retry');
      },
    );
    response.writeHead(answered.code, { 'content-type': 'application/json' }).end(answered.text);
  }
}

function authenticate(incoming: IncomingMessage, token: string): void {
  if ((incoming.socket as TLSSocket).authorized || incoming.headers.authorization === `Bearer ${token}`) return;
  throw new ApiFailure('Unauthorized', 'Unauthorized');
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming) {
    size += part.length;
    if (size > maxBody) throw new ApiFailure('BadRequest', 'the request body is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** undefined: not JSON (kubectl sends some reviews and evictions as protobuf, whose content does not matter). */
function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reply(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function fail(response: ServerResponse, error: unknown): void {
  const failure =
    error instanceof ApiFailure
      ? error
      : new ApiFailure('InternalError', error instanceof Error ? error.message : String(error));
  if (response.headersSent) response.destroy();
  else reply(response, failure.code, failure.status());
}
