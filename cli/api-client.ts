/** A thin client of the HTTP API: one method a route, answers parsed, problems turned into errors for people. */
import type { z } from 'zod';
import {
  Version as ApiVersion,
  EventPage,
  headerNames,
  LogList,
  ManifestAccepted,
  ManifestDescription,
  ManifestPage,
  PlanReport,
  Problem,
  Run,
  RunPage,
  ValidationReport,
} from '#contracts/api-bodies.ts';
import { CheckAccepted, ProviderCheck } from '#contracts/http-checks.ts';
import {
  RoleList,
  SecretList,
  SecretStored,
  TemplateDocument,
  TemplateStored,
  WhoAmI,
} from '#contracts/http-documents.ts';
import { Generation, GenerationList } from '#contracts/http-generations.ts';
import { RoleBinding } from '#domain/manifest/role-binding.ts';
import type { StageName } from '#domain/plan.ts';
import { ApiProblem } from './api-problem.ts';
import { type Connection, findConnection } from './connection.ts';
import { CliError, exitCodes } from './exit-codes.ts';
import { located } from './faults.ts';
import { noAnswer, sentElsewhere } from './no-answer.ts';
import { packageVersion } from './package-version.ts';
import { onceTemplatesKnown, type PendingOptions } from './pending-templates.ts';
import { signerFor } from './signed-request.ts';

export interface ManifestName {
  readonly namespace: string;
  readonly name: string;
}

interface Call {
  readonly method?: string;
  readonly body?: string;
  /** Sent as JSON; what the API finds wrong is shown in the file that it is from. */
  readonly document?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
}

/** Only if this is the stored version. */
interface Version {
  readonly ifMatch?: string | undefined;
}

export interface PutCondition extends Version {
  /** `*`: only if nothing is stored. */
  readonly ifNoneMatch?: string;
}

/** A document with those that will be stored with it; without one, the stored manifest, its deletion or a rollback. */
export interface PlanRequest {
  readonly document?: unknown;
  readonly beside?: readonly unknown[];
  readonly delete?: 'true';
  readonly orphan?: string | undefined;
  readonly rollback?: 'last' | number;
}

export type ApiClient = ReturnType<typeof apiClient>;

