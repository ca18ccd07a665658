/** What a change of an inventory does to its clusters, and how it is brought to them: exactly as shown, wave by wave. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { InventoryList, InventoryPlan } from '#contracts/inventory.ts';
import { ask } from '../../api.ts';
import { useInventory } from '../../inventory-queries.ts';
import { commands } from '../../model/commands.ts';
import { countOf } from '../../model/count-of.ts';
import { totalsOf } from '../../model/plan-totals.ts';
import { may } from '../../model/rights.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { DocumentEditor } from '../../parts/document-editor.tsx';
import { InventoryFrame, type PlaceInInventory } from '../../parts/inventory-frame.tsx';
import { Budgets, SumOfCost } from '../../parts/plan-view.tsx';
import { Answered, Trouble } from '../../parts/states.tsx';
import { Sign, type Tone } from '../../parts/status.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useWhoAmI } from '../../queries.ts';
import { go, hrefOf } from '../../routes.ts';

type Row = InventoryPlan['clusters'][number];

/** Nothing of a change is stored before it is rolled out. */
const nothing = { text: '', generation: 0 } as const;

export function InventoryPlanView({ place }: { readonly place: PlaceInInventory }) {
  const inventory = useInventory(place.namespace);
  return (
    <InventoryFrame place={place} view="plan" of={[inventory]}>
      <Answered of={inventory} what="the inventory">
        {(list) => <PlanOf {...place} list={list} />}
      </Answered>
    </InventoryFrame>
  );
}

function PlanOf({ namespace, list, chosen }: PlaceInInventory & { readonly list: InventoryList }) {
  const drafting = useDraft(`inventory ${namespace}`, nothing);
  const { text } = drafting.draft;
  /** The text that was planned: what is written since changes nothing of the plan that someone reads. */
  const [asked, setAsked] = useState(text);
  const choose = (change: Readonly<Record<string, string>>): void =>
    go(hrefOf(['inventory', namespace, 'plan'], { ...chosen, ...change }), { replace: true });
  const body = chosen.of === 'behind' ? '' : asked;
  const isWanted = chosen.of === 'behind' || (chosen.of === 'text' && asked.trim() !== '');
  const plan = useQuery({
    queryKey: ['inventory-plan', namespace, body],
    queryFn: ({ signal }) =>
      ask('POST /v1/inventory/{namespace}/plan', { params: { namespace }, signal, ...(body !== '' && { body }) }),
    enabled: isWanted,
    // Someone reads it: it is made again only when it is asked for.
    refetchOnWindowFocus: false,
  });
  const planIt = (of: 'behind' | 'text'): void => {
    if (chosen.of === of && (of === 'behind' || asked === text)) void plan.refetch();
    if (of === 'text') setAsked(text);
    choose({ of });
  };
  const behind = list.clusters.filter(({ state }) => state === 'behind' || state === 'missing').length;
  const outdated = chosen.of === 'text' && asked !== text;
  return (
    <div className="editor">
      <div>
        <p>
          <button type="button" disabled={plan.isFetching || behind === 0} onClick={() => planIt('behind')}>
            {behind === 0 ? 'Nothing is behind' : `Plan the ${countOf(behind, 'cluster')} behind`}
          </button>{' '}
          <CopyCommand command={commands.planInventory(namespace)} />
        </p>
        <p>Or documents of the inventory, as they would be stored:</p>
        <DocumentEditor
          label="Or documents of the inventory, as they would be stored:"
          example={'apiVersion: kubeloom.dev/v1\nkind: InventoryLayer\n…'}
          write={drafting.write}
          {...{ text, short: true }}
        />
        {drafting.isChanged && (
          <p className="dim">
            Not rolled out yet; it stays here while this tab is open.{' '}
            <button type="button" className="quiet" onClick={drafting.load}>
              Discard my text
            </button>
          </p>
        )}
        <p>
          <button
            type="button"
            className="main"
            disabled={text.trim() === '' || plan.isFetching}
            onClick={() => planIt('text')}
          >
            {plan.isFetching ? 'Planning …' : 'Plan this change'}
          </button>{' '}
          <CopyCommand command={commands.planInventoryFile(namespace)} />
        </p>
      </div>
      <div>
        {!isWanted ? (
          <p className="dim">
            The plan says which clusters change, how, and which have values of their own. Nothing starts.
          </p>
        ) : (
          <Answered of={plan} what="the plan">
            {(made) => (
              <div className={outdated ? 'outdated' : undefined}>
                {outdated && (
                  <p className="notice warn">
                    <span aria-hidden="true">!</span> The text was changed since: plan again.
                  </p>
                )}
                <Impact plan={made} />
                {!outdated && made.id !== null && made.changes > 0 && (
                  <Start
                    key={made.id}
                    {...{ plan: made, id: made.id, body, chosen, choose }}
                    started={() => body !== '' && drafting.done()}
                  />
                )}
              </div>
            )}
          </Answered>
        )}
      </div>
    </div>
  );
}

