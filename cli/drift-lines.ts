/** What the last check for drift of a cluster found, for people. */
import type { ClusterDescription } from '#contracts/api-bodies.ts';
import { wrap } from './layout.ts';
import { paint } from './output.ts';
import { ago } from './times.ts';

/** Further ones are only counted; `--json` has all. */
const mostShown = 20;

/** Nothing before the first check. */
export function driftLines({ drift }: ClusterDescription, width?: number): string[] {
  if (drift === null) return [];
  const { checkedAt, items, unchecked, outcome } = drift;
  const color = items.length === 0 ? 'green' : 'yellow';
  const more = items.length > mostShown ? [`    and ${items.length - mostShown} more`] : [];
  return [
    ...wrap(`  ${paint(color, 'drift:')} ${outcome} ${paint('dim', `(checked ${ago(checkedAt)})`)}`, 4, width),
    ...items.slice(0, mostShown).flatMap(({ kind, message, repairable }) => {
      const byHand = repairable ? '' : paint('dim', ' (has to be fixed by hand)');
      return wrap(`    ${paint('yellow', kind)}: ${message}${byHand}`, 6, width);
    }),
    ...more,
    ...unchecked.flatMap((why) => wrap(`    ${paint('dim', 'not checked:')} ${why}`, 6, width)),
  ];
}
