/** Carries out exactly the plan that is shown; where it removes something, only after its name was typed. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ManifestAccepted, PlanReport } from '#contracts/api-bodies.ts';
import { wordToType } from '../model/plan-totals.ts';
import { go, hrefOf } from '../routes.ts';
import { PlanForm, toBeApproved } from './plan-form.tsx';

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
  return (
    <PlanForm
      id={plan.id}
      work={work}
      title={plan.needsApproval ? 'Propose exactly this plan' : title}
      what={`“${title}”`}
      approval={plan.needsApproval && toBeApproved}
      proposalAt={hrefOf(['manifests', plan.namespace, plan.name, 'plan'], { plan: plan.id ?? undefined })}
      word={wordToType(plan)}
    >
      {children}
    </PlanForm>
  );
}
