/** GitSources: stored, listed with their status, made due, deleted. What they submit: `pipeline/sources/`. */
import type { GitSourceDescription, GitSourceRecord, GitSourceSummary } from '#contracts/git-sources.ts';
import { operations } from '#contracts/operations/operations.ts';
import { pathFaults, refuseFaults, storageFaults, wireFaults } from '#documents/wire-faults.ts';
import { PipelineError } from '#domain/errors.ts';
import { validateGitSource } from '#domain/manifest/validate-git-source.ts';
import { sameValue } from '#domain/same-value.ts';
import type { AdmittedCaller } from '../caller.ts';
import { recordChange } from '../pipeline/records/audit-event.ts';
import { validationContextOf } from '../pipeline/submission/validation-context.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import { unlessSeen } from './http/not-modified.ts';
import { requestDocument } from './http/request-document.ts';

export const putGitSource = handle(operations.putGitSource, async (request, deps) => {
  const { path, caller } = request;
  const document = requestDocument(request, deps);
  const context = await validationContextOf(deps, path, document, caller);
  const { document: source, faults } = validateGitSource(document, context);
  const all = [...storageFaults(document), ...pathFaults(document, path), ...faults];
  refuseFaults('GitSource', path, wireFaults(all, document));
  if (source === undefined) throw new PipelineError('InternalFault', 'a document without faults was not parsed');
  const before = await deps.gitSources.get(path);
  const unchanged = before !== undefined && sameValue(before.document, source);
  const at = deps.clock.now().toISOString();
  const record: GitSourceRecord = {
    namespace: path.namespace,
    name: path.name,
    version: (before?.version ?? 0) + 1,
    generation: (before?.generation ?? 0) + (unchanged ? 0 : 1),
    document: source,
    maker: makerOf(caller),
    at: unchanged ? before.at : at,
    dueAt: at,
    submitted: before?.submitted ?? {},
    status: { faults: [], manifests: [], ...before?.status, state: (unchanged && before.status.state) || 'Pending' },
    ...(unchanged && before.done && { done: before.done }),
  };
  await deps.gitSources.put(record);
  await recordChange(deps, path.namespace, `GitSource ${path.name} stored`, caller);
  return { json: summaryOf(record) };
});

export const listGitSources = handle(operations.listGitSources, async ({ query, caller, headers }, deps) => {
  const found = await deps.gitSources.list(query.namespace);
  return unlessSeen(headers, {
    items: found.filter(({ namespace }) => caller.may('viewer', namespace)).map(summaryOf),
  });
});

export const getGitSource = handle(operations.getGitSource, async ({ path }, deps) => {
  const record = await storedSource(deps, path);
  const json: GitSourceDescription = { ...summaryOf(record), document: record.document };
  return { json };
});

export const deleteGitSource = handle(operations.deleteGitSource, async ({ path, caller }, deps) => {
  await storedSource(deps, path);
  await deps.gitSources.remove(path);
  await recordChange(deps, path.namespace, `GitSource ${path.name} deleted`, caller);
  return {};
});

export const syncGitSource = handle(operations.syncGitSource, async ({ path, caller }, deps) => {
  const { done: _, fetching: _before, askedAt: _asked, ...stored } = await storedSource(deps, path);
  const record = { ...stored, version: stored.version + 1, dueAt: deps.clock.now().toISOString() };
  await deps.gitSources.put(record);
  await recordChange(deps, path.namespace, `GitSource ${path.name} made due`, caller);
  return { json: summaryOf(record) };
});

/** Names of the GitSources that log in with a Secret, as the caller may know them. */
export async function sourcesThatUse(
  deps: Pick<ApiPorts, 'gitSources'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<readonly string[]> {
  const found = await deps.gitSources.list(namespace);
  return found
    .filter(({ document }) => document.spec.secretRef?.name === name)
    .map((source) => `GitSource ${source.namespace}/${source.name}`);
}

async function storedSource(
  deps: Pick<ApiPorts, 'gitSources'>,
  key: { readonly namespace: string; readonly name: string },
): Promise<GitSourceRecord> {
  const found = await deps.gitSources.get(key);
  if (found) return found;
  throw new PipelineError('NotFound', `there is no GitSource "${key.namespace}/${key.name}"`);
}

function summaryOf({
  namespace,
  name,
  generation,
  maker,
  at,
  dueAt,
  document,
  status,
}: GitSourceRecord): GitSourceSummary {
  const { url, ref, path } = document.spec;
  return { namespace, name, generation, by: maker.name, at, nextAt: dueAt, url, ref, path, status };
}

/** Whose rights a document has that works later. */
export function makerOf({ kind, name, claims }: AdmittedCaller): GitSourceRecord['maker'] {
  const kept = Object.entries(claims).map(([claim, values]): [string, string[]] => [claim, [...values]]);
  return { kind, name, claims: Object.fromEntries(kept) };
}
