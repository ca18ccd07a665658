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
  BackingOff: ['warn', 'Pauses, then continues'],
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
  // roll-outs
  Halted: ['bad', 'Halted'],
  Interrupted: ['bad', 'Interrupted'],
  // stored plans
  Proposed: ['warn', 'Proposed'],
  Approved: ['good', 'Approved'],
  Outdated: ['calm', 'Outdated'],
  Rejected: ['bad', 'Rejected'],
  Withdrawn: ['calm', 'Withdrawn'],
};

/** What is shown in addition to its status. */
interface Remarks {
  /** @default false */
  readonly paused?: boolean;
  readonly cancelling?: true | undefined;
}

/** A pause is shown where nothing else is to be seen: a failure, or work that still ends, is more than it. */
function shownOf(of: string, { paused, cancelling }: Remarks): readonly [tone: Tone, word: string] {
  if (cancelling) return ['warn', 'Is being cancelled'];
  return paused && (of === 'Pending' || of === 'Done')
    ? ['calm', 'Paused']
    : (Object.hasOwn(tones, of) && tones[of]) || ['calm', of];
}

export function Status({ of, ...remarks }: { readonly of: string } & Remarks) {
  const [tone, word] = shownOf(of, remarks);
  return <Sign tone={tone} word={word} />;
}

export const statusWord = ({ status, ...remarks }: { readonly status: string } & Remarks): string =>
  shownOf(status, remarks)[1];

export function Sign({ tone, word }: { readonly tone: Tone; readonly word: string }) {
  return (
    <span className={`sign ${tone}`}>
      <span aria-hidden="true">{signs[tone]}</span> {word}
    </span>
  );
}
