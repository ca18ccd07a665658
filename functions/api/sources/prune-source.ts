/** Manifests whose file is gone: deleted where the GitSource names them or their number fits, else kept with the reason. */
import type { GitSourceRecord, SourceFault, SourceRow } from '#contracts/git-sources.ts';
import { isPipelineError } from '#domain/errors.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { submitDeletion } from '../delete-manifest.ts';
import { inFile } from './source-documents.ts';
import { faultsIn, planOf } from './submit-source.ts';

export interface PrunedSource {
  readonly faults: readonly SourceFault[];
  readonly rows: readonly SourceRow[];
  /** Names that are no longer its own. */
  readonly gone: readonly string[];
}

interface Pruning {
  readonly source: GitSourceRecord;
  readonly caller: AdmittedCaller;
  readonly commit: string;
  /** Names in the commit. */
  readonly present: ReadonlySet<string>;
  /** False when a file has faults: it may hold what seems to be gone. */
  readonly complete: boolean;
}

export async function pruneSource(deps: ApiPorts, pruning: Pruning): Promise<PrunedSource> {
  const { source, present, complete } = pruning;
  const { prune } = source.document.spec;
  const missing = Object.entries(source.submitted).filter(([name]) => !present.has(name));
  const found = await Promise.all(
    missing.map(async ([name, own]) => ({ name, own, stored: await deps.manifests.get({ ...source, name }) })),
  );
  const gone = found.filter(({ stored }) => stored === undefined || stored.deleting).map(({ name }) => name);
  const left = found.flatMap(({ stored, ...one }) => (stored && !stored.deleting ? [{ ...one, stored }] : []));
  const others = left.filter(({ own, stored }) => stored.checksum !== own.checksum);
  const own = left.filter((one) => !others.includes(one));
  const named = new Set(prune === false ? [] : (prune.names ?? []));
  const counted = own.filter(({ name }) => !named.has(name));
  const most = prune === false ? 0 : (prune.most ?? 0);
  const rows: SourceRow[] = others.map((one) => keptRow(one, 'someone changed it since this GitSource submitted it'));
  const faults: SourceFault[] = [];
  for (const one of own) {
    const { name } = one;
    if (!complete) rows.push(keptRow(one, 'its file is gone, and other files have faults'));
    else if (prune === false) rows.push(keptRow(one, 'its file is gone, and spec.prune is false'));
    else if (!named.has(name) && counted.length > most) rows.push(keptRow(one, 'more are gone than spec.prune allows'));
    else {
      const { row, fault } = await remove(deps, one, pruning);
      rows.push(row);
      faults.push(...fault);
    }
  }
  if (complete && prune !== false && counted.length > most) {
    const names = counted.map(({ name }) => name).join(', ');
    const reason = `${counted.length} manifests are gone that spec.prune.names does not name, at most ${most} may be deleted: ${names.slice(0, 500)}; none of them was`;
    const fix = 'name them in spec.prune.names, raise spec.prune.most, or bring their files back';
    faults.push({ file: '.', path: '', reason, fix });
  }
  // What a person restores under the same name later is the person's, and is not deleted again.
  const deleted = rows.filter(({ state }) => state === 'deleted').map(({ name }) => name);
  return { faults, rows, gone: [...gone, ...deleted] };
}

type Left = {
  readonly name: string;
  readonly own: GitSourceRecord['submitted'][string];
  readonly stored: NonNullable<Awaited<ReturnType<ApiPorts['manifests']['get']>>>;
};

async function remove(
  deps: ApiPorts,
  one: Left,
  { source, caller, commit }: Pruning,
): Promise<{ readonly row: SourceRow; readonly fault: readonly SourceFault[] }> {
  const { ref, onPlan } = source.document.spec;
  const key = { namespace: source.namespace, name: one.name };
  const base = { name: one.name, kind: one.own.kind, file: one.own.file };
  let row: SourceRow = { ...base, state: 'kept' };
  const faults = await faultsIn({ document: undefined }, async () => {
    const { json } = await submitDeletion(deps, key, {
      ...{ stored: one.stored, orphans: undefined, caller },
      terms: onPlan === 'propose' ? { proposeOnly: true } : {},
      reason: `deleted: ${one.own.file} is gone in commit ${commit.slice(0, 12)} of ${ref}`.slice(0, 300),
    });
    row = { ...base, state: 'deleted', runId: json.runId };
    return [];
  }).catch((thrown: unknown) => {
    if (!isPipelineError(thrown, 'ApprovalRequired')) throw thrown;
    row = { ...base, state: 'proposed', because: 'its deletion is proposed', ...planOf(thrown.details) };
    return [];
  });
  return { row, fault: inFile(one.own.file, faults) };
}

function keptRow({ name, own }: Pick<Left, 'name' | 'own'>, because: string): SourceRow {
  return { name, kind: own.kind, file: own.file, state: 'kept', because };
}
