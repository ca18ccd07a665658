/** Which of the listed machines no one knows. */
import type { ListedThing } from '../listing/listing.ts';
import type { StateResource } from './terraform-cli.ts';

interface Known {
  /** Names of nodes of the cluster. */
  readonly nodes: ReadonlySet<string>;
  /** All that Terraform's state has of the instance. */
  readonly resources: readonly StateResource[];
}

/**
 * Those whose id the state does not have, and whose name no node has, or a node whose machine the state has: that is another one. A
 * machine that an interrupted apply made of a node that has none yet is no stray. Nor is one with the name of a node while the listing
 * has no machine of the state's: then its ids may have another form, and no double is proven.
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
