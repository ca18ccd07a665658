/** A change of an inventory that someone proposed, as it would be carried out now. */
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { commands } from '../../model/commands.ts';
import { may } from '../../model/rights.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { DiffView } from '../../parts/diff-view.tsx';
import type { PlaceInInventory } from '../../parts/inventory-frame.tsx';
import { CostOfProposal, ProposedBy } from '../../parts/proposed-by.tsx';
import { Answered } from '../../parts/states.tsx';
import { Sign } from '../../parts/status.tsx';
import { useWhoAmI } from '../../queries.ts';
import { go, hrefOf } from '../../routes.ts';
import { ImpactOfChange } from './impact.tsx';
import { StartRollOut } from './start-roll-out.tsx';

export function ProposedChange({ namespace, chosen, id }: PlaceInInventory & { readonly id: string }) {
  const me = useWhoAmI();
  const plan = useQuery({
    queryKey: ['inventory-plan', namespace, 'proposed', id],
    queryFn: ({ signal }) =>
      ask('GET /v1/inventory/{namespace}/plans/{plan}', { params: { namespace, plan: id }, signal }),
    refetchOnWindowFocus: false,
  });
  const choose = (change: Readonly<Record<string, string>>): void =>
    go(hrefOf(['inventory', namespace, 'plan'], { ...chosen, ...change }), { replace: true });
  return (
    <Answered of={plan} what="the plan">
      {(made) => {
        const { proposed } = made;
        const { waves = [], soak = '', maxFailed = '' } = proposed.settings;
        const settings = { waves: waves.join(','), soak, maxFailed: String(maxFailed) };
        return (
          <section className="card" aria-label={`Plan ${id.slice(0, 8)}`}>
            <p className="card-title">
              <Sign tone="warn" word="Proposed" /> <ProposedBy plan={{ ...proposed, reason: 'roll-out' }} />
              <CostOfProposal difference={made.costOfMonth?.difference} /> <strong>{proposed.summary}</strong>
            </p>
            {proposed.diff === '' ? (
              <p className="dim">No document changes: what is stored is brought to the clusters that are behind.</p>
            ) : (
              <details open>
                <summary>What changes in the documents</summary>
                <DiffView patch={proposed.diff} title="Stored and proposed, line by line" />
              </details>
            )}
            <ImpactOfChange plan={made} />
            {made.id !== id ? (
              <p className="notice warn">
                <span aria-hidden="true">!</span> Something moved since it was proposed: it has to be proposed again.
              </p>
            ) : may(me.data, 'approver', namespace) ? (
              <StartRollOut
                key={id}
                {...{ plan: made, id, body: '', choose, started: () => undefined }}
                {...{ chosen: { ...settings, ...chosen }, proposed: true }}
              />
            ) : (
              <p className="dim">Someone with the role approver can start it, here or with the command.</p>
            )}
            <CopyCommand command={commands.approveRollOut(namespace, id)} />
          </section>
        );
      }}
    </Answered>
  );
}