const impacts: Readonly<Record<Row['impact'], readonly [tone: Tone, word: string]>> = {
  changes: ['work', 'changes'],
  overrides: ['calm', 'has its own value'],
  same: ['calm', 'stays as it is'],
  refused: ['bad', 'is refused'],
  removed: ['warn', 'leaves the inventory'],
};

function Impact({ plan }: { readonly plan: InventoryPlan }) {
  return (
    <section aria-labelledby="impact-title" className="plan">
      <h2 id="impact-title">
        {countOf(plan.depend, 'cluster')} {plan.depend === 1 ? 'depends' : 'depend'} on this; {plan.changes}{' '}
        {plan.changes === 1 ? 'changes' : 'change'}
      </h2>
      <p className="totals">
        {totalsOf(plan.totals).map(({ what, added, changed, removed }) => (
          <span key={what} className="tag">
            {what} <span className="plus">+{added}</span> <span className="change">~{changed}</span>{' '}
            <span className="minus">−{removed}</span>
          </span>
        ))}
      </p>
      <Faults faults={plan.faults} />
      {plan.costOfMonth && <SumOfCost cost={plan.costOfMonth} />}
      <Budgets budgets={plan.budgets} />
      <ul className="tree">
        {plan.clusters.map((row) => (
          <li key={row.cluster}>
            <p className="card-title">
              <strong>{row.cluster}</strong> <Sign tone={impacts[row.impact][0]} word={impacts[row.impact][1]} />
              {row.impact === 'changes' && <span className="dim">{countOf(row.waypoints, 'waypoint')}</span>}
            </p>
            <Faults faults={row.faults} />
            {row.changes.length > 0 && (
              <ul>
                {row.changes.map((change) => (
                  <li key={change}>{change}</li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Faults({ faults }: Pick<InventoryPlan, 'faults'>) {
  return faults.map(({ document, path, reason, fix }) => (
    <p key={`${path} ${reason}`} className="notice bad">
      <span aria-hidden="true">✗</span>
      <span>
        {document && `${document.kind} ${document.name}: `}
        <code>{path}</code> {reason} {fix !== undefined && <span className="hint">→ {fix}</span>}
      </span>
    </p>
  ));
}

interface StartProps extends Pick<PlaceInInventory, 'chosen'> {
  readonly plan: InventoryPlan;
  readonly id: string;
  /** Documents that are stored with it; empty: none. */
  readonly body: string;
  readonly choose: (change: Readonly<Record<string, string>>) => void;
  readonly started: () => void;
}

/** Waves as the order of the inventory has them, or as written here. */
function Start({ plan, id, body, chosen, choose, started }: StartProps) {
  const me = useWhoAmI();
  const client = useQueryClient();
  const { waves = '', soak = '', maxFailed = '' } = chosen;
  const settings = { waves, soak, maxFailed };
  const [typed, setTyped] = useState('');
  const field = useId();
  const { namespace } = plan;
  const work = useMutation({
    mutationFn: () => {
      const query = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ''));
      const headers = { 'kubeloom-plan': id };
      return ask('POST /v1/inventory/{namespace}/rollouts', {
        ...{ params: { namespace }, query, headers },
        ...(body !== '' && { body }),
      });
    },
    onSuccess: async (rollOut) => {
      started();
      await client.invalidateQueries({ refetchType: 'none' });
      go(hrefOf(['inventory', namespace, 'rollouts'], { id: rollOut.id }));
    },
  });
  if (!may(me.data, 'operator', namespace)) return null;
  const removes = totalsOf(plan.totals).some(({ removed }) => removed > 0);
  const input = (name: keyof typeof settings, title: string, example: string) => (
    <label>
      {title}{' '}
      <input
        value={settings[name]}
        placeholder={example}
        size={9}
        onChange={(event) => choose({ [name]: event.target.value })}
      />
    </label>
  );
  return (
    <form
      className="carry-out"
      onSubmit={(event) => {
        event.preventDefault();
        work.mutate();
      }}
    >
      <div className="filters">
        {input('waves', 'Waves', '1,10%,100%')}
        {input('soak', 'watched for', '30m')}
        {input('maxFailed', 'halts when so many fail', '1')}
      </div>
      <p className="dim">
        Waves are how many clusters have the change after each: 1,10%,100% is one first, then a tenth of all, then all.
        After each wave Kubeloom watches for that long that nothing fails. When so many clusters have failed, no other
        starts. What is empty is as the inventory says.
      </p>
      {removes && (
        <p>
          <label htmlFor={field}>
            Something that exists is removed. Type <code>{namespace}</code> to go on:
          </label>{' '}
          <input id={field} value={typed} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />
        </p>
      )}
      {work.error && <Trouble error={work.error} what="the roll-out" />}
      <button type="submit" className="main" disabled={work.isPending || (removes && typed !== namespace)}>
        {work.isPending ? 'Asking …' : 'Roll out exactly this plan'}
      </button>{' '}
      <CopyCommand command={commands.startRollOut(namespace, id, { ...settings, file: body !== '' })} />
      <p className="dim">
        plan <code>{id}</code>: exactly this is carried out, or nothing, if anything moved meanwhile.
      </p>
    </form>
  );
}
