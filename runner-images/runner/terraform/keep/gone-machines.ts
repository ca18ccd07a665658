/** Machines that are gone and that a waypoint leaves so, as the messages of a plan show them. Pure. */
import type { Reported } from '#domain/event-kinds.ts';
import { StageFailure } from '../../stage-failure.ts';
import { nodeOfAddress, typeOfAddress } from '../cli/addresses.ts';
import type { Message } from '../cli/messages.ts';
import type { ResourceChange } from '../cli/terraform-cli.ts';
import { joinsOnly } from './refuse-replacements.ts';

/** Those of the nodes for which a plan creates more than what only joins their machines to something. */
export function recreatedIn(messages: readonly Message[], nodes: ReadonlySet<string>): ReadonlySet<string> {
  const machines = addressesOf(messages, 'create').filter((address) => !joinsOnly(typeOfAddress(address)));
  const created = machines.map((address) => nodeOfAddress(address, nodes));
  return new Set(created.filter((name) => name !== undefined));
}

/** Addresses of what a plan creates and none of these nodes has. */
export function createdOfOthers(messages: readonly Message[], nodes: ReadonlySet<string>): readonly string[] {
  return addressesOf(messages, 'create').filter((address) => nodeOfAddress(address, nodes) === undefined);
}

/** The first of these nodes that a plan changes in place. */
export function changedIn(messages: readonly Message[], nodes: ReadonlySet<string>): string | undefined {
  const changed = addressesOf(messages, 'update').map((address) => nodeOfAddress(address, nodes));
  return changed.find((name) => name !== undefined);
}

function addressesOf(messages: readonly Message[], action: 'create' | 'update'): readonly string[] {
  return messages.flatMap((message) =>
    message.type === 'planned_change' && message.change.action === action ? [message.change.resource.addr] : [],
  );
}

/** A plan changes in place what a machine that is gone had: the cloud would not know what to change. */
export function machineGone(manifest: string, node: string): StageFailure {
  return new StageFailure({
    class: 'user',
    code: 'MachineGone',
    message: `The change would change the machine of ${node} in place, but that machine is gone. Nothing of its provider was changed.`,
    resource: node,
    hint: `Replace the node: \`kubeloom replace ${manifest} ${node}\`; the change is made afterwards.`,
  });
}

/** Those of which nothing exists any more. What remains of the others, such as a disk, would be deleted without their machine. */
export function absentMachines(changes: readonly ResourceChange[], nodes: ReadonlySet<string>): ReadonlySet<string> {
  const remains = changes.flatMap(({ address, type, actions }) =>
    actions.join() === 'create' || joinsOnly(type) ? [] : [nodeOfAddress(address, nodes)],
  );
  return new Set([...nodes].filter((name) => !remains.includes(name)));
}

export function leftGoneEvent(node: string): Reported<'NodeLeftOut'> {
  const message = `the machine of ${node}, or a part of it, is gone: this change does not recreate it, healing or its replacement does`;
  return { kind: 'NodeLeftOut', message, node };
}
