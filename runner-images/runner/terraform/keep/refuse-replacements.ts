/** Refuses what Terraform would do to machines that the plan of the waypoint keeps: to replace or to delete them. */
import { listed } from '#domain/words.ts';
import { StageFailure } from '../../stage-failure.ts';
import { nodeOfAddress } from '../cli/addresses.ts';
import type { Message } from '../cli/messages.ts';
import type { ResourceChange } from '../cli/terraform-cli.ts';

type Planned = Extract<Message, { type: 'planned_change' }>['change'];

/**
 * Reasons of Terraform for a replacement that was asked for: by a hook that found the machine gone, or because its creation was
 * interrupted and it is no machine yet.
 */
const askedFor = ['requested', 'tainted'];

const joins = /(attach|attachment|association|associate|attached_disk|_rule|_member)(_v\d)?$/;

/** Whether resources of the type only join a machine to something else: recreating one leaves the machine as it is. */
export function joinsOnly(type: string): boolean {
  return joins.test(type);
}

/** Changes that end a machine which is kept, by the messages of a plan: whether it is worth to read the plan itself. */
export function suspectChanges(messages: readonly Message[], kept: ReadonlySet<string>): readonly Planned[] {
  return plannedChanges(messages).filter(({ action, reason = '', resource }) => {
    const ends = isRemoval(action) || (action === 'replace' && !askedFor.includes(reason));
    return ends && nodeOfAddress(resource.addr, kept) !== undefined;
  });
}

/** Those suspects that are machines or are on machines, without resources that only attach a machine to something. */
export function refusedChanges(
  suspects: readonly Planned[],
  changes: readonly ResourceChange[],
): readonly ResourceChange[] {
  const addresses = new Set(suspects.map(({ resource }) => resource.addr));
  return changes.filter(({ address, type }) => addresses.has(address) && !joinsOnly(type));
}

/** Addresses of what a plan only removes, and no machine that is kept has. */
export function removedOnly(messages: readonly Message[], kept: ReadonlySet<string>): readonly string[] {
  const removed = plannedChanges(messages).filter(({ action }) => isRemoval(action));
  return removed.flatMap(({ resource: { addr } }) => (nodeOfAddress(addr, kept) === undefined ? [addr] : []));
}

const isRemoval = (action: Planned['action']): boolean => action === 'delete' || action === 'remove';

function plannedChanges(messages: readonly Message[]): readonly Planned[] {
  return messages.flatMap((message) => (message.type === 'planned_change' ? [message.change] : []));
}

/** Names the machines, and for each what Terraform gives as the reason. */
export function replacementRefused(
  provider: string,
  refused: readonly ResourceChange[],
  kept: ReadonlySet<string>,
): StageFailure {
  const byNode = Map.groupBy(refused, ({ address }) => nodeOfAddress(address, kept) ?? address);
  const texts = [...byNode].map(([node, changes]) => `${node} (${listed(changes.map(reasonOf), 4)})`);
  const [first = ''] = byNode.keys();
  return new StageFailure({
    class: 'user',
    code: 'ReplacementRefused',
    message: `Terraform would replace or delete machines of provider ${provider} that the plan keeps: ${listed(texts, 20)}. Nothing of this provider was changed.`,
    resource: first,
    hint: 'Someone changed these machines, or a template or image changed their configuration. Undo that; or replace the machines deliberately: `kubeloom replace NAME NODE`, or `--allow-replace POOL` with the changed manifest; or let `kubeloom drift NAME --repair` recreate them.',
  });
}

/** "hcloud_server: location" */
function reasonOf({ type, actions, replacePaths, reason }: ResourceChange): string {
  if (replacePaths.length > 0) return `${type}: ${replacePaths.join(', ')}`;
  const what = actions.includes('create') ? 'replaced' : 'deleted';
  return reason === undefined ? `${type}: ${what}` : `${type}: ${what}, ${reason}`;
}
