/** Which of the listed machines no one knows. */
import type { ListedThing } from '../../listing/listing.ts';
import type { StateResource } from '../cli/terraform-cli.ts';

interface Known {
  /** Names of nodes of the cluster. */
  readonly nodes: ReadonlySet<string>;
  /** All that Terraform's state has of the instance. */
  readonly resources: readonly StateResource[];
}

/**
 * A listed machine is a stray if the state does not have its id, and either no node has its name or the state has another machine
 * for that node. A machine that an interrupted apply created for a node without a machine is not a stray. A machine with the name of a
 * node is not a stray either while the listing has no machine of the state: the ids may have another form, so nothing is proven.
 */
export function strayMachines<Item extends Pick<ListedThing, 'id' | 'name' | 'stateId'> & { readonly kind: string }>(
  listed: readonly Item[],
  { nodes, resources }: Known,
): readonly Item[] {
  const machines = listed.filter(({ kind }) => kind === 'machine');
  const ids = new Set(resources.flatMap(({ values }) => (values?.id === undefined ? [] : [plain(values.id)])));
  const names = new Set([...nodes, ...resources.map(({ index }) => String(index))]);
  const seen = new Set(machines.map(({ stateId, id, name }) => JSON.stringify([name, plain(stateId ?? id)])));
  const machineTypes = new Set(
    resources.flatMap(({ type, index, values }) =>
      values?.id !== undefined && seen.has(JSON.stringify([index, plain(values.id)])) ? [type] : [],
    ),
  );
  const made = new Set(
    resources.flatMap(({ type, index, values }) =>
      values?.id !== undefined && machineTypes.has(type) ? [String(index)] : [],
    ),
  );
  return machines.filter(
    ({ id, stateId = id, name }) => !ids.has(plain(stateId)) && (!names.has(name) || made.has(name)),
  );
}

/** Azure answers the same id in large and small letters. */
const plain = (id: string): string => id.toLowerCase();
