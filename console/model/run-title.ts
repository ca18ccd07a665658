/** What a run is called where one is chosen: when it was asked for, what for, by whom, and its result. */
import type { Run } from '#contracts/api-bodies.ts';
import { clock } from './times.ts';

type Titled = Pick<Run, 'runId' | 'generation' | 'attempt' | 'reason' | 'status' | 'queuedAt'>;
interface Asked {
  readonly generation: number;
  readonly by?: string | undefined;
}

/** Who stored the generation that it began with; undefined of other runs, of which their events know it. */
export function storedBy({ runId, generation, attempt }: Titled, generations: readonly Asked[]): string | undefined {
  if (attempt !== 1 || /-d\d+$/.test(runId)) return undefined;
  return generations.find((one) => one.generation === generation)?.by;
}

/** As `23 Nov 14:03:21 · changed by anna · generation 2 · Succeeded`. `now`: ms. */
export function runTitle(run: Titled, by: string | undefined, now: number): string {
  const { generation, attempt, reason, status, queuedAt } = run;
  const what = by === undefined || reason.includes(` by ${by}`) ? reason : `${reason} by ${by}`;
  const which = `generation ${generation}${attempt === 1 ? '' : `, attempt ${attempt}`}`;
  return [clock(queuedAt, now), what, which, status].join(' · ');
}
