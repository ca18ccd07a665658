/** What a change of an inventory does to its clusters, and how it is brought to them: exactly as shown, wave by wave. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { ask } from '../../api.ts';
import type { InventoryList, InventoryPlan } from '../../inventory-queries.ts';
import { commands } from '../../model/commands.ts';
import { counted } from '../../model/counted.ts';
import { totalsOf } from '../../model/plan-totals.ts';
import { may } from '../../model/rights.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { Budgets } from '../../parts/plan-view.tsx';
import { Trouble } from '../../parts/states.tsx';
import { Sign, type Tone } from '../../parts/status.tsx';
import { useWhoAmI } from '../../queries.ts';
import { go, hrefOf } from '../../routes.ts';

type Planned = InventoryPlan & { readonly text: string };
type Row = InventoryPlan['clusters'][number];

export function PlanView({ namespace, list }: { readonly namespace: string; readonly list: InventoryList }) {
  const [text, setText] = useState('');
  const id = useId();
  const planned = useMutation<Planned, Error, string>({
    mutationFn: async (body) => {
      const params = { namespace };
      const plan = await ask('POST /v1/inventory/{namespace}/plan', { params, ...(body.trim() !== '' && { body }) });
      return { ...plan, text: body };
    },
  });
  const behind = list.clusters.filter(({ state }) => state === 'behind' || state === 'missing').length;
  const plan = planned.data;
  const outdated = plan !== undefined && plan.text !== text && plan.text !== '';
  return (
    <div className="editor">
      <div>
        <p>
          <button type="button" disabled={planned.isPending || behind === 0} onClick={() => planned.mutate('')}>
            {behind === 0 ? 'Nothing is behind' : `Plan the ${counted(behind, 'cluster')} behind`}
          </button>{' '}
          <CopyCommand command={commands.planInventory(namespace)} />
        </p>
        <label htmlFor={id}>Or documents of the inventory, as they would be stored:</label>
        <textarea
          id={id}
          className="short"
          value={text}
          spellCheck={false}
          autoComplete="off"
          placeholder="apiVersion: kubeloom.dev/v1&#10;kind: InventoryLayer&#10;…"
          onChange={(event) => setText(event.target.value)}
        />
        <p>
          <button
            type="button"
            className="main"
            disabled={text.trim() === '' || planned.isPending}
            onClick={() => planned.mutate(text)}
          >
            {planned.isPending ? 'Planning …' : 'Plan this change'}
          </button>{' '}
          <CopyCommand command={commands.planInventoryFile(namespace)} />
        </p>
      </div>
      <div>
        {planned.error && <Trouble error={planned.error} what="the plan" />}
        {!plan && !planned.error && (
          <p className="dim">
            The plan says which clusters change, how, and which have values of their own. Nothing starts.
          </p>
        )}
        {plan && (
          <div className={outdated ? 'outdated' : undefined}>
            {outdated && (
              <p className="notice warn">
                <span aria-hidden="true">!</span> The text was changed since: plan again.
              </p>
            )}
            <Impact plan={plan} />
            {!outdated && plan.id !== null && plan.changes > 0 && <Start key={plan.id} plan={plan} id={plan.id} />}
          </div>
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
        {counted(plan.depend, 'cluster')} depend on this; {plan.changes} change
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
      <Budgets budgets={plan.budgets} />
      <ul className="tree">
        {plan.clusters.map((row) => (
          <li key={row.cluster}>
            <p className="card-title">
              <strong>{row.cluster}</strong> <Sign tone={impacts[row.impact][0]} word={impacts[row.impact][1]} />
              {row.impact === 'changes' && <span className="dim">{counted(row.waypoints, 'waypoint')}</span>}
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

/** Waves as the order of the inventory has them, or as written here. */
function Start({ plan, id }: { readonly plan: Planned; readonly id: string }) {
  const me = useWhoAmI();
  const client = useQueryClient();
  const [settings, setSettings] = useState({ waves: '', soak: '', maxFailed: '' });
  const [typed, setTyped] = useState('');
  const field = useId();
  const { namespace, text } = plan;
  const work = useMutation({
    mutationFn: () => {
      const query = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ''));
      const headers = { 'kubeloom-plan': id };
      const body = text.trim() === '' ? {} : { body: text };
      return ask('POST /v1/inventory/{namespace}/rollouts', { params: { namespace }, query, headers, ...body });
    },
    onSuccess: async (started) => {
      await client.invalidateQueries();
      go(hrefOf(['inventory', namespace, 'rollouts'], { id: started.id }));
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
        onChange={(event) => setSettings({ ...settings, [name]: event.target.value })}
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
      <CopyCommand
        command={commands.startRollOut(namespace, id, { ...settings, file: text !== '' })}
        label="as command"
      />
      <p className="dim">
        plan <code>{id}</code>: exactly this is carried out, or nothing, if anything moved meanwhile.
      </p>
    </form>
  );
}