/** The API as functions. Every one throws `ApiProblem` for 4xx and 5xx, `CliError` when nothing answers. */
export function apiClient(connection: Connection = findConnection(), pending: PendingOptions = {}) {
  const sign = signerFor(connection);
  const send = async (path: string, call: Call = {}): Promise<Response> => {
    const body = call.document === undefined ? call.body : JSON.stringify(call.document);
    const url = new URL(`${connection.apiUrl}${path}`);
    for (const [key, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(key, String(value));
    }
    const headers: Record<string, string> = { accept: 'application/json', ...call.headers };
    if (connection.token) headers.authorization = `Bearer ${connection.token}`;
    if (body !== undefined) headers['content-type'] ??= 'application/json';
    const method = call.method ?? 'GET';
    const init: RequestInit = { method, headers: await sign(method, url, headers, body), redirect: 'manual' };
    if (body !== undefined) init.body = body;
    const response = await fetch(url, init).catch((cause: unknown) => {
      throw noAnswer(connection, cause);
    });
    if (response.ok) return response;
    if (response.status >= 300 && response.status < 400) throw sentElsewhere(connection, response);
    const problem = parseProblem(await response.text(), response.status);
    // What the gate says is about the connection; what the API says, about the role.
    if (response.status === 401 || (response.status === 403 && problem.code !== 'Forbidden'))
      throw notLetIn(connection, problem);
    throw new ApiProblem(problem, call.document);
  };
  const json = async <Schema extends z.ZodType>(schema: Schema, path: string, call?: Call): Promise<z.output<Schema>> =>
    understood(schema, path, await (await send(path, call)).text());
  const at = (key: ManifestName): string => `/v1/manifests/${inPath(key)}`;

  /** A version as it is printed, `g3-a1`, means one of the manifest that exists now: its entity tag also says which one it is. */
  const tagOf = async (key: ManifestName, version: string): Promise<string> => {
    if (!/^"?g\d+-a\d+"?$/.test(version)) return entityTag(version);
    const response = await send(at(key)).catch((error: unknown) => {
      if (error instanceof ApiProblem && error.problem.status === 404) return undefined;
      throw error;
    });
    const [identity] = response?.headers.get('etag')?.match(/\w+-(?=g\d+-a\d+"$)/) ?? [];
    return entityTag(`${identity ?? ''}${version.replaceAll('"', '')}`);
  };

  return {
    putManifest: (key: ManifestName, document: unknown, { ifMatch, ifNoneMatch }: PutCondition = {}) =>
      onceTemplatesKnown(async () => {
        const headers = {
          ...(ifMatch && { 'if-match': await tagOf(key, ifMatch) }),
          ...(ifNoneMatch && { 'if-none-match': ifNoneMatch }),
        };
        const accepted = await json(ManifestAccepted, at(key), { method: 'PUT', document, headers });
        return { ...accepted, warnings: located(document, accepted.warnings) };
      }, pending),
    planManifest: (key: ManifestName, { document, beside = [], ...query }: PlanRequest = {}) =>
      onceTemplatesKnown(async () => {
        const body = document === undefined ? {} : { body: asBody([document, ...beside]) };
        const report = await json(PlanReport, `${at(key)}/plan`, { method: 'POST', query, ...body });
        const { faults, warnings } = report;
        return { ...report, faults: located(document, faults), warnings: located(document, warnings) };
      }, pending),
    validate: async (documents: readonly unknown[]) => {
      const body = asBody(documents);
      const report = await json(ValidationReport, '/v1/validate', { method: 'POST', body });
      return report.documents.map(({ faults }, index) => ({ faults: located(documents[index], faults) }));
    },
    getManifest: (key: ManifestName) => json(ManifestDescription, at(key)),
    deleteManifest: (key: ManifestName, { orphans = [], ifMatch }: { orphans?: readonly string[] } & Version = {}) =>
      json(ManifestAccepted, at(key), {
        method: 'DELETE',
        headers: onlyIf(ifMatch),
        ...(orphans.length > 0 && { query: { orphan: orphans.join(',') } }),
      }),
    retryManifest: (key: ManifestName, { from, ifMatch }: { from?: StageName | undefined } & Version = {}) =>
      json(ManifestAccepted, `${at(key)}/retry`, {
        method: 'POST',
        headers: onlyIf(ifMatch),
        ...(from && { body: JSON.stringify({ from }) }),
      }),
    /** `repair`: true and false say what the manifest would say otherwise. */
    driftManifest: (key: ManifestName, repair?: boolean) =>
      json(ManifestAccepted, `${at(key)}/drift`, {
        method: 'POST',
        ...(repair !== undefined && { body: JSON.stringify({ repair }) }),
      }),
    /** Verbs that need nothing but the name. */
    cancelManifest: (key: ManifestName) => json(ManifestAccepted, `${at(key)}/cancel`, { method: 'POST' }),
    pauseManifest: (key: ManifestName) => json(ManifestAccepted, `${at(key)}/pause`, { method: 'POST' }),
    resumeManifest: (key: ManifestName, { ifMatch }: Version = {}) =>
      json(ManifestAccepted, `${at(key)}/resume`, { method: 'POST', headers: onlyIf(ifMatch) }),
    rollbackManifest: (key: ManifestName, { to, ifMatch }: { to?: number | undefined } & Version = {}) =>
      onceTemplatesKnown(
        () =>
          json(ManifestAccepted, `${at(key)}/rollback`, {
            method: 'POST',
            headers: onlyIf(ifMatch),
            ...(to !== undefined && { body: JSON.stringify({ to }) }),
          }),
        pending,
      ),
    listGenerations: (key: ManifestName) => json(GenerationList, `${at(key)}/generations`),
    getGeneration: (key: ManifestName, generation: number) => json(Generation, `${at(key)}/generations/${generation}`),
    checkProvider: (key: ManifestName, provider: string) =>
      json(CheckAccepted, `${at(key)}/providers/${encodeURIComponent(provider)}/check`, { method: 'POST' }),
    getProviderCheck: (key: ManifestName, provider: string, check: string) =>
      json(ProviderCheck, `${at(key)}/providers/${encodeURIComponent(provider)}/checks/${check}`),
    listManifests: (namespace?: string, next?: string) =>
      json(ManifestPage, '/v1/manifests', { query: { namespace, next, limit: 200 } }),
    listRuns: (key: ManifestName, next?: string) => json(RunPage, `${at(key)}/runs`, { query: { next, limit: 200 } }),
    getRun: (key: ManifestName, run: string) => json(Run, `${at(key)}/runs/${encodeURIComponent(run)}`),
    listEvents: (key: ManifestName, next?: string) =>
      json(EventPage, `${at(key)}/events`, { query: { next, limit: 200 } }),
    listLogs: (key: ManifestName, run: string) => json(LogList, `${at(key)}/runs/${encodeURIComponent(run)}/logs`),
    /** Text from `offset` on, where the next read begins, and whether the log is complete. */
    readLog: async (path: string, offset: number) => {
      const response = await send(path, { query: { offset }, headers: { accept: 'text/plain' } });
      const text = await response.text();
      return {
        text,
        next: Number(response.headers.get(headerNames.nextOffset) ?? offset + Buffer.byteLength(text)),
        ended: response.headers.get(headerNames.ended) === 'true',
      };
    },
    getKubeconfig: async (key: ManifestName, cluster: string) =>
      (
        await send(`${at(key)}/clusters/${encodeURIComponent(cluster)}/kubeconfig`, {
          headers: { accept: 'application/yaml' },
        })
      ).text(),
    putSecret: (key: ManifestName, document: unknown) =>
      json(SecretStored, `/v1/secrets/${inPath(key)}`, { method: 'PUT', document }),
    listSecrets: (namespace?: string) => json(SecretList, '/v1/secrets', { query: { namespace } }),
    deleteSecret: async (key: ManifestName) => void (await send(`/v1/secrets/${inPath(key)}`, { method: 'DELETE' })),
    putTemplate: (key: ManifestName, document: unknown) =>
      json(TemplateStored, `/v1/templates/${inPath(key)}`, { method: 'PUT', document }),
    getTemplate: (key: ManifestName) => json(TemplateDocument, `/v1/templates/${inPath(key)}`),
    deleteTemplate: async (key: ManifestName) =>
      void (await send(`/v1/templates/${inPath(key)}`, { method: 'DELETE' })),
    putRole: (name: string, document: unknown) =>
      json(RoleBinding, `/v1/roles/${encodeURIComponent(name)}`, { method: 'PUT', document }),
    listRoles: () => json(RoleList, '/v1/roles'),
    deleteRole: async (name: string) =>
      void (await send(`/v1/roles/${encodeURIComponent(name)}`, { method: 'DELETE' })),
    /** Of a namespace, or, without one, of roles. */
    listChanges: (namespace?: string, next?: string) =>
      json(EventPage, '/v1/changes', { query: { namespace, next, limit: 200 } }),
    whoAmI: () => json(WhoAmI, '/v1/whoami'),
    version: () => json(ApiVersion, '/v1/version'),
  };
}

const onlyIf = (tag: string | undefined): Record<string, string> => (tag ? { 'if-match': entityTag(tag) } : {});

/** JSON is YAML: several documents are one text. */
const asBody = (documents: readonly unknown[]): string =>
  documents.map((document) => JSON.stringify(document)).join('\n---\n');

/** Names come out of files and the command line: none may become another path. */
const inPath = ({ namespace, name }: ManifestName): string => [namespace, name].map(encodeURIComponent).join('/');

/** As HTTP wants it, in quotation marks, which a shell takes away. */
const entityTag = (text: string): string => (text === '*' || text.includes('"') ? text : `"${text}"`);

/** Throws `CliError` for an answer that is not what this version knows. */
function understood<Schema extends z.ZodType>(schema: Schema, path: string, text: string): z.output<Schema> {
  const result = schema.safeParse(parseJson(text));
  if (result.success) return result.data;
  const where = result.error.issues.map((issue) => issue.path.join('.') || '(all of it)');
  throw new CliError(
    `the answer of ${path} is not what kubeloom ${packageVersion()} understands (${where.join(', ')}): is the platform of another version? (\`kubeloom version --check\`)`,
    exitCodes.fault,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseProblem(text: string, status: number): Problem {
  const parsed = Problem.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  return {
    type: 'about:blank',
    title: 'Unexpected answer',
    status,
    instance: '',
    code: 'InternalFault',
    detail: `HTTP ${status}: ${text.slice(0, 300)}`,
  };
}

function notLetIn(connection: Connection, problem: Problem): CliError {
  const how = connection.token ? 'the token is not accepted' : 'no token was sent';
  return new CliError(
    `${connection.apiUrl} does not let us in (${how}): ${problem.detail}; set KUBELOOM_TOKEN, or unset it and KUBELOOM_API_URL to be the owner of the platform on this machine`,
    exitCodes.forbidden,
  );
}
