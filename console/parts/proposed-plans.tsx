/** Plans that wait for an approval: who proposed each and what it costs first, then what it changes, and what an approver can do. */
import { useQuery } from '@tanstack/react-query';
import { type AnswerTo, ask } from '../api.ts';
import { commands, type Name } from '../model/commands.ts';
import { mayApprovePlan } from '../model/rights.ts';
import { useProposedPlans, useWhoAmI } from '../queries.ts';
import { hrefOf } from '../routes.ts';
import { CarryOut } from './carry-out.tsx';
import { CopyCommand } from './copy-command.tsx';
import { DiffView } from './diff-view.tsx';
import { PlanView } from './plan-view.tsx';
import { CostOfProposal, EndOfProposal, ProposedBy } from './proposed-by.tsx';
import { RejectPlan } from './reject-plan.tsx';
import { Answered, Loading, Trouble, Updated } from './states.tsx';
import { Status } from './status.tsx';

interface ProposedPlansProps {
  readonly of: Name;
  /** The one that is opened, from the address. */
  readonly shown: string | undefined;
}

export function ProposedPlans({ of, shown }: ProposedPlansProps) {
  const plans = useProposedPlans(of);
  const all = plans.data?.items ?? [];
  const waiting = all.filter(({ state }) => state === 'Proposed');
  const decided = all.find(({ state, id }) => state !== 'Proposed' && id === shown);
  if (plans.error && !plans.data) return <Trouble error={plans.error} what="plans that wait for an approval" />;
  return (
    <>
      {waiting.length > 0 && (
        <section aria-labelledby="proposed-title">
          <h2 id="proposed-title" className="cluster-title">
            Waits for an approval <Updated at={plans.dataUpdatedAt} error={plans.error} />
          </h2>
          {waiting.map((plan) => (
            <ProposedPlan key={plan.id} of={of} plan={plan} open={plan.id === shown} />
          ))}
        </section>
      )}
      {decided && (
        <section aria-labelledby="decided-title">
          <h2 id="decided-title">{ends[decided.state]}</h2>
          <ProposedPlan of={of} plan={decided} open />
        </section>
      )}
      {shown !== undefined && plans.data && !all.some(({ id }) => id === shown) && (
        <p className="notice warn">
          <span aria-hidden="true">!</span> No plan {shown} of this manifest is kept.
        </p>
      )}
    </>
  );
}

type Proposed = AnswerTo<'GET /v1/manifests/{namespace}/{name}/plans'>['items'][number];

const ends: Readonly<Record<Proposed['state'], string>> = {
  Proposed: 'Waits for an approval',
  Approved: 'Was approved',
  Superseded: 'A newer proposal took its place',
  Rejected: 'Was rejected',
  Withdrawn: 'Was withdrawn',
  Outdated: 'Does not fit any more: something was stored since',
};

interface ProposedPlanProps {
  readonly of: Name;
  readonly plan: Proposed;
  readonly open: boolean;
}

function ProposedPlan({ of, plan, open }: ProposedPlanProps) {
  const me = useWhoAmI();
  const report = useQuery({
    queryKey: ['plans', of.namespace, of.name, plan.id],
    queryFn: ({ signal }) =>
      ask('GET /v1/manifests/{namespace}/{name}/plans/{plan}', { params: { ...of, plan: plan.id }, signal }),
    enabled: open,
    refetchOnWindowFocus: false,
  });
  const waits = plan.state === 'Proposed';
  const mayApprove = waits && mayApprovePlan(me.data, of.namespace, plan);
  return (
    <section className="card" aria-label={`Plan ${plan.id.slice(0, 8)}`}>
      <p className="card-title">
        <Status of={plan.state} /> <ProposedBy plan={plan} />
        <CostOfProposal difference={report.data?.costOfMonth?.difference} />
        <strong>{plan.summary}</strong>
        <EndOfProposal plan={plan} />
        {plan.closed?.plan !== undefined && (
          <a href={hrefOf(['manifests', of.namespace, of.name, 'plan'], { plan: plan.closed.plan })}>
            See the newer plan
          </a>
        )}
        {!open && (
          <a
            className={mayApprove ? 'button main' : 'button'}
            href={hrefOf(['manifests', of.namespace, of.name, 'plan'], { plan: plan.id })}
          >
            {mayApprove ? 'Look at it and approve' : 'Look at it'}
          </a>
        )}
      </p>
      {report.error && <Trouble error={report.error} what="the plan" />}
      {open && !report.data && !report.error && <Loading what="the plan" />}
      {open && report.data && (
        <>
          {waits && <ProposedText of={of} plan={plan.id} />}
          <PlanView plan={report.data} />
          {waits && report.data.id !== plan.id && (
            <p className="notice warn">
              <span aria-hidden="true">!</span> Something moved since it was proposed: it has to be proposed again.
            </p>
          )}
          {waits && !mayApprove && (
            <p className="dim">Someone with the role approver can approve it, here or with the command.</p>
          )}
          {mayApprove && report.data.id === plan.id && (
            <CarryOut
              plan={{ ...report.data, needsApproval: false }}
              title="Approve exactly this plan"
              send={(id) =>
                ask('POST /v1/manifests/{namespace}/{name}/approve', { params: { ...of }, body: { plan: id } })
              }
            />
          )}
          {waits && (
            <>
              <CopyCommand command={commands.approve(of, plan.id)} />
              <RejectPlan
                namespace={of.namespace}
                by={plan.by}
                send={(body) =>
                  ask('POST /v1/manifests/{namespace}/{name}/plans/{plan}/reject', {
                    params: { ...of, plan: plan.id },
                    body,
                  })
                }
              />
            </>
          )}
        </>
      )}
    </section>
  );
}

/** How the proposed document differs from the one that is stored now. */
function ProposedText({ of, plan }: { readonly of: Name; readonly plan: string }) {
  const diff = useQuery({
    queryKey: ['plans', of.namespace, of.name, plan, 'diff'],
    queryFn: ({ signal }) =>
      ask('GET /v1/manifests/{namespace}/{name}/plans/{plan}/diff', { params: { ...of, plan }, signal }),
    refetchOnWindowFocus: false,
  });
  return (
    <Answered of={diff} what="the difference">
      {({ changes, diff: patch }) => (
        <details open={changes.length > 0}>
          <summary>What changes in the document</summary>
          {patch === '' ? (
            <p className="dim">Both documents are the same.</p>
          ) : (
            <>
              <ul>
                {changes.map((change) => (
                  <li key={change}>{change}</li>
                ))}
              </ul>
              <DiffView patch={patch} title="Stored and proposed, line by line" />
            </>
          )}
        </details>
      )}
    </Answered>
  );
}
