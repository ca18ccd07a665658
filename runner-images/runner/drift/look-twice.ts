/** Only what is found twice is told: a node may be silent for a moment, and a repair, or an alarm, would be for nothing. */
import { setTimeout as pause } from 'node:timers/promises';
import { type DriftItem, driftKey } from '#domain/drift.ts';
import type { StageContext } from '../stage-context.ts';

/** Longer than a kubelet that starts anew, or a control plane that changes its leader, is silent. */
const secondLookMs = (): number => Number(process.env.KUBELOOM_SECOND_LOOK_SECONDS ?? 60) * 1000;

/** Looks once where all is in order. `isBlind`: this look saw nothing, so it refutes nothing. @default never */
export async function lookTwice(
  { signal }: Pick<StageContext, 'signal'>,
  look: (time: 'first' | 'second') => Promise<readonly DriftItem[]>,
  isBlind: (items: readonly DriftItem[]) => boolean = () => false,
): Promise<readonly DriftItem[]> {
  const first = await look('first');
  if (first.length === 0) return first;
  await pause(secondLookMs(), undefined, { signal });
  const found = new Set(first.map(driftKey));
  const second = await look('second');
  const again = second.filter((item) => found.has(driftKey(item)));
  return again.length === 0 && isBlind(second) ? first : again;
}
