/** What comes first of a plan that waits: who proposed it, and what it costs. */
import type { WaitingPlan } from '#contracts/waiting-plans.ts';
import { amountsText } from '../model/plan-totals.ts';
import { timeAgo } from '../model/times.ts';
import { useNow } from './states.tsx';

/** `olga proposed it 3 min ago: changed` */
export function ProposedBy({ plan: { by, at, reason } }: { readonly plan: Pick<WaitingPlan, 'by' | 'at' | 'reason'> }) {
  const now = useNow(10);
  return (
    <span>
      <strong>{by}</strong> proposed it{' '}
      <time dateTime={at} title={at}>
        {timeAgo(at, now)}
      </time>
      : {reason}
    </span>
  );
}

/** What is added to the cost of a month; nothing where no machine has a price. */
export function CostOfProposal({ difference }: Pick<WaitingPlan, 'difference'>) {
  if (difference === undefined) return null;
  if (difference.every(({ amount }) => amount === 0)) return <span className="tag">costs as much as now</span>;
  return <span className="tag">{amountsText(difference, { signed: true })} a month</span>;
}
