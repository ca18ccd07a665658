/** Machines that are gone and that a waypoint leaves so: healing decides about them, or they are being replaced. */

import type { StageContext } from '../../stage-context.ts';
import { StageFailure } from '../../stage-failure.ts';
import { nodeOfAddress, typeOfAddress } from '../cli/addresses.ts';
import type { Message } from '../cli/messages.ts';
import type { ResourceChange, TerraformCli } from '../cli/terraform-cli.ts';
import { joinsOnly, keptNodes } from './refuse-replacements.ts';

/** Names of the nodes that the waypoint keeps, and does not recreate if their machines are gone. */
export function keptWhenGone(context: StageContext): ReadonlySet<string> {
  const kept = keptNodes(context);
  return new Set((context.document.notRecreated ?? []).filter((name) => kept.has(name)));
}

/** Those of the nodes for which a plan creates more than what only joins their machines to something. */
export function recreatedIn(messages: readonly Message[], nodes: ReadonlySet<string>): ReadonlySet<string> {
  const machines = createdIn(messages).filter((address) => !joinsOnly(typeOfAddress(address)));
  const created = machines.map((address) => nodeOfAddress(address, nodes));
  return new Set(created.filter((name) => name !== undefined));
}

/**
 * Forgets what the state records, a plan that asked the cloud creates again, and is not of these nodes: a plan that does not ask the
 * cloud creates it, too. An apply of the first plan would forget the same.
 */
export async function forgetOthers(
  terraform: Pick<TerraformCli, 'resources' | 'forget'>,
  messages: readonly Message[],
  nodes: ReadonlySet<string>,
): Promise<void> {
  const others = createdIn(messages).filter((address) => nodeOfAddress(address, nodes) === undefined);
  if (others.length === 0) return;
  const recorded = new Set((await terraform.resources()).map(({ address }) => address));
  const lost = others.filter((address) => recorded.has(address));
  if (lost.length > 0) await terraform.forget(lost);
}

function createdIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) =>
    message.type === 'planned_change' && message.change.action === 'create' ? [message.change.resource.addr] : [],
  );
}

/** Throws `MachineGone` if a plan changes in place what a machine that is gone had: the cloud would not know what to change. */
export function refuseChangesOf(
  { document, mode }: StageContext,
  messages: readonly Message[],
  gone: ReadonlySet<string>,
): void {
  const changed = messages.flatMap((message) =>
    message.type === 'planned_change' && message.change.action === 'update'
      ? [nodeOfAddress(message.change.resource.addr, gone)]
      : [],
  );
  const [node] = changed.filter((name) => name !== undefined);
  if (node === undefined || mode === 'undo') return;
  throw new StageFailure({
    class: 'user',
    code: 'MachineGone',
    message: `The change would change the machine of ${node} in place, but that machine is gone. Nothing of its provider was changed.`,
    resource: node,
    hint: `Replace the node: \`kubeloom replace ${document.manifest} ${node}\`; the change is made afterwards.`,
  });
}

/** Those of which nothing exists any more. What remains of the others, such as a disk, would be deleted without their machine. */
export function absentMachines(changes: readonly ResourceChange[], nodes: ReadonlySet<string>): ReadonlySet<string> {
  const remains = changes.flatMap(({ address, type, actions }) =>
    actions.join() === 'create' || joinsOnly(type) ? [] : [nodeOfAddress(address, nodes)],
  );
  return new Set([...nodes].filter((name) => !remains.includes(name)));
}

export function reportLeftGone({ emit }: StageContext, nodes: ReadonlySet<string>): void {
  for (const node of nodes) {
    const message = `the machine of ${node}, or a part of it, is gone: this change does not recreate it, healing or its replacement does`;
    emit({ kind: 'NodeLeftOut', message, node });
  }
}
