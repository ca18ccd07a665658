/** Outcomes of failures: data, words of each, and what 0.1.0 stored. */
import { describe, expect, it } from 'vitest';
import { FailureOutcome, lastStep } from '#domain/failure-outcome.ts';
import { failureOutcomeText } from '#domain/planning/text/failure-outcome-text.ts';

const words = (outcome: FailureOutcome | undefined, code = 'ToolFailed') =>
  failureOutcomeText({ class: 'credentials', code, outcome });
const direction = 'grow';

describe('what was done about a failure', () => {
  it.each([
    [undefined, 'what follows is being decided'],
    [
      { kind: 'undoing', direction },
      'the grow is undone: what it created is removed, what existed before remains (the credentials do not work)',
    ],
    [
      { kind: 'pauses', direction, seconds: 30, pause: 1, of: 4 },
      'the grow continues in 30 s (pause 1 of 4): the credentials do not work',
    ],
    [{ kind: 'waits', direction }, 'the grow waits for nodes that are held, for 2 h at most'],
    [{ kind: 'stops', direction }, 'the grow stops: the credentials do not work'],
    [{ kind: 'stops', direction, tries: 3 }, 'the grow stops: it failed 3 times, with a longer pause each time'],
    [{ kind: 'stops', direction, waited: true }, 'the grow stops: it has waited 2 h for nodes that are held'],
    [
      { kind: 'undoStopped', stage: 'kubernetes', undone: { code: 'A', message: 'b' } },
      'the undo stopped at kubernetes; the stage to undo had failed with A: b',
    ],
    [{ kind: 'buildLeft', before: { code: 'A', message: 'b' } }, 'before that it had failed with A: b'],
    [{ kind: 'unchanged' }, 'nothing was changed'],
    [
      { kind: 'degraded', pools: ['a', 'b'] },
      'only the pools a and b failed, and nothing of them is left; everything else is as the manifest asks for. A retry or a changed manifest tries again',
    ],
    [
      { kind: 'undone', direction, nodes: { removed: { count: 5, names: ['a', 'b', 'c'] } }, stay: 1 },
      'The grow was undone: a, b and 3 more nodes removed again, the 1 other node is as before. A retry tries the same again; a changed manifest gets a new plan.',
    ],
    [
      { kind: 'standstill', before: { kind: 'stops', direction }, attempted: true },
      'The grow stops: the credentials do not work. It stays as it is until you retry or change the manifest. What the last step started is recorded, and is then continued or removed.',
    ],
    [{ kind: 'standstill' }, 'It stays as it is until you retry or change the manifest.'],
    [
      { kind: 'editFailed', before: { kind: 'unchanged' } },
      'nothing was changed; `kubeloom state list` shows the state as it is; request the edit again if it is not made',
    ],
  ] as const)('the outcome %j has the words of 0.1.0', (outcome, text) => {
    expect(words(FailureOutcome.parse(outcome))).toBe(text);
  });

  it('a cancelled step says so, whatever its class would have led to', () => {
    expect(words({ kind: 'undoing', direction }, 'Cancelled')).toBe('the grow was cancelled and is undone');
    expect(words({ kind: 'stops', direction, tries: 2 }, 'Cancelled')).toMatch(/^the grow was cancelled and stops/);
    expect(words({ kind: 'standstill' }, 'Cancelled')).toMatch(/^What was reached remains;/);
    expect(words({ kind: 'standstill' }, 'PlanMoved')).toBe('Nothing was changed; what exists keeps running.');
  });

  it('an end that follows an end repeats what was done before, not the first end', () => {
    const before = { kind: 'unchanged' } as const;
    expect(lastStep({ kind: 'standstill', before, attempted: true })).toBe(before);
    expect(lastStep(before)).toBe(before);
  });

  it('a sentence that 0.1.0 stored is shown as it is, and its undecided one counts as none', () => {
    expect(words(FailureOutcome.parse('The upgrade stops: it failed 2 times.'))).toBe(
      'The upgrade stops: it failed 2 times.',
    );
    expect(FailureOutcome.parse('what follows is being decided')).toBeUndefined();
  });
});
