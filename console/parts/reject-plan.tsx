/** Ends a plan that waits: an approver rejects it and says why, its author withdraws it. Nothing for others. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { may } from '../model/rights.ts';
import { useWhoAmI } from '../queries.ts';
import { NotAccepted } from './states.tsx';

interface RejectPlanProps {
  readonly namespace: string;
  /** Name of who proposed it. */
  readonly by: string;
  readonly send: (body: { readonly reason?: string }) => Promise<unknown>;
}

export function RejectPlan({ namespace, by, send }: RejectPlanProps) {
  const me = useWhoAmI();
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const field = useId();
  const said = reason.trim();
  const work = useMutation({
    mutationFn: () => send(said === '' ? {} : { reason: said }),
    onSettled: () => client.invalidateQueries(),
  });
  const isOwn = me.data?.name === by;
  if (!may(me.data, isOwn ? 'operator' : 'approver', namespace)) return null;
  return (
    <form
      className="carry-out"
      onSubmit={(event) => {
        event.preventDefault();
        work.mutate();
      }}
    >
      <label htmlFor={field}>{isOwn ? 'Why you withdraw it (optional)' : 'Why you reject it'}</label>{' '}
      <input id={field} value={reason} maxLength={1000} onChange={(event) => setReason(event.target.value)} />
      {work.error && <NotAccepted error={work.error} what={isOwn ? 'the withdrawal' : 'the rejection'} />}{' '}
      <button type="submit" disabled={work.isPending || (said === '' && !isOwn)}>
        {isOwn ? 'Withdraw it' : 'Reject it'}
      </button>
    </form>
  );
}
