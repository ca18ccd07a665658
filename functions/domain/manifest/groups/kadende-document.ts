/** A document of Kadende as it is written, `version`, `name` and `groups` without a `kind`: as machine groups. */
import { dnsForm } from '#domain/naming.ts';
import { isMap } from '../../json.ts';

/** Fields that have no place here are kept under these names. */
const keptAs = (field: string): string => `kadende.io/${field}`;
const kept = ['name', 'version', 'id'] as const;

/** Undefined for any other document. */
export function fromKadende(document: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isMap(document) || 'kind' in document || 'apiVersion' in document) return undefined;
  if (!('groups' in document) || !('version' in document)) return undefined;
  const { version, name, id, groups, ...more } = document;
  const given = { version, name, id };
  const annotations = kept.flatMap((field) =>
    given[field] === undefined ? [] : [[keptAs(field), String(given[field])]],
  );
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'MachineGroups',
    metadata: {
      ...(name !== undefined && { name: typeof name === 'string' ? dnsForm(name) : name }),
      annotations: Object.fromEntries(annotations),
    },
    spec: { groups: asMap(groups) },
    // What it does not know is reported under its own name.
    ...more,
  };
}

/** Groups are a map, or a list of maps that have names, each its own. */
function asMap(groups: unknown): unknown {
  if (!Array.isArray(groups) || !groups.every((group) => isMap(group) && typeof group.name === 'string')) return groups;
  if (new Set(groups.map(({ name }) => name)).size < groups.length) return groups;
  return Object.fromEntries(groups.map(({ name, ...group }) => [name, group]));
}

/** A path of the machine groups, in the document of Kadende. */
export function kadendePath(path: string): string {
  return path.replace(/^spec\.groups/, 'groups').replace(/^metadata\.name$/, 'name');
}
