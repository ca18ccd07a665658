/** The API as a client sees it, over ports in memory; every answer is held against the OpenAPI document. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { handler as agents } from '#functions/api/agents.ts';
import { handler } from '#functions/api/router.ts';
import { routes } from '#functions/api/routes.ts';
import { useDeps } from '#functions/wire.ts';
import { asFunction } from '#local/rights/function-at-work.ts';
import { boundedFunctions } from '#test/fakes/bounded-functions.ts';
import { type FakeDeps, fakeDeps } from '#test/fakes/fake-deps.ts';
import document from '../../docs/openapi.json' with { type: 'json' };

export interface Call {
  /** Text, bytes, or a value that is sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the authorizer found out; null: nothing. @default a token of `tester` */
  readonly as?: { readonly iam: { readonly userArn: string } } | { readonly jwt: { readonly claims: object } } | null;
}

/** A token of this user. */
export const as = (sub: string): Pick<Call, 'as'> => ({ as: { jwt: { claims: { sub } } } });

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Parsed when it is JSON. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface ApiUnderTest {
  readonly deps: FakeDeps;
  call(method: string, path: string, call?: Call): Promise<Answer>;
}

/** A fresh API. */
export function apiUnderTest(
  environment: Readonly<Record<string, string>> = {},
  change: Partial<FakeDeps> = {},
): ApiUnderTest {
  process.env.KUBELOOM_LOG = 'none';
  const deps = { ...fakeDeps(environment), ...change };
  return { deps, call: (method, path, call = {}) => callApi(deps, method, path, call) };
}

/** Gives users a role in a namespace, by the admin `root`. */
export async function bindRoles(
  deps: FakeDeps,
  namespace: string,
  users: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [role, user] of Object.entries(users)) {
    const spec = { role, namespaces: [namespace], subjects: [{ user }] };
    const body = { apiVersion: 'kubeloom.dev/v1', kind: 'RoleBinding', metadata: { name: role }, spec };
    const { status, text } = await callApi(deps, 'PUT', `/v1/roles/${role}`, { body, ...as('root') });
    if (status !== 200) throw new Error(text);
  }
}

/** One call of the API over these ports. */
export async function callApi(deps: FakeDeps, method: string, target: string, call: Call): Promise<Answer> {
  const [path = '', query = ''] = target.split('?');
  const { route, parameters } = routeOf(method, path);
  useDeps(boundedFunctions(deps));
  const event = eventOf(method, { path, query, route, parameters, call });
  const [name, handle] = path.startsWith('/v1/agent/') ? (['agents', agents] as const) : (['router', handler] as const);
  const result = await asFunction(name, () => handle(event));
  const headers = Object.fromEntries(
    Object.entries(result.headers ?? {}).map(([k, v]) => [k.toLowerCase(), String(v)]),
  );
  const text = result.body ?? '';
  const answer = { status: result.statusCode ?? 0, headers, text, json: isJson(headers) ? JSON.parse(text) : {} };
  holdAgainstDocument(route, answer);
  return answer;
}

/** As API Gateway matches: a fixed part goes before a parameter; parameters are percent-decoded. */
function routeOf(method: string, path: string): { route: string; parameters: Record<string, string> } {
  for (const route of routes) {
    if (route.method !== method) continue;
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => String(match[1]));
    const match = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(path);
    if (!match) continue;
    const parameters = names.map((name, at) => [name, decodeURIComponent(match[at + 1] ?? '')] as const);
    return { route: `${route.method} ${route.path}`, parameters: Object.fromEntries(parameters) };
  }
  return { route: '$default', parameters: {} };
}

interface Matched {
  readonly path: string;
  readonly query: string;
  readonly route: string;
  readonly parameters: Record<string, string>;
  readonly call: Call;
}

function eventOf(method: string, { path, query, route, parameters, call }: Matched): APIGatewayProxyEventV2 {
  const bytes = call.body === undefined ? undefined : bytesOf(call.body);
  return {
    version: '2.0',
    routeKey: route,
    rawPath: path,
    rawQueryString: query,
    headers: { 'content-type': 'application/json', ...call.headers },
    queryStringParameters: Object.fromEntries(new URLSearchParams(query)),
    pathParameters: parameters,
    isBase64Encoded: bytes !== undefined,
    ...(bytes && { body: Buffer.from(bytes).toString('base64') }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'test',
      domainName: 'api.test',
      domainPrefix: 'api',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
      requestId: 'request-1',
      routeKey: route,
      stage: '$default',
      time: '20/Nov/2026:12:00:00 +0000',
      timeEpoch: 0,
      ...(call.as !== null && { authorizer: call.as ?? { jwt: { claims: { sub: 'tester' }, scopes: [] } } }),
    },
  } as APIGatewayProxyEventV2;
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
}

function isJson(headers: Readonly<Record<string, string>>): boolean {
  return /^application\/(problem\+)?json/.test(headers['content-type'] ?? '');
}

const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ $id: 'openapi', ...document });

/** Throws when the document does not know the status, the media type or the shape of an answer. */
function holdAgainstDocument(route: string, answer: Answer): void {
  const found = routes.find(({ method, path }) => `${method} ${path}` === route);
  if (!found || answer.status === 304) return;
  const at = ['paths', found.path, found.method.toLowerCase(), 'responses'];
  const responses = at.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], document);
  const all = responses as Record<string, { content?: Record<string, unknown> }>;
  const status = answer.status in all ? String(answer.status) : 'default';
  const known = answer.status >= 500 || status !== 'default' ? all[status] : undefined;
  const what = `${route} → ${answer.status}`;
  if (!known) throw new Error(`${what} is not in docs/openapi.json: ${answer.text}`);
  const media = (answer.headers['content-type'] ?? '').split(';')[0] ?? '';
  if (!known.content) return;
  if (!(media in known.content)) throw new Error(`${what}: media type "${media}" is not in docs/openapi.json`);
  if (!isJson(answer.headers)) return;
  const pointer = [...at, status, 'content', media, 'schema'];
  const fragment = pointer
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const validate = ajv.getSchema(`openapi#/${fragment}`);
  if (!validate) throw new Error(`${what}: docs/openapi.json has no schema for it`);
  if (!validate(answer.json))
    throw new Error(`${what} differs from docs/openapi.json: ${ajv.errorsText(validate.errors)}`);
}
