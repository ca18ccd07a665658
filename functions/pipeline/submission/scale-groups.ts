/** Sizes of machine groups: the next generation of the document, with these sizes and nothing else changed. */
import type { ManifestRecord } from '#contracts/records.ts';
import { isMap } from '#domain/json.ts';
import { placedGroups } from '#domain/manifest/groups/placed-groups.ts';
import { shown } from '#domain/manifest/schema/names.ts';
import { counted, listed } from '#domain/words.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { refuseInventoryOwned } from '../inventory/manifest-owner.ts';
import { type Submitted, submitDocument } from './submit-document.ts';

export interface GroupSizes {
  readonly stored: ManifestRecord;
  readonly caller: AdmittedCaller;
  /** By the path of the group with `-` between names, as in the names of its machines. */
  readonly sizes: Readonly<Record<string, number>>;
}

export function hasMachineGroups({ document }: Pick<ManifestRecord, 'document'>): boolean {
  return isMap(document) && document.kind === 'MachineGroups';
}

/** Why these groups have no such size; what the document says against a size is not among it. */
export function groupSizeFaults({ document }: Pick<ManifestRecord, 'document'>, sizes: GroupSizes['sizes']) {
  const groups = groupsIn(structuredClone(document));
  const sized = groups.filter(({ kind }) => kind !== 'static').map(({ pool }) => pool);
  return Object.keys(sizes).flatMap((name) => {
    const group = groups.find(({ pool }) => pool === name);
    const fault = (reason: string, fix: string) => [{ path: `sizes.${name}`, reason, fix }];
    if (group === undefined)
      return fault(
        `the document has no group of machines ${shown(name)}`,
        `name one of ${listed(sized, 20) || 'none'}`,
      );
    if (group.kind !== 'static') return [];
    return fault(`the group ${shown(name)} has machines of your own`, 'add or remove machines in the document');
  });
}

/** Judged as a document that is put: it may need an approval, too. */
export async function scaleGroups(deps: ApiPorts, { stored, caller, sizes }: GroupSizes): Promise<Submitted> {
  const document = structuredClone(stored.document);
  for (const { pool, value } of groupsIn(document)) {
    const { [pool]: size } = sizes;
    // Its values are those of the copy.
    if (size !== undefined) Object.assign(value, { size });
  }
  await refuseInventoryOwned(deps, stored, [document]);
  const words = Object.entries(sizes).map(([group, size]) => `${group} to ${counted(size, 'machine')}`);
  const reason = `scaled: ${listed(words, 20)}`;
  return submitDocument(deps, stored, { document, stored, caller, reason });
}

function groupsIn(document: unknown) {
  const spec = isMap(document) && isMap(document.spec) ? document.spec : {};
  return placedGroups(spec.groups).groups;
}
