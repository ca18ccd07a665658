/** Validates machine groups: every fault of form and every broken rule at once, and warnings, at their places in the document. */
import { dnsForm } from '#domain/naming.ts';
import { isMap } from '../../json.ts';
import { withoutAccepted } from '../faults/accepted-warnings.ts';
import { sizeFaults } from '../faults/document-size.ts';
import { error, type Fault, pathText } from '../faults/fault.ts';
import { inDocumentOrder, withoutEmptyFields, withoutServerFields } from '../faults/kubernetes-document.ts';
import { placeholderPaths, withPlaceholders } from '../faults/placeholders.ts';
import { type SchemaFaults, schemaFaults } from '../faults/schema-faults.ts';
import type { ValidationContext } from '../rules/manifest-index.ts';
import type { InputManifest } from '../schema/input-manifest.ts';
import { brokenRules, follows, machineRules } from '../validate-manifest.ts';
import {
  draftOfGroups,
  MachineOfPlugin,
  machineOfPlugin,
  manifestOfGroups,
  placeInGroups,
} from './groups-as-manifest.ts';
import {
  CreatedGroup,
  MachineGroups,
  MachineGroupsFrame,
  noNetwork,
  PluginGroup,
  StaticGroup,
} from './machine-groups.ts';
import { emptyGroups, type GroupKind, type PlacedGroup, placedGroups } from './placed-groups.ts';
import { pluginConflicts } from './plugin-providers.ts';
import { readPlugin } from './plugins.ts';
import { updateFaults } from './update-faults.ts';

