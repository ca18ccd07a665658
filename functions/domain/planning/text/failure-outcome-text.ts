/** What was done about a failure, in words. */
import type { ErrorClass } from '#domain/errors.ts';
import { type FailureOutcome, undecidedText, undoneParts } from '#domain/failure-outcome.ts';
import { failurePolicy, longestNodeWaitSeconds } from '#domain/failure-policy.ts';
import { counted, listed } from '#domain/words.ts';

interface Failure {
  readonly class: ErrorClass;
  readonly code: string;
}

/** Without a period, but where it is of several sentences. */
export function failureOutcomeText(failure: Failure & { readonly outcome?: FailureOutcome | undefined }): string {
  return failure.outcome === undefined ? undecidedText : outcomeText(failure, failure.outcome);
}

function outcomeText(failure: Failure, outcome: FailureOutcome): string {
  const { because } = failurePolicy[failure.class];
  const hours = `${longestNodeWaitSeconds / 3600} h`;
  switch (outcome.kind) {
    case 'undoing':
    case 'pauses':
    case 'waits':
    case 'stops':
      return failure.code === 'Cancelled' ? cancelText(outcome) : assessedText(outcome, because, hours);
    case 'undoStopped': {
      const { stage, undone } = outcome;
      return `the undo stopped at ${stage}; the stage to undo had failed with ${undone.code}: ${undone.message}`.slice(
        0,
        2000,
      );
    }
    case 'buildLeft':
      return `before that it had failed with ${outcome.before.code}: ${outcome.before.message}`.slice(0, 2000);
    case 'unchanged':
      return 'nothing was changed';
    case 'said':
      return outcome.text;
    case 'undone':
      return undoneText(outcome);
    case 'degraded': {
      const [which, them] = outcome.pools.length === 1 ? ['pool', 'it'] : ['the pools', 'them'];
      return `only ${which} ${listed(outcome.pools)} failed, and nothing of ${them} is left; everything else is as the manifest asks for. A retry or a changed manifest tries again`;
    }
    case 'standstill':
      return standstillText(failure, outcome);
    case 'editFailed': {
      const next = '`kubeloom state list` shows the state as it is; request the edit again if it is not made';
      return `${failureOutcomeText({ ...failure, outcome: outcome.before })}; ${next}`;
    }
    default:
      return outcome satisfies never;
  }
}

type Assessed = Extract<FailureOutcome, { readonly kind: 'undoing' | 'pauses' | 'waits' | 'stops' }>;

function assessedText(outcome: Assessed, because: string, hours: string): string {
  const { direction } = outcome;
  switch (outcome.kind) {
    case 'undoing':
      return `the ${direction} is undone: what it created is removed, what existed before remains (${because})`;
    case 'pauses':
      return `the ${direction} continues in ${outcome.seconds} s (pause ${outcome.pause} of ${outcome.of}): ${because}`;
    case 'waits':
      return `the ${direction} waits for nodes that are held, for ${hours} at most`;
    case 'stops':
      if (outcome.waited) return `the ${direction} stops: it has waited ${hours} for nodes that are held`;
      if (outcome.tries === undefined) return `the ${direction} stops: ${because}`;
      return `the ${direction} stops: it failed ${outcome.tries} times, with a longer pause each time`;
    default:
      return outcome satisfies never;
  }
}

function cancelText({ kind, direction }: Assessed): string {
  if (kind === 'undoing') return `the ${direction} was cancelled and is undone`;
  return `the ${direction} was cancelled and stops where it is; it is forward-only, so a retry continues from there`;
}

const wordsOfPart = {
  removed: 'removed again',
  unseen: 'never created, or removed again',
  left: 'left the cluster again',
  unjoined: 'never joined',
} as const satisfies Record<(typeof undoneParts)[number], string>;

/** What was tried, what was undone, what a retry will try. */
function undoneText({ direction, nodes, stay, dropped }: Extract<FailureOutcome, { readonly kind: 'undone' }>): string {
  const undone = undoneParts.flatMap((part) => {
    const named = nodes[part];
    return named === undefined ? [] : [`${someNodes(named)} ${wordsOfPart[part]}`];
  });
  const kept =
    stay === null
      ? 'nothing is left of the cluster'
      : `the ${counted(stay, 'other node')} ${stay === 1 ? 'is' : 'are'} as before`;
  const next = dropped
    ? 'What was requested apart from the manifest is not retried; request it again.'
    : 'A retry tries the same again; a changed manifest gets a new plan.';
  return `The ${direction} was undone: ${undone.join(', ') || 'its changes taken back'}, ${kept}. ${next}`;
}

function someNodes({ count, names }: { readonly count: number; readonly names: readonly string[] }): string {
  return count > 3 ? `${names.slice(0, 2).join(', ')} and ${count - 2} more nodes` : names.join(', ');
}

/** Why it needs attention, and that nothing is lost. */
function standstillText(
  failure: Failure,
  { before, attempted }: Extract<FailureOutcome, { readonly kind: 'standstill' }>,
): string {
  if (failure.code === 'PlanRefused' || failure.code === 'PlanMoved')
    return 'Nothing was changed; what exists keeps running.';
  if (failure.code === 'Cancelled' && !attempted)
    return 'What was reached remains; nothing more is done until you retry or change the manifest.';
  const first = before === undefined ? '' : `${asSentence(outcomeText(failure, before))} `;
  const known = attempted ? ' What the last step started is recorded, and is then continued or removed.' : '';
  return `${first}It stays as it is until you retry or change the manifest.${known}`;
}

const asSentence = (words: string): string =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${words.endsWith('.') ? '' : '.'}`;
