/** What a change of an inventory does to its clusters, and how it is brought to them: exactly as shown, wave by wave. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { InventoryList } from '#contracts/inventory.ts';
import { ask } from '../../api.ts';
import { useInventory } from '../../inventory-queries.ts';
import { commands } from '../../model/commands.ts';
import { countOf } from '../../model/count-of.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { DocumentEditor } from '../../parts/document-editor.tsx';
import { InventoryFrame, type PlaceInInventory } from '../../parts/inventory-frame.tsx';
import { Answered } from '../../parts/states.tsx';
import { type Drafting, useDraft } from '../../parts/use-draft.ts';
import { go, hrefOf } from '../../routes.ts';
import { ImpactOfChange } from './impact.tsx';
import { ProposedChange } from './proposed-change.tsx';
import { StartRollOut } from './start-roll-out.tsx';

/** Nothing of a change is stored before it is rolled out. */
const nothing = { text: '', generation: 0 } as const;

export function InventoryPlanView({ place }: { readonly place: PlaceInInventory }) {
  const inventory = useInventory(place.namespace);
  return (
    <InventoryFrame place={place} view="plan" of={[inventory]}>
      {place.chosen.plan === undefined ? (
        <Answered of={inventory} what="the inventory">
          {(list) => <PlanOf {...place} list={list} />}
        </Answered>
      ) : (
        <ProposedChange {...place} id={place.chosen.plan} />
      )}
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
    // A person reads the plan: it is renewed only on request.
    refetchOnWindowFocus: false,
  });
  const planIt = (of: 'behind' | 'text'): void => {
    if (chosen.of === of && (of === 'behind' || asked === text)) void plan.refetch();
    if (of === 'text') setAsked(text);
    choose({ of });
  };
  const outdated = chosen.of === 'text' && asked !== text;
  return (
    <div className="editor">
      <ChangeToPlan {...{ namespace, list, drafting, planIt }} busy={plan.isFetching} />
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
                <ImpactOfChange plan={made} />
                {!outdated && made.id !== null && made.changes > 0 && (
                  <StartRollOut
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

interface ChangeToPlanProps {
  readonly namespace: string;
  readonly list: InventoryList;
  readonly drafting: Drafting;
  readonly planIt: (of: 'behind' | 'text') => void;
  /** A plan is being made. */
  readonly busy: boolean;
}

/** What is behind, or a text. */
function ChangeToPlan({ namespace, list, drafting, planIt, busy }: ChangeToPlanProps) {
  const { text } = drafting.draft;
  const behind = list.clusters.filter(({ state }) => state === 'behind' || state === 'missing').length;
  return (
    <div>
      <p>
        <button type="button" disabled={busy || behind === 0} onClick={() => planIt('behind')}>
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
        <button type="button" className="main" disabled={text.trim() === '' || busy} onClick={() => planIt('text')}>
          {busy ? 'Planning …' : 'Plan this change'}
        </button>{' '}
        <CopyCommand command={commands.planInventoryFile(namespace)} />
      </p>
    </div>
  );
}
