/** A roll-out as a tree: its waves, their clusters, and what may be done with it now. */
import type { RollOutDescription, RollOutVerb } from '#contracts/roll-outs.ts';

type Cluster = RollOutDescription['clusters'][number];

export interface Wave {
  /** From 1 on. */
  readonly number: number;
  readonly state: 'done' | 'running' | 'soaking' | 'failed' | 'waiting';
  readonly clusters: readonly Cluster[];
  readonly done: number;
  readonly failed: number;
}

const ends: readonly Cluster['state'][] = ['done', 'undone', 'kept'];

export function wavesOf({ clusters, soakUntil, status }: RollOutDescription): readonly Wave[] {
  const count = Math.max(-1, ...clusters.map(({ wave }) => wave)) + 1;
  const waves = Array.from({ length: count }, (_, wave) => clusters.filter((cluster) => cluster.wave === wave));
  const finished = waves.map((wave) => wave.every(({ state }) => ends.includes(state)));
  // The last one that is done is watched, before the next one starts.
  const soaking = soakUntil !== null && status === 'Running' ? finished.lastIndexOf(true) : -1;
  return waves.map((wave, index) => ({
    number: index + 1,
    clusters: wave,
    done: wave.filter(({ state }) => ends.includes(state)).length,
    failed: wave.filter(({ state }) => state === 'failed').length,
    state: wave.some(({ state }) => state === 'failed')
      ? 'failed'
      : finished[index]
        ? index === soaking
          ? 'soaking'
          : 'done'
        : wave.some(({ state }) => state === 'running')
          ? 'running'
          : 'waiting',
  }));
}

export const verbSays: Readonly<Record<RollOutVerb, string>> = {
  pause: 'It stops before its next clusters; those in progress are finished.',
  resume: 'It continues where it stopped; failed clusters are retried.',
  undo: 'What it touched gets the documents from before, wave by wave.',
  cancel: 'It stops. Finished clusters keep the change, the others are not touched.',
};

/** Those that the API accepts in its state. */
export function verbsFor(
  rollOut: Pick<RollOutDescription, 'status' | 'direction' | 'pausing'>,
): readonly RollOutVerb[] {
  const { status, direction, pausing } = rollOut;
  const undo = direction === 'forward' ? (['undo'] as const) : [];
  switch (status) {
    case 'Running':
      return pausing ? ['resume'] : ['pause'];
    case 'Interrupted':
    case 'Paused':
    case 'Halted':
      return ['resume', ...undo, 'cancel'];
    case 'RolledOut':
    case 'Cancelled':
      return undo;
    default:
      return [];
  }
}
