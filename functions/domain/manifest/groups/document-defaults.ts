/** Defaults of the fields of a document, whatever kind of manifest it is. */
import { defaultAt } from '../faults/schema-places.ts';
import { InputManifest } from '../schema/input-manifest.ts';
import { isGroups } from './groups-as-manifest.ts';
import { MachineGroupsFrame } from './machine-groups.ts';
import { placedGroups } from './placed-groups.ts';
import { groupSchemas } from './validate-machine-groups.ts';

/** The value of the field at a path when it is left out; undefined when no default is known. */
export type DefaultAt = (path: readonly PropertyKey[]) => { readonly value: unknown } | undefined;

export function defaultsOf(document: unknown): DefaultAt {
  if (!isGroups(document)) return (path) => defaultAt(InputManifest, path);
  const { groups } = placedGroups((document.spec as Readonly<Record<string, unknown>> | undefined)?.groups);
  const places = groups.map(({ kind, names }) => ({ kind, place: ['spec', 'groups', ...names] }));
  return (path) => {
    const group = places.find(({ place }) => place.every((part, index) => path[index] === part));
    return group
      ? defaultAt(groupSchemas[group.kind], path.slice(group.place.length))
      : defaultAt(MachineGroupsFrame, path);
  };
}
