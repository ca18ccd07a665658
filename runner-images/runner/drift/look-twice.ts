/** Only drift that is found twice is reported: a node may be silent for a moment, and a repair or an alarm would be for nothing. */
import { setTimeout as pause } from 'node:timers/promises';
import { type DriftItem, driftKey } from '#domain/drift.ts';
import type { DriftContext } from '../stage-context.ts';
import { stageCancelled } from '../stage-failure.ts';

/** Checks once where no drift is found. `isBlind`: this check saw nothing, so it refutes nothing. @default never */
export async function lookTwice(
  { signal, runner }: Pick<DriftContext, 'signal' | 'runner'>,
  look: (time: 'first' | 'second') => Promise<readonly DriftItem[]>,
  isBlind: (items: readonly DriftItem[]) => boolean = () => false,
): Promise<readonly DriftItem[]> {
  const first = await look('first');
  if (first.length === 0) return first;
  await pause(runner.secondLookMs, undefined, { signal }).catch(() => {
    throw stageCancelled(signal);
  });
  const found = new Set(first.map(driftKey));
  const second = await look('second');
  const again = second.filter((item) => found.has(driftKey(item)));
  return again.length === 0 && isBlind(second) ? first : again;
}