export interface GroupsVerdict {
  /** The document with its defaults; absent when there are faults. */
  readonly document?: MachineGroups;
  /** What it means, as a manifest. */
  readonly manifest?: InputManifest;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

export const groupSchemas = {
  created: CreatedGroup,
  static: StaticGroup,
  plugin: PluginGroup,
} as const satisfies Record<GroupKind, unknown>;

/** Validates one document alone and with what is known of its context. Never throws. */
export function validateMachineGroups(document: unknown, context: ValidationContext): GroupsVerdict {
  const vast = sizeFaults(document);
  if (vast.length > 0) return { faults: vast, warnings: [] };
  const stripped = withoutEmptyFields(withoutServerFields(document));
  const spec = isMap(stripped) && isMap(stripped.spec) ? stripped.spec : {};
  const { groups, faults: tree } = spec.groups === undefined ? noGroups : placedGroups(spec.groups);
  const frame = schemaFaults(MachineGroupsFrame, stripped);
  const ofGroups = groups.map(groupFaults);
  const form = [
    ...frame.faults.filter(({ path }) => tree.every((fault) => fault.path !== path)),
    ...tree,
    ...emptyGroups(rawGroups(document), ['spec', 'groups']),
    ...ofGroups.flatMap(({ faults }) => faults),
  ];
  const intended = new Set([...frame.intended, ...ofGroups.flatMap((one) => [...one.intended])]);
  const places = new Set(form.map(({ path }) => path));
  const { manifest, places: inManifest } = draftOfGroups(isMap(stripped) ? stripped : {}, groups);
  const frameFaults = frame.faults.map(({ path }) => path);
  const broken = brokenRules(manifest, {
    rules: machineRules,
    faultPaths: frameFaults,
    context,
    machinesOnly: true,
  })
    .map((fault) => inWordsOfGroups(fault, inManifest))
    .concat(groups.filter(({ kind }) => kind === 'plugin').flatMap((group) => readPlugin(group).faults))
    .concat(pluginConflicts(Array.isArray(spec.providers) ? spec.providers : [], groups))
    .concat(nameFaults(stripped, groups))
    .concat(meshFaults(spec))
    .concat(updateFaults(spec.providers, groups))
    .filter(({ path }) => !places.has(path) && !follows(path, { places, intended }));
  const all = inDocumentOrder(stripped, withPlaceholders(unique([...form, ...broken]), placeholderPaths(stripped)));
  const faults = all.filter(({ severity }) => severity === 'error');
  const warnings = withoutAccepted(
    stripped,
    all.filter(({ severity }) => severity === 'warning'),
  );
  const parsed = MachineGroups.safeParse(stripped);
  if (faults.length > 0 || !parsed.success) return { faults, warnings };
  return { document: parsed.data, manifest: manifestOfGroups(parsed.data), faults, warnings };
}

/** Rules speak of the manifest that the document stands for, which its author does not see. */
function inWordsOfGroups(fault: Fault, places: Parameters<typeof placeInGroups>[1]): Fault {
  const inDocument = (text: string) => text.replaceAll(placesOfPools, (place) => placeInGroups(place, places));
  return {
    ...fault,
    path: placeInGroups(fault.path, places),
    reason: inDocument(fault.reason),
    ...(fault.fix !== undefined && { fix: inDocument(fault.fix) }),
  };
}

const placesOfPools = /spec\.nodePools\.(?:dynamic|static)\[\d+\](?:\.\w+(?:\[\d+\])?)*/g;

/** Before fields without a value are left out. */
function rawGroups(document: unknown): unknown {
  return isMap(document) && isMap(document.spec) ? document.spec.groups : undefined;
}

const noGroups = { groups: [], faults: [] };

/** At the places of the whole document. */
function groupFaults(group: PlacedGroup): SchemaFaults {
  const { kind, names, value } = group;
  const { faults, intended } = schemaFaults(groupSchemas[kind], value);
  const place = pathText(['spec', 'groups', ...names]);
  const inside = (path: string) => (path === '' || path.startsWith('[') ? place + path : `${place}.${path}`);
  return {
    faults: [...faults.map((fault) => ({ ...fault, path: inside(fault.path) })), ...propertyFaults(group)],
    intended: new Set([...intended].map(inside)),
  };
}

/** What the properties of a plugin leave out, or have in another form. */
function propertyFaults(group: PlacedGroup): readonly Fault[] {
  if (group.kind !== 'plugin' || readPlugin(group).type === undefined) return [];
  const { machine, places } = machineOfPlugin(group);
  const { faults } = schemaFaults(MachineOfPlugin, machine);
  return faults.map((fault) => ({ ...fault, path: placeInGroups(fault.path, places) }));
}

/** Together they are a part of each host name, which has 63 characters at most. */
const mostLetters = 43;

function nameFaults(document: unknown, groups: readonly PlacedGroup[]): readonly Fault[] {
  const metadata = isMap(document) && isMap(document.metadata) ? document.metadata : {};
  const own = typeof metadata.name === 'string' ? dnsForm(metadata.name).length : 0;
  if (own > 28) {
    const reason = `has ${own} characters; it begins the name of every machine and may have 28`;
    return [error(['metadata', 'name'], reason, 'shorten it')];
  }
  return groups
    .filter(({ pool }) => own + pool.length > mostLetters)
    .map(({ names, pool }) => {
      const reason = `names of machines would be too long: "${pool}" and the name of the document have ${own + pool.length} characters, ${mostLetters} fit`;
      return error(['spec', 'groups', ...names], reason, 'shorten one of the names');
    });
}

/** Load balancers reach machines under their addresses in the mesh. */
function meshFaults(spec: Readonly<Record<string, unknown>>): readonly Fault[] {
  const balancers = isMap(spec.loadBalancers) ? spec.loadBalancers.clusters : [];
  if (spec.network !== noNetwork || !Array.isArray(balancers) || balancers.length === 0) return [];
  const reason = 'load balancers reach the machines over the mesh, and these groups have no mesh';
  return [error(['spec', 'network'], reason, `leave out "network: ${noNetwork}", or the load balancers`)];
}

function unique(faults: readonly Fault[]): readonly Fault[] {
  return [...new Map(faults.map((fault) => [`${fault.path} ${fault.reason}`, fault])).values()];
}
