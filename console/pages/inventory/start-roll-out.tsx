/** Starts the roll-out of a plan, or proposes it where an approver has to start it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { InventoryPlan } from '#contracts/inventory.ts';
import { ask } from '../../api.ts';
import { commands } from '../../model/commands.ts';
import { totalsOf } from '../../model/plan-totals.ts';
import { may } from '../../model/rights.ts';
import { CopyCommand } from '../../parts/copy-command.tsx';
import type { PlaceInInventory } from '../../parts/inventory-frame.tsx';
import { PlanForm, toBeApproved } from '../../parts/plan-form.tsx';
import { useWhoAmI } from '../../queries.ts';
import { go, hrefOf } from '../../routes.ts';

interface StartProps extends Pick<PlaceInInventory, 'chosen'> {
  readonly plan: InventoryPlan;
  readonly id: string;
  /** Documents that are stored with it; empty: none. */
  readonly body: string;
  readonly choose: (change: Readonly<Record<string, string>>) => void;
  readonly started: () => void;
  /** Someone else did; an approver starts it. @default false */
  readonly proposed?: boolean;
}

/** Waves as the order of the inventory has them, or as written here. */
export function StartRollOut({ plan, id, body, chosen, choose, started, proposed = false }: StartProps) {
  const me = useWhoAmI();
  const client = useQueryClient();
  const { waves = '', soak = '', maxFailed = '' } = chosen;
  const settings = { waves, soak, maxFailed };
  const { namespace } = plan;
  const removes = totalsOf(plan.totals).some(({ removed }) => removed > 0);
  const work = useMutation({
    mutationFn: () => {
      const query = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ''));
      const headers = { 'kubeloom-plan': id };
      return ask('POST /v1/inventory/{namespace}/rollouts', {
        params: { namespace },
        query,
        headers,
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
  const approves = may(me.data, 'approver', namespace) && (proposed || me.data?.ownApprovals !== 'refused');
  const proposes = plan.needsApproval && !approves;
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
    <PlanForm
      id={id}
      work={work}
      title={
        proposes
          ? 'Propose exactly this plan'
          : `${plan.needsApproval ? 'Approve and roll' : 'Roll'} out exactly this plan`
      }
      what="The roll-out"
      approval={
        plan.needsApproval &&
        (proposes ? toBeApproved : 'This has to be approved: with your role approver, starting it approves it.')
      }
      proposalAt={hrefOf(['inventory', namespace, 'plan'], { plan: id })}
      word={removes ? namespace : undefined}
      before={
        <>
          <div className="filters">
            {input('waves', 'Waves', '1,10%,100%')}
            {input('soak', 'watched for', '30m')}
            {input('maxFailed', 'halts when so many fail', '1')}
          </div>
          <p className="dim">
            Waves are how many clusters have the change after each: 1,10%,100% is one first, then a tenth of all, then
            all. After each wave Kubeloom watches for that long that nothing fails. When so many clusters have failed,
            no other starts. What is empty is as the inventory says.
          </p>
        </>
      }
    >
      {!proposed && <CopyCommand command={commands.startRollOut(namespace, id, { ...settings, file: body !== '' })} />}
    </PlanForm>
  );
}
