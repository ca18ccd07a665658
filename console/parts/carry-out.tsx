/** Carries out exactly the plan that is shown; where it removes something, only after its name was typed. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ManifestAccepted, PlanReport } from '#contracts/api-bodies.ts';
import { RequestRefused } from '../api.ts';
import { wordToType } from '../model/plan-totals.ts';
import { go, hrefOf } from '../routes.ts';
import { NotAccepted } from './states.tsx';
import { useWordToType } from './word-to-type.tsx';

interface CarryOutProps {
  readonly plan: PlanReport;
  readonly title: string;
  /** Sends the request that is bound to the plan. */
  readonly send: (id: string) => Promise<ManifestAccepted>;
  readonly children?: ReactNode;
}

/** What was typed and answered is about one plan: another starts from the beginning. */
export function CarryOut(props: CarryOutProps) {
  return props.plan.id === null ? null : <CarryOutForm key={props.plan.id} {...props} />;
}

function CarryOutForm({ plan, title, send, children }: CarryOutProps) {
  const client = useQueryClient();
  const work = useMutation({
    mutationFn: () => send(plan.id ?? ''),
    onSuccess: async ({ namespace, name }) => {
      await client.invalidateQueries();
      go(hrefOf(['manifests', namespace, name, 'run']));
    },
    onError: () => client.invalidateQueries({ queryKey: ['plans'] }),
  });
  const { isTyped, field } = useWordToType(wordToType(plan), 'Something that exists is removed.');
  const proposed = work.error instanceof RequestRefused && work.error.problem.code === 'ApprovalRequired';
  return (
    <form
      className="carry-out"
      onSubmit={(event) => {
        event.preventDefault();
        work.mutate();
      }}
    >
      {plan.needsApproval && (
        <p className="notice warn">
          <span aria-hidden="true">!</span> Someone with the role approver has to approve this: it is kept as proposed.
        </p>
      )}
      {!proposed && field}
      {proposed ? (
        <p className="notice good" role="status">
          <span aria-hidden="true">✓</span>{' '}
          <span>
            {work.error?.message}{' '}
            <a href={hrefOf(['manifests', plan.namespace, plan.name, 'plan'], { plan: plan.id ?? undefined })}>
              See what was proposed
            </a>
          </span>
        </p>
      ) : (
        work.error && <NotAccepted error={work.error} what={`“${title}”`} />
      )}
      {!proposed && (
        <button type="submit" className="main" disabled={work.isPending || !isTyped}>
          {work.isPending ? 'Asking …' : plan.needsApproval ? 'Propose exactly this plan' : title}
        </button>
      )}
      {children}
      <p className="dim">
        plan <code>{plan.id}</code>: exactly this is carried out, or nothing, if anything moved meanwhile.
      </p>
    </form>
  );
}
