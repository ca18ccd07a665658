/** Changes of a roll-out: read, decided, written; again when another was faster. */
import { changesOf } from '#contracts/change-events.ts';
import type { RollOutKey, RollOutRecord } from '#contracts/roll-outs.ts';
import { PipelineError } from '#domain/errors.ts';
import { type KindOf, levelOf } from '#domain/event-kinds.ts';
import type { Using } from '../../ports.ts';
import { retryOnConflict } from '../../retry-on-conflict.ts';

/** Throws `NotFound`. */
export async function storedRollOut(deps: Using<'rollOuts.get'>, key: RollOutKey): Promise<RollOutRecord> {
  const record = await deps.rollOuts.get(key);
  if (record) return record;
  throw new PipelineError('NotFound', `there is no roll-out "${key.id}" in namespace "${key.namespace}"`);
}

/** `change` may be called several times; when it answers undefined, nothing is written. Returns what is stored then. */
export async function changeRollOut(
  deps: Using<'rollOuts.get' | 'rollOuts.put' | 'clock'>,
  key: RollOutKey,
  change: (record: RollOutRecord) => Partial<RollOutRecord> | undefined,
): Promise<RollOutRecord> {
  return retryOnConflict(async () => {
    const record = await storedRollOut(deps, key);
    const changes = change(record);
    if (changes === undefined) return record;
    const next = { ...record, ...changes, version: record.version + 1, updatedAt: deps.clock.now().toISOString() };
    await deps.rollOuts.put(next);
    return next;
  });
}

/** An event of the namespace that names the roll-out; `by`: who asked for it, where a person did. */
export async function reportRollOut(
  deps: Using<'events.append' | 'clock'>,
  { namespace, id }: RollOutKey,
  kind: KindOf<'rollOut'>,
  message: string,
  by?: string,
): Promise<void> {
  const event = { at: deps.clock.now().toISOString(), runId: '', level: levelOf({ kind }), kind, ...(by && { by }) };
  await deps.events.append(changesOf(namespace), [{ ...event, message: `roll-out ${id}: ${message}` }]);
}
