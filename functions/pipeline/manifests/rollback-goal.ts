/** The target of a rollback: an earlier generation whose document is kept, and by default one that was done. */
import type { ManifestRecord } from '#contracts/records.ts';
import type { StoredGeneration } from '../../manifest-store.ts';
import type { Using } from '../../ports.ts';
import { checksumOf } from '../records/checksum.ts';

/**
 * The newest of `kept` before the present one that was done and whose document differs. A rollback counts as the
 * generation that it went back to: a second rollback goes further back and never forward again. Undefined without an earlier generation.
 */
export async function lastDone(
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
    // A check may succeed although its generation failed.
    for (const { generation, status, runId } of mine)
      if (status === 'Succeeded' && !/-d[0-9a-z]+$/.test(runId)) done.add(generation);
    next = (mine.at(-1)?.generation ?? 0) < oldest ? undefined : page.next;
  } while (next !== undefined);
  return done;
}
