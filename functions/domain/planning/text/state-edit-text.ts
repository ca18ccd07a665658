/** An edit of a Terraform state in words: what it does, what it does not touch, and what the next run does because of it. */
import type { StateEdit } from '../../state-edit.ts';
import { counted, listed } from '../../words.ts';

/** Most addresses with a sentence of their own. */
const mostSaid = 20;

/** "the Terraform state machines-hz: 2 resources removed" */
export function stateEditTitle({ workspace, change }: Pick<StateEdit, 'workspace' | 'change'>): string {
  return `the Terraform state ${workspace}: ${doneText(change)}`;
}

/** As in "…: 2 resources removed". */
function doneText(change: StateEdit['change']): string {
  switch (change.kind) {
    case 'rm':
      return `${counted(change.addresses.length, 'resource')} removed`;
    case 'mv':
      return `${change.from} moved to ${change.to}`;
    case 'import':
      return `${change.address} imported`;
    default:
      return change satisfies never;
  }
}

/** A sentence for each thing that a person has to know before it is done. `nodes`: names of the nodes of the cluster. */
export function stateEditTexts(
  { workspace, change }: Pick<StateEdit, 'workspace' | 'change'>,
  nodes: ReadonlySet<string>,
): readonly string[] {
  const untouched = 'nothing of the cloud is created, changed or deleted by the edit itself';
  switch (change.kind) {
    case 'rm':
      return [
        ...removedTexts(change.addresses),
        ...afterRemoval(workspace, nodesIn(change.addresses, nodes)),
        untouched,
      ];
    case 'mv':
      return [
        `Terraform calls ${change.from} ${change.to} from then on`,
        `if the templates do not have ${change.to}, the next run that visits ${workspace} deletes it; it refuses that for a machine that stays`,
        untouched,
      ];
    case 'import':
      return [
        `${change.id} is managed as ${change.address} from then on`,
        `the next run that visits ${workspace} changes it to what the templates say, and it is deleted with what it belongs to`,
        untouched,
      ];
    default:
      return change satisfies never;
  }
}

function removedTexts(addresses: readonly string[]): readonly string[] {
  const rest = addresses.length - mostSaid;
  return [
    ...addresses.slice(0, mostSaid).map((address) => `Terraform no longer manages ${address}, which keeps existing`),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ];
}

function afterRemoval(workspace: string, nodes: readonly string[]): readonly string[] {
  const again = `the next run that visits ${workspace}, or a repair of drift, creates a second one of all that the templates still have, unless it is imported before; clouds that allow a name once refuse it, and a hook of the provider type may delete the first one before (local hosts)`;
  if (nodes.length === 0) return [again];
  const [machines, them] = nodes.length === 1 ? ['the machine', 'it'] : ['the machines', 'them'];
  return [
    `${machines} of ${listed(nodes, 10)} keep${nodes.length === 1 ? 's' : ''} running: drift checks find ${them} as unknown where the provider type can list machines, and stop or delete ${them} where the manifest says so (driftChecks.strays)`,
    again,
  ];
}

/** Nodes that the addresses name as instance keys. */
function nodesIn(addresses: readonly string[], nodes: ReadonlySet<string>): readonly string[] {
  const keys = addresses.flatMap((address) => [...address.matchAll(/\["([^"]+)"\]/g)].map(([, found = '']) => found));
  return [...new Set(keys)].filter((found) => nodes.has(found));
}
