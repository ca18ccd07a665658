/** Manifests whose file is gone: deleted where the GitSource names them or their number fits, else kept with the reason. */
import type { WireFault } from '#contracts/api-bodies.ts';
import type { GitSourceRecord, SourceFault, SourceRow } from '#contracts/git-sources.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { isPipelineError } from '#domain/errors.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { submitDeletion } from '../submission/submit-deletion.ts';
import { inFile } from './source-documents.ts';
import { mayHaveIt, notItsOwn, ownerAmong } from './source-owners.ts';
import { faultsIn, planOf } from './submit-source.ts';

export interface PrunedSource {
  readonly faults: readonly SourceFault[];
  readonly rows: readonly SourceRow[];
  /** Those of `own` that are still its own. */
  readonly submitted: GitSourceRecord['submitted'];
  /** Something is to be deleted once other GitSources were read: the commit has to be read again. */
  readonly waits: boolean;
}

interface Pruning {
  readonly source: GitSourceRecord;
  /** What it submitted, this time too. */
  readonly own: GitSourceRecord['submitted'];
  /** The other GitSources of the namespace. */
  readonly others: readonly GitSourceRecord[];
  readonly caller: AdmittedCaller;
  readonly commit: string;
  /** Names in the commit. */
  readonly present: ReadonlySet<string>;
  /** False when a file has faults: it may hold what seems to be gone. */
  readonly complete: boolean;
}

export async function pruneSource(deps: SubmissionPorts, pruning: Pruning): Promise<PrunedSource> {
  const { source, present, others, complete } = pruning;
  const { prune } = source.document.spec;
  const missing = await Promise.all(
    Object.entries(pruning.own)
      .filter(([name]) => !present.has(name) && ownerAmong(others, name) === undefined)
      .map(([name, own]) => missed(deps, source, name, own)),
  );
  const left = missing.flatMap((one) => one ?? []);
  const unreadable = left.filter((one) => one.stored === undefined);
  const foreign = left.filter((one) => notItsOwnOf(one) !== undefined);
  const own = left.filter(isReadable).filter((one) => !foreign.includes(one));
  const named = new Set(prune === false ? [] : (prune.names ?? []));
  const counted = own.filter(({ name }) => !named.has(name));
  const most = prune === false ? 0 : (prune.most ?? 0);
  const rows: SourceRow[] = foreign.map((one) => keptRow(one, notItsOwnOf(one) ?? ''));
  const faults: SourceFault[] = [];
  for (const one of unreadable) {
    rows.push(keptRow(one, 'its file is gone, and the stored manifest cannot be read'));
    faults.push(...inFile(one.own.file, one.faults));
  }
  let waits = false;
  for (const one of own) {
    const { name } = one;
    const owner = mayHaveIt(others, name, one.own.goneSince ?? '');
    if (!complete) rows.push(keptRow(one, 'its file is gone, and other files have faults'));
    else if (prune === false) rows.push(keptRow(one, 'its file is gone, and spec.prune is false'));
    else if (!named.has(name) && counted.length > most)
      rows.push(keptRow(one, 'more manifests are gone than spec.prune allows'));
    else if (owner !== undefined) {
      waits = true;
      const other = `the GitSource ${owner.name}, which has faults or was not read since then`;
      rows.push(keptRow(one, `its file is gone; it may be in ${other}`));
    } else {
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
  const deleted = new Set(rows.filter(({ state }) => state === 'deleted').map(({ name }) => name));
  const stillOwn = left.filter(({ name }) => !deleted.has(name));
  return { faults, rows, submitted: { ...presentOf(pruning), ...ownedAfter(stillOwn, pruning) }, waits };
}

function presentOf({ own, present }: Pruning): GitSourceRecord['submitted'] {
  const kept = Object.entries(own).filter(([name]) => present.has(name));
  return Object.fromEntries(kept.map(([name, { goneSince: _, ...one }]) => [name, one]));
}

/** While files have faults, no one knows whether one is gone. */
function ownedAfter(left: readonly Missed[], { own, complete }: Pruning): GitSourceRecord['submitted'] {
  return Object.fromEntries(left.map((one) => [one.name, complete ? one.own : (own[one.name] ?? one.own)]));
}

interface Missed {
  readonly name: string;
  readonly own: GitSourceRecord['submitted'][string];
  /** Absent when it cannot be read. */
  readonly stored?: ManifestRecord;
  readonly faults: readonly WireFault[];
}
type Left = Missed & { readonly stored: ManifestRecord };

const isReadable = (one: Missed): one is Left => one.stored !== undefined;
const notItsOwnOf = ({ own, stored }: Missed): string | undefined => stored && notItsOwn(own, stored);

/** Undefined when it is deleted already. */
async function missed(
  deps: SubmissionPorts,
  { namespace }: GitSourceRecord,
  name: string,
  own: Missed['own'],
): Promise<Missed | undefined> {
  let stored: ManifestRecord | undefined;
  const faults = await faultsIn({ document: undefined }, async () => {
    stored = await deps.manifests.get({ namespace, name });
    return [];
  });
  const since = { goneSince: deps.clock.now().toISOString(), ...own };
  if (faults.length > 0) return { name, own: since, faults };
  return stored === undefined || stored.deleting ? undefined : { name, own: since, stored, faults };
}

async function remove(
  deps: SubmissionPorts,
  one: Left,
  { source, caller, commit }: Pruning,
): Promise<{ readonly row: SourceRow; readonly fault: readonly SourceFault[] }> {
  const { ref, onPlan } = source.document.spec;
  const key = { namespace: source.namespace, name: one.name };
  const base = { name: one.name, kind: one.own.kind, file: one.own.file };
  let row: SourceRow = { ...base, state: 'kept' };
  const faults = await faultsIn({ document: undefined }, async () => {
    const { record } = await submitDeletion(deps, key, {
      stored: one.stored,
      orphans: undefined,
      caller,
      terms: { repeated: true, ...(onPlan === 'propose' && { proposeOnly: true }) },
      reason: `deleted: ${one.own.file} is gone in commit ${commit.slice(0, 12)} of ${ref}`.slice(0, 300),
    });
    row = { ...base, state: 'deleted', runId: record.runId };
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
