/** What comes first of a proposed plan: who proposed it, what it costs, and how it ended. */
import type { ProposedPlanRow } from '#contracts/proposed-plans.ts';
import type { WaitingPlan } from '#contracts/waiting-plans.ts';
import { amountsText } from '../model/plan-totals.ts';
import { timeAgo } from '../model/times.ts';
import { useNow } from './states.tsx';

type EndedProposal = Pick<ProposedPlanRow, 'state' | 'approved' | 'closed'>;

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

/** `rejected by anna, 3 min ago: too large`; nothing while it waits. */
export function EndOfProposal({ plan: { state, approved, closed } }: { readonly plan: EndedProposal }) {
  const now = useNow(10);
  const end = approved ?? closed;
  if (end === undefined) return null;
  const said = closed?.reason === undefined ? '' : `: ${closed.reason}`;
  return (
    <span className="dim">
      {state === 'Superseded' ? 'by a plan of' : `${state.toLowerCase()} by`} {end.by}, {timeAgo(end.at, now)}
      {said}
    </span>
  );
}

/** What is added to the cost of a month; nothing where no machine has a price. */
export function CostOfProposal({ difference }: Pick<WaitingPlan, 'difference'>) {
  if (difference === undefined) return null;
  if (difference.every(({ amount }) => amount === 0)) return <span className="tag">costs as much as now</span>;
  return <span className="tag">{amountsText(difference, { signed: true })} a month</span>;
}
