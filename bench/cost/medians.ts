/** Medians of the phases of builds, from the events of an installation. */
import { z } from 'zod';
import { RunWork } from '#contracts/stage.ts';
import { median } from '../numbers.ts';
import type { Measured, Medians } from './model.ts';

const Timed = z.object({ stage: RunWork, phases: z.record(z.string(), z.number()) });

/** Events without phases are passed over. */
export function mediansOf(events: readonly unknown[]): Medians {
  const timed = events.flatMap((event) => Timed.safeParse(event).data ?? []);
  const byStage = Map.groupBy(timed, ({ stage }) => stage);
  return Object.fromEntries([...byStage].map(([stage, some]) => [stage, measured(some.map(({ phases }) => phases))]));
}

/** In the phase `build` the tool works, and our program starts. */
function measured(all: readonly Readonly<Record<string, number>>[]): Measured {
  const of = (names: (name: string) => boolean): number =>
    median(
      all.map((phases) => sum(Object.entries(phases).flatMap(([name, seconds]) => (names(name) ? [seconds] : [])))),
    );
  const after = ['post_build', 'upload_artifacts', 'finalizing'];
  return {
    queued: of((name) => name === 'queued'),
    before: of((name) => name !== 'build' && !after.includes(name)),
    tool: of((name) => name === 'build'),
    after: of((name) => after.includes(name)),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
