/** Statuses: a sign, a word and a colour, never a colour alone. */

export type Tone = 'good' | 'work' | 'calm' | 'warn' | 'bad';

const signs: Readonly<Record<Tone, string>> = { good: '✓', work: '◐', calm: '○', warn: '!', bad: '✗' };

const tones: Readonly<Record<string, readonly [tone: Tone, word: string]>> = {
  // manifests
  Pending: ['calm', 'Waiting'],
  Running: ['work', 'Running'],
  Done: ['good', 'Done'],
  Failed: ['bad', 'Failed'],
  Deleting: ['work', 'Deleting'],
  Unreadable: ['bad', 'Unreadable'],
  // clusters
  Planning: ['work', 'Planning'],
  RollingBack: ['warn', 'Rolling back'],
  BackingOff: ['warn', 'Pauses, then goes on'],
  Checking: ['work', 'Checking'],
  Converged: ['good', 'Converged'],
  Degraded: ['warn', 'Degraded'],
  RolledBack: ['bad', 'Rolled back'],
  NeedsAttention: ['bad', 'Needs attention'],
  // runs
  Queued: ['calm', 'Queued'],
  Succeeded: ['good', 'Succeeded'],
  Aborted: ['bad', 'Aborted'],
  Superseded: ['calm', 'Superseded'],
  // nodes
  Waiting: ['calm', 'Waiting'],
  Joining: ['work', 'Joining'],
  Ready: ['good', 'Ready'],
  NotReady: ['bad', 'Not ready'],
  Unhealthy: ['bad', 'Unhealthy'],
  Gone: ['bad', 'Gone'],
  Unreachable: ['warn', 'Unreachable'],
  Leaving: ['work', 'Leaving'],
  Leftover: ['warn', 'Left over'],
  // stored plans
  Proposed: ['warn', 'Proposed'],
  Approved: ['good', 'Approved'],
  Outdated: ['calm', 'Outdated'],
};

/** A pause is shown where nothing else is to be seen: a failure, or work that still ends, is more than it. */
const shownOf = (of: string, paused: boolean): readonly [tone: Tone, word: string] =>
  paused && (of === 'Pending' || of === 'Done') ? ['calm', 'Paused'] : (tones[of] ?? ['calm', of]);

export function Status({ of, paused = false }: { readonly of: string; readonly paused?: boolean }) {
  const [tone, word] = shownOf(of, paused);
  return <Sign tone={tone} word={word} />;
}

export const statusWord = ({ status, paused }: { readonly status: string; readonly paused: boolean }): string =>
  shownOf(status, paused)[1];

export function Sign({ tone, word }: { readonly tone: Tone; readonly word: string }) {
  return (
    <span className={`sign ${tone}`}>
      <span aria-hidden="true">{signs[tone]}</span> {word}
    </span>
  );
}
