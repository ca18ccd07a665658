/** Changes of a roll-out: read, decided, written; again when another was faster. */
import type { BudgetRecord } from '#contracts/budgets.ts';
import { changesOf } from '#contracts/change-events.ts';
import type { RollOutKey, RollOutRecord } from '#contracts/roll-outs.ts';
import { PipelineError } from '#domain/errors.ts';
import { type KindOf, levelOf } from '#domain/event-kinds.ts';
import type { BudgetShare } from '#domain/prices/budget-share.ts';
import type { Using } from '../../ports.ts';
import { retryOnConflict } from '../../retry-on-conflict.ts';

/** Throws `NotFound`. */
export async function storedRollOut(deps: Using<'rollOuts.get'>, key: RollOutKey): Promise<RollOutRecord> {
  const record = await deps.rollOuts.get(key);
  if (record) return record;
  throw new PipelineError('NotFound', `there is no roll-out "${key.id}" in namespace "${key.namespace}"`);
}

interface Counted {
  readonly shares: readonly BudgetShare[];
  readonly stored: readonly BudgetRecord[];
}

/** As `put`, together with the budgets that it counts in, if there are any: they name it from now on. Throws `BudgetMoved`, too. */
export async function acceptRollOut(
  deps: Using<'budgets.acceptRollOut' | 'rollOuts.put'>,
  record: RollOutRecord,
  { shares, stored }: Counted,
): Promise<void> {
  if (shares.length === 0) return deps.rollOuts.put(record);
  const { namespace, id } = record;
  const taken = shares.map((share) => {
    const { rollOuts, version } = stored.find(({ of }) => of === share.of) ?? { rollOuts: [], version: 0 };
    const others = rollOuts.filter((one) => one.namespace !== namespace || one.id !== id);
    return { ...share, next: { version: version + 1, rollOuts: [...others, { namespace, id }] } };
  });
  await deps.budgets.acceptRollOut(taken, record);
}

/** `change` may be called several times; when it answers undefined, nothing is written. Returns what is stored then. */
export async function changeRollOut(
  deps: Using<'rollOuts.get' | 'rollOuts.put' | 'clock'>,
  key: RollOutKey,
  change: (record: RollOutRecord) => Partial<RollOutRecord> | undefined,
  put: (record: RollOutRecord) => Promise<void> = (record) => deps.rollOuts.put(record),
): Promise<RollOutRecord> {
  return retryOnConflict(async () => {
    const record = await storedRollOut(deps, key);
    const changes = change(record);
    if (changes === undefined) return record;
    const next = { ...record, ...changes, version: record.version + 1, updatedAt: deps.clock.now().toISOString() };
    await put(next);
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
