/** What would happen: to a changed document, a rollback or a deletion; and plans that wait for an approval. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ask, RequestRefused } from '../api.ts';
import { commands } from '../model/commands.ts';
import { may } from '../model/rights.ts';
import type { TabProps } from '../model/tab.ts';
import { yamlText } from '../model/yaml-text.ts';
import { CarryOut } from '../parts/carry-out.tsx';
import { CopyCommand } from '../parts/copy-command.tsx';
import { ManifestEditor } from '../parts/manifest-editor.tsx';
import { PlanView } from '../parts/plan-view.tsx';
import { ProposedPlans } from '../parts/proposed-plans.tsx';
import { Empty, Loading, Trouble } from '../parts/states.tsx';
import { useWhoAmI } from '../queries.ts';
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
          key={`${goal} ${chosen.to}`}
          of={of}
          goal={goal}
          to={chosen.to}
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
  /** The generation to roll back to. @default the last one that was done */
  readonly to?: string | undefined;
}

const queries = { again: {}, rollback: { rollback: 'last' }, delete: { delete: 'true' } } as const;

function GoalPlan({ of, goal, version, to }: GoalPlanProps) {
  const me = useWhoAmI();
  const plan = useQuery({
    queryKey: ['plan', of.namespace, of.name, goal, to, version],
    queryFn: ({ signal }) =>
      ask('POST /v1/manifests/{namespace}/{name}/plan', {
        params: { ...of },
        query: goal === 'rollback' && to ? { rollback: to } : queries[goal],
        signal,
      }),
    // A person reads the plan: it is renewed only on request, or when the manifest has changed.
    refetchOnWindowFocus: false,
  });
  const command = { again: commands.plan(of), rollback: commands.rollback(of, to), delete: commands.remove(of) }[goal];
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
