/** When the report of an agent starts a check: a table over the time at which a node stopped being ready. */
import { expect, it } from 'vitest';
import type { RepairPolicy } from '#domain/repair/observed-node.ts';
import { asksForCheck, type ReportedQuestion } from '#domain/repair/reported-nodes.ts';
import { twoProviderState } from '#test/rendering/states.ts';

const state = twoProviderState();
const pool = state.pools.find(({ role }) => role === 'compute');
const node = pool?.nodes[0]?.name ?? '';
const now = new Date('2026-11-28T12:00:00.000Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString();

function asks(unreadySeconds: number, drift?: ReportedQuestion['drift']): boolean {
  const bounds = { startAfter: 20, atOnce: 1, perHour: 2, maxUnhealthy: 40 };
  const policy: RepairPolicy = { onUnhealthy: 'replace', after: 10, looks: 2, ...bounds };
  const unwell = [{ node, health: 'notReady', since: ago(unreadySeconds) }] as const;
  return asksForCheck({ unwell, state, policies: { [pool?.name ?? '']: policy }, drift, now });
}

it.each<[string, number, ReportedQuestion['drift'], boolean]>([
  ['more than a look of a check before the time of its pool', 549, undefined, false],
  ['a look of a check before the time of its pool', 550, undefined, true],
  ['after the time of its pool', 900, undefined, true],
  ['after its time, when no check has ended since', 900, { checkedAt: ago(660) }, true],
  ['after its time, when a check has ended since', 900, { checkedAt: ago(240) }, false],
  ['within ten minutes of the last check', 580, { checkedAt: ago(120) }, false],
  [
    'when the last check said that it wants to see it again by now',
    600,
    { checkedAt: ago(20), lookAgainAt: ago(0) },
    true,
  ],
])(
  'a report leads to a check or not, of a node that is not ready: %s, after %d s with %j: %s',
  (_, seconds, drift, expected) => {
    expect(asks(seconds, drift)).toBe(expected);
  },
);
