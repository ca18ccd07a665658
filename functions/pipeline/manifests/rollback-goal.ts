/** The target of a rollback: an earlier generation whose document is kept, and by default one that was done. */
import type { ManifestRecord, RunRecord } from '#contracts/records.ts';
import type { StoredGeneration } from '../../manifest-store.ts';
import type { Using } from '../../ports.ts';
import { checksumOf } from '../records/checksum.ts';
import { refuseVerb } from '../records/refuse-verb.ts';
import { isCheckRunId } from '../records/run-ids.ts';

/** The generation to go back to. Throws `VerbRefused` that says which there are. */
export async function rollbackGoal(
  deps: Using<'manifests.generations' | 'runs.list'>,
  stored: ManifestRecord,
  to: number | undefined,
): Promise<StoredGeneration> {
  const refuse = (because: string): never => refuseVerb({ manifest: stored }, 'rollBack', because);
  if (stored.deleting) return refuse('it is being deleted; apply a document to keep it');
  if (to !== undefined && to >= stored.generation)
    return refuse(`generation ${to} is not before the current one, ${stored.generation}`);
  const kept = (await deps.manifests.generations(stored)).filter(({ generation }) => generation < stored.generation);
  const goal = to === undefined ? await lastDone(deps, stored, kept) : kept.find(({ generation }) => generation === to);
  if (goal !== undefined) return goal;
  const numbers = kept.map(({ generation }) => generation).join(', ');
  const choice = kept.length === 0 ? 'no earlier document is stored' : `the documents of ${numbers} are kept`;
  if (to !== undefined) return refuse(`the document of generation ${to} is not kept; ${choice}`);
  const fix = kept.length === 0 ? 'apply the one you want' : `${choice}: name one, or apply the document you want`;
  return refuse(`no earlier generation that differs was successful; ${fix}`);
}

/**
 * The newest of `kept` before the present one that was done and whose document differs. A rollback counts as the
 * generation that it went back to: a second rollback goes further back and never forward again. Undefined without an earlier generation.
 */
async function lastDone(
  deps: Using<'runs.list'>,
  stored: ManifestRecord,
  kept: readonly StoredGeneration[],
): Promise<StoredGeneration | undefined> {
  const start = originOf(stored.generation, [stored, ...kept]);
  const candidates = kept.filter(
    ({ generation, document }) => generation < start && checksumOf(document) !== stored.checksum,
  );
  const oldest = candidates.at(-1)?.generation;
  if (oldest === undefined) return undefined;
  const done = await doneSince(deps, stored, oldest);
  return candidates.find(({ generation }) => done.has(generation));
}

/** A rollback to a rollback is one to what that went back to. */
function originOf(generation: number, kept: readonly Pick<StoredGeneration, 'generation' | 'origin'>[]): number {
  const to = kept.find((one) => one.generation === generation)?.origin?.rolledBackTo;
  return to === undefined || to >= generation ? generation : originOf(to, kept);
}

/** Generations of this manifest, not of an earlier one of the same name, that a run reached. */
async function doneSince(
  { runs }: Using<'runs.list'>,
  stored: ManifestRecord,
  oldest: number,
): Promise<ReadonlySet<number>> {
  const own = `${stored.name}-${stored.uid}-`;
  const done = new Set<number>();
  let next: string | undefined;
  do {
    const page = await runs.list(stored, 200, next);
    const mine = page.items.filter(({ runId }) => runId.startsWith(own));
    for (const run of mine) if (isReached(run)) done.add(run.generation);
    next = (mine.at(-1)?.generation ?? 0) < oldest ? undefined : page.next;
  } while (next !== undefined);
  return done;
}

/** A check may succeed although its generation failed: its clusters are then as that left them. Checks outlive runs of old attempts. */
function isReached({ status, runId, clusters }: RunRecord): boolean {
  if (status !== 'Succeeded') return false;
  return !isCheckRunId(runId) || Object.values(clusters).every((cluster) => cluster.status === 'Converged');
}
