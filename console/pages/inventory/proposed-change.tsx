/** A change of an inventory that someone proposed, as it would be carried out now. */
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { commands } from '../../model/commands.ts';
import { mayApprovePlan } from '../../model/rights.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { DiffView } from '../../parts/diff-view.tsx';
import type { PlaceInInventory } from '../../parts/inventory-frame.tsx';
import { CostOfProposal, EndOfProposal, ProposedBy } from '../../parts/proposed-by.tsx';
import { RejectPlan } from '../../parts/reject-plan.tsx';
import { Answered } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
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
        const ended = proposed.approved !== undefined || proposed.closed !== undefined;
        const { waves = [], soak = '', maxFailed = '' } = proposed.settings;
        const settings = { waves: waves.join(','), soak, maxFailed: String(maxFailed) };
        return (
          <section className="card" aria-label={`Plan ${id.slice(0, 8)}`}>
            <p className="card-title">
              <Status of={proposed.state} /> <ProposedBy plan={{ ...proposed, reason: 'roll-out' }} />
              <CostOfProposal difference={made.costOfMonth?.difference} /> <strong>{proposed.summary}</strong>{' '}
              <EndOfProposal plan={proposed} />
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
            {ended ? null : made.id !== id ? (
              <p className="notice warn">
                <span aria-hidden="true">!</span> Something moved since it was proposed: it has to be proposed again.
              </p>
            ) : mayApprovePlan(me.data, namespace, proposed) ? (
              <StartRollOut
                key={id}
                {...{ plan: made, id, body: '', choose, started: () => undefined }}
                {...{ chosen: { ...settings, ...chosen }, proposed: true }}
              />
            ) : (
              <p className="dim">Someone with the role approver can start it, here or with the command.</p>
            )}
            {!ended && (
              <>
                <CopyCommand command={commands.approveRollOut(namespace, id)} />
                <RejectPlan
                  namespace={namespace}
                  by={proposed.by}
                  send={(body) =>
                    ask('POST /v1/inventory/{namespace}/plans/{plan}/reject', { params: { namespace, plan: id }, body })
                  }
                />
              </>
            )}
          </section>
        );
      }}
    </Answered>
  );
}
