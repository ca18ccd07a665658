/** What would happen: to a changed document, a rollback or a deletion; and plans that wait for an approval. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type AnswerTo, ask, RequestRefused } from '../api.ts';
import { commands } from '../model/commands.ts';
import { may } from '../model/rights.ts';
import type { TabProps } from '../model/tab.ts';
import { timeAgo } from '../model/times.ts';
import { yamlText } from '../model/yaml-text.ts';
import { CarryOut } from '../parts/carry-out.tsx';
import { CopyCommand } from '../parts/copy-command.tsx';
import { ManifestEditor } from '../parts/manifest-editor.tsx';
import { PlanView } from '../parts/plan-view.tsx';
import { Empty, Loading, Trouble, Updated, useNow } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { useProposedPlans, useWhoAmI } from '../queries.ts';
import { hrefOf } from '../routes.ts';

const goals = {
  change: 'Change the document',
  again: 'What is left to do',
  rollback: 'Roll back',
  delete: 'Delete',
} as const;
type Goal = keyof typeof goals;

export default function PlanTab({ of, manifest, chosen }: TabProps) {
  const goal = (Object.keys(goals) as Goal[]).find((one) => one === chosen.goal) ?? 'change';
  const text = useMemo(() => yamlText(manifest.document), [manifest.document]);
  const place = ['manifests', of.namespace, of.name, 'plan'];
  return (
    <>
      <ProposedPlans of={of} shown={chosen.plan} />
      <nav className="chips" aria-label="What to plan">
        {Object.entries(goals).map(([id, title]) => (
          <a
            key={id}
            className="chip"
            href={hrefOf(place, { goal: id })}
            aria-current={goal === id ? 'true' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {goal === 'change' ? (
        <ManifestEditor stored={{ text, generation: manifest.generation }} of={of} />
      ) : (
        <GoalPlan
          key={goal}
          of={of}
          goal={goal}
          version={`${manifest.generation} ${manifest.attempt} ${manifest.status}`}
        />
      )}
    </>
  );
}

interface GoalPlanProps {
  readonly of: TabProps['of'];
  readonly goal: Exclude<Goal, 'change'>;
  readonly version: string;
}

const queries = { again: {}, rollback: { rollback: 'last' }, delete: { delete: 'true' } } as const;

function GoalPlan({ of, goal, version }: GoalPlanProps) {
  const me = useWhoAmI();
  const plan = useQuery({
    queryKey: ['plan', of.namespace, of.name, goal, version],
    queryFn: ({ signal }) =>
      ask('POST /v1/manifests/{namespace}/{name}/plan', { params: { ...of }, query: queries[goal], signal }),
    // Someone reads it: it is made again only when it is asked for, or when the manifest has moved.
    refetchOnWindowFocus: false,
  });
  const command = { again: commands.plan(of), rollback: commands.rollback(of), delete: commands.remove(of) }[goal];
  const allowed = may(me.data, 'operator', of.namespace);
  const head = (
    <p className="editor-state">
      <button type="button" disabled={plan.isFetching} onClick={() => void plan.refetch()}>
        {plan.isFetching ? 'Planning …' : 'Plan again'}
      </button>{' '}
      {(allowed || goal === 'again') && <CopyCommand command={command} />}
    </p>
  );
  if (goal === 'rollback' && plan.error instanceof RequestRefused && plan.error.problem.code === 'VerbRefused')
    return (
      <Empty title="There is nothing to go back to">
        <p>{plan.error.message}</p>
        <CopyCommand command={commands.history(of)} />
      </Empty>
    );
  if (plan.error)
    return (
      <>
        {head}
        <Trouble error={plan.error} what="the plan" />
      </>
    );
  if (!plan.data) return <Loading what="the plan" />;
  return (
    <>
      {head}
      {plan.data.rollbackTo !== undefined && <p>Back to generation {plan.data.rollbackTo}, as a new generation.</p>}
      <PlanView plan={plan.data} />
      {allowed && goal === 'rollback' && (
        <CarryOut
          plan={plan.data}
          title="Roll back exactly so"
          send={(id) =>
            ask('POST /v1/manifests/{namespace}/{name}/rollback', {
              params: { ...of },
              body: { to: plan.data.rollbackTo },
              headers: { 'kubeloom-plan': id },
            })
          }
        />
      )}
      {allowed && goal === 'delete' && (
        <CarryOut
          plan={plan.data}
          title="Delete exactly this"
          send={(id) =>
            ask('DELETE /v1/manifests/{namespace}/{name}', { params: { ...of }, headers: { 'kubeloom-plan': id } })
          }
        />
      )}
    </>
  );
}

type Proposed = AnswerTo<'GET /v1/manifests/{namespace}/{name}/plans'>['items'][number];

function ProposedPlans({ of, shown }: { readonly of: TabProps['of']; readonly shown: string | undefined }) {
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
          <h2 id="decided-title">
            {decided.state === 'Approved' ? 'Was approved' : 'Does not fit any more: something was stored since'}
          </h2>
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

interface ProposedPlanProps {
  readonly of: TabProps['of'];
  readonly plan: Proposed;
  readonly open: boolean;
}

function ProposedPlan({ of, plan, open }: ProposedPlanProps) {
  const now = useNow();
  const me = useWhoAmI();
  const report = useQuery({
    queryKey: ['plans', of.namespace, of.name, plan.id],
    queryFn: ({ signal }) =>
      ask('GET /v1/manifests/{namespace}/{name}/plans/{plan}', { params: { ...of, plan: plan.id }, signal }),
    enabled: open,
    refetchOnWindowFocus: false,
  });
  const waits = plan.state === 'Proposed';
  const mayApprove = waits && may(me.data, 'approver', of.namespace);
  return (
    <div className="card">
      <p className="card-title">
        <Status of={plan.state} /> <strong>{plan.summary}</strong>
        <span className="dim">
          {plan.reason} by {plan.by}, {timeAgo(plan.at, now)}
          {plan.approved && `; approved by ${plan.approved.by}, ${timeAgo(plan.approved.at, now)}`}
        </span>
        {!open && (
          <a className="button" href={hrefOf(['manifests', of.namespace, of.name, 'plan'], { plan: plan.id })}>
            Look at it
          </a>
        )}
      </p>
      {report.error && <Trouble error={report.error} what="the plan" />}
      {open && report.data && (
        <>
          <PlanView plan={report.data} />
          {waits && report.data.id !== plan.id && (
            <p className="notice warn">
              <span aria-hidden="true">!</span> Something moved since it was proposed: it has to be proposed again.
            </p>
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
          {mayApprove && <CopyCommand command={commands.approve(of, plan.id)} />}
        </>
      )}
    </div>
  );
}
