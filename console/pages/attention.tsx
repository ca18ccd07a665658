/** Everything that needs a person: failures with what to do, and what the last checks found. */
import type { AnswerTo } from '../api.ts';
import { type RollOutSummary, useTroubledRollOuts } from '../inventory-queries.ts';
import { commands } from '../model/commands.ts';
import { failureClasses } from '../model/failure-classes.ts';
import type { Summary } from '../model/fleet.ts';
import { everything, fleetRow, isTroubled, troubles } from '../model/fleet.ts';
import { may, mayApprovePlan } from '../model/rights.ts';
import { timeAgo } from '../model/times.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { CostOfProposal, ProposedBy } from '../parts/proposed-by.tsx';
import { Answered, Empty, Loading, Trouble, UpdatedAll, useNow } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { ThreeLines } from '../parts/three-lines.tsx';
import { Verbs } from '../parts/verbs.tsx';
import { useFleet, useWaitingPlans, useWhoAmI } from '../queries.ts';
import { hrefOf } from '../routes.ts';

type Waiting = AnswerTo<'GET /v1/plans'>['items'][number];

const inNeed = { ...everything, state: 'attention,drifted' };
/** More cards than a person reads. */
const most = 200;
/** The fleet, plans that wait, and roll-outs. */
const requests = 3;

export default function AttentionPage() {
  const fleet = useFleet(inNeed, most, requests);
  const plans = useWaitingPlans(requests);
  const rollOuts = useTroubledRollOuts(requests);
  if (!fleet.data) return fleet.error ? <Trouble error={fleet.error} what="the fleet" /> : <Loading what="the fleet" />;
  const rows = fleet.data.items.map(fleetRow);
  const failed = rows.filter(({ summary }) => isTroubled(summary));
  const drifted = rows.filter(({ state }) => state === 'drifted');
  const shown = rows.length + (fleet.data.proposed?.length ?? 0);
  const more = (fleet.data.counts?.fitting ?? shown) - shown;
  return (
    <>
      <div className="title">
        <h1>Needs you</h1>
        <CopyCommand command={commands.fleet(inNeed)} />
        <UpdatedAll of={[fleet, plans, rollOuts]} />
      </div>
      {fleet.error && <Trouble error={fleet.error} what="the fleet" />}
      {rows.length === 0 && plans.data?.items.length === 0 && rollOuts.data?.length === 0 && (
        <Empty title="Nothing needs you">
          <p>Every manifest is as desired, or Kubeloom is at work on it.</p>
        </Empty>
      )}
      <Answered of={plans} what="plans that wait for an approval">
        {({ items }) => (items.length > 0 ? <WaitingPlans items={items} /> : null)}
      </Answered>
      <Answered of={rollOuts} what="roll-outs that need you">
        {(items) => (items.length > 0 ? <TroubledRollOuts items={items} /> : null)}
      </Answered>
      {failed.map(({ key, summary }) => (
        <FailedCard key={key} summary={summary} />
      ))}
      {drifted.length > 0 && (
        <section aria-labelledby="drifted-title">
          <h2 id="drifted-title">Drifted</h2>
          <ul className="plain rows">
            {drifted.map(({ key, summary, remark }) => (
              <li key={key}>
                <a href={hrefOf(['manifests', summary.namespace, summary.name, 'drift'])} data-row>
                  {key}
                </a>{' '}
                {remark}
              </li>
            ))}
          </ul>
        </section>
      )}
      {more > 0 && (
        <p>
          <a href={hrefOf([], { state: failed.length < rows.length ? 'drifted' : 'attention' })}>
            {more} more in the fleet
          </a>
        </p>
      )}
    </>
  );
}

function WaitingPlans({ items }: { readonly items: readonly Waiting[] }) {
  const me = useWhoAmI();
  return (
    <section aria-labelledby="waiting-title">
      <h2 id="waiting-title">Waits for an approval</h2>
      {items.map((plan) => {
        const { namespace, name, id, summary } = plan;
        const title = name === null ? `inventory of ${namespace}` : `${namespace}/${name}`;
        const place =
          name === null
            ? hrefOf(['inventory', namespace, 'plan'], { plan: id })
            : hrefOf(['manifests', namespace, name, 'plan'], { plan: id });
        const mayApprove = mayApprovePlan(me.data, namespace, plan);
        return (
          <section key={`${title} ${id}`} className="card warn" aria-label={`Plan for ${title}`}>
            <h3 className="card-title">
              <a href={place} data-row>
                {title}
              </a>{' '}
              <Status of="Proposed" />
            </h3>
            <p>
              <ProposedBy plan={plan} />. <strong>{summary}</strong> <CostOfProposal difference={plan.difference} />
            </p>
            <p className="ways">
              <a className={mayApprove ? 'button main' : undefined} href={place}>
                {mayApprove ? 'Look at what changes, and approve' : 'What changes'}
              </a>
              <CopyCommand
                command={
                  name === null ? commands.approveRollOut(namespace, id) : commands.approve({ namespace, name }, id)
                }
              />
            </p>
          </section>
        );
      })}
    </section>
  );
}

function TroubledRollOuts({ items }: { readonly items: readonly RollOutSummary[] }) {
  return (
    <section aria-labelledby="roll-outs-title">
      <h2 id="roll-outs-title">Roll-outs</h2>
      <ul className="plain rows">
        {items.map(({ namespace, id, status, halted }) => (
          <li key={`${namespace}/${id}`}>
            <a href={hrefOf(['inventory', namespace, 'rollouts'], { id })} data-row>
              {namespace}/{id}
            </a>{' '}
            <Status of={status} /> {halted ?? 'its execution ended early; it continues automatically, or is resumed'}{' '}
            <CopyCommand command={commands.rollOut(namespace, id)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function FailedCard({ summary }: { readonly summary: Summary }) {
  const now = useNow(10);
  const me = useWhoAmI();
  const { namespace, name, status, clusters, unreadable } = summary;
  const place = ['manifests', namespace, name];
  const troubled = clusters.filter((cluster) => cluster.failure || troubles.includes(cluster.status));
  return (
    <section className="card bad attention-card" aria-label={`${namespace}/${name}`}>
      <h2 className="card-title">
        <a href={hrefOf(place)} data-row>
          {namespace}/{name}
        </a>{' '}
        <Status of={status} />
      </h2>
      <div className="ways">
        <Verbs of={summary} manifest={summary} brief />
        <a href={hrefOf([...place, 'run'])}>Run and its logs</a>
        {may(me.data, 'operator', namespace) && unreadable === undefined && (
          <a href={hrefOf([...place, 'plan'], { goal: 'rollback' })}>Roll back</a>
        )}
        <CopyCommand command={commands.describe(summary)} />
      </div>
      {unreadable !== undefined && <p>{unreadable}</p>}
      {troubled.map((cluster) => (
        <div key={cluster.cluster}>
          <p className="card-title">
            {cluster.name} <Status of={cluster.status} />
          </p>
          {cluster.failure && (
            <ThreeLines
              of={cluster.failure}
              kind={failureClasses[cluster.failure.class]}
              ago={timeAgo(cluster.failure.at, now)}
            />
          )}
        </div>
      ))}
    </section>
  );
}
