/** The groups of machines in a tree of groups: each with its path, and what is wrong with the tree. */
import { dnsForm } from '#domain/naming.ts';
import { isMap } from '../../json.ts';
import { error, type Fault } from '../faults/fault.ts';
import { shown } from '../schema/names.ts';
import { maxDepth, maxGroups } from './machine-groups.ts';

/** `created`: by a provider of the document; `plugin`: by one that the group names itself; `static`: they exist already. */
export type GroupKind = 'created' | 'static' | 'plugin';

export interface PlacedGroup {
  readonly kind: GroupKind;
  /** Names from the root down. */
  readonly names: readonly string[];
  /** Name of its pool: `batch-small`. */
  readonly pool: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** What makes a map a group of machines, and of which kind. */
const marks: Readonly<Record<string, GroupKind>> = {
  resourcePlugin: 'plugin',
  nodes: 'static',
  providerSpec: 'created',
  size: 'created',
  serverType: 'created',
};
/** Fields whose values are maps: they are no groups, whatever is in them. */
const mapFields = [
  ...['resourcePlugin', 'resourceProperties', 'providerSpec', 'machineSpec', 'properties'],
  ...['labels', 'repair'],
];
const fields = [
  'image',
  'boot',
  'openPorts',
  'health',
  'update',
  'labels',
  'repair',
  'protect',
  'resourceProperties',
  'spot',
  'sshPort',
];
const nameForm = /^[A-Za-z0-9]([-\w]*[A-Za-z0-9])?$/;

/** Never throws; groups whose form is not clear are faults, all others are there. */
export function placedGroups(groups: unknown): {
  readonly groups: readonly PlacedGroup[];
  readonly faults: readonly Fault[];
} {
  const found: PlacedGroup[] = [];
  const faults: Fault[] = [];
  walk(groups, [], { found, faults });
  if (found.length > maxGroups) {
    const reason = `there are ${found.length} groups, at most ${maxGroups} are accepted`;
    return { groups: [], faults: [error(['spec', 'groups'], reason, 'use a second document')] };
  }
  return { groups: found, faults };
}

interface Found {
  readonly found: PlacedGroup[];
  readonly faults: Fault[];
}

function walk(value: unknown, names: readonly string[], into: Found): void {
  const path = ['spec', 'groups', ...names];
  const refuse = (reason: string, fix: string) => into.faults.push(error(path, reason, fix));
  const [name] = names.slice(-1);
  if (name !== undefined && !nameForm.test(name)) {
    refuse(
      `${shown(name)} is not a name`,
      'use letters, digits, "-" and "_", beginning and ending with a letter or digit',
    );
    return;
  }
  if (Array.isArray(value) && names.length === 0) {
    const given = value.map((group) => (isMap(group) ? group.name : undefined));
    const twice = given.find((one, at) => typeof one === 'string' && given.indexOf(one) < at);
    const nameless = given.some((one) => typeof one !== 'string');
    if (nameless) refuse('is a list in which a group has no name', 'write groups by their names, as a map');
    else if (twice === undefined) refuse('is a list', 'write groups by their names, as a map');
    else refuse(`has the name ${shown(twice)} twice`, 'give each group a name of its own');
    return;
  }
  if (!isMap(value)) {
    refuse('is not a map', 'write the fields of the group, or groups, below it');
    return;
  }
  const keys = Object.keys(value);
  const mark = keys.find((key) => Object.hasOwn(marks, key) && !isChild(key, value[key]));
  if (mark === undefined) {
    const loose = keys.filter((key) => fields.includes(key) && !isChild(key, value[key]));
    if (keys.length === 0 || loose.length > 0) {
      const has = keys.length === 0 ? 'is empty' : `has ${loose.join(', ')}, but neither machines nor groups`;
      refuse(has, 'give it size and providerSpec, or nodes, or groups below it');
      return;
    }
    if (names.length >= maxDepth) {
      refuse(`groups are more than ${maxDepth} deep`, 'use fewer levels');
      return;
    }
    for (const key of keys) walk(value[key], [...names, key], into);
    return;
  }
  const children = keys.filter((key) => isChild(key, value[key]));
  if (children.length > 0) {
    refuse(
      `has machines (${mark}) and the group ${shown(children[0])}`,
      'a group has machines or groups: move the machines into a group of their own',
    );
    return;
  }
  if (names.length === 0) refuse('are the fields of a group', 'give the group a name and write them below it');
  else into.found.push({ kind: kindOf(keys), names, pool: dnsForm(names.join('-')), value });
}

/** Names with nothing below: left out they would mean that their machines are to be removed. */
export function emptyGroups(value: unknown, path: readonly string[]): readonly Fault[] {
  if (!isMap(value) || Object.keys(value).some((key) => Object.hasOwn(marks, key) && !isChild(key, value[key])))
    return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = [...path, key];
    if (inner !== null) return emptyGroups(inner, here);
    if (fields.includes(key) || mapFields.includes(key)) return [];
    return [error(here, 'is empty', 'remove the group to have no machines, or give it size and providerSpec')];
  });
}

function kindOf(keys: readonly string[]): GroupKind {
  for (const [key, kind] of Object.entries(marks)) if (keys.includes(key)) return kind;
  return 'created';
}

function isChild(key: string, value: unknown): boolean {
  return !mapFields.includes(key) && isGroup(value);
}

/** A map that holds machines, at some depth. */
function isGroup(value: unknown, depth = 0): boolean {
  if (!isMap(value) || depth > maxDepth) return false;
  const keys = Object.keys(value);
  if (keys.some((key) => ['size', 'resourcePlugin', 'providerSpec'].includes(key))) return true;
  if (Array.isArray(value.nodes)) return true;
  return keys.some((key) => !mapFields.includes(key) && isGroup(value[key], depth + 1));
}
