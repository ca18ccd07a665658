/**
 * Machine groups as a manifest with one cluster that has machines only: all later code (rules, planner,
 * stages) knows no other form.
 */

import { isMap } from '../../json.ts';
import { pathText } from '../faults/fault.ts';
import { InputManifest, InstallationProxy, type KubernetesCluster } from '../schema/input-manifest.ts';
import type { DynamicNodePool, MachineGroupFields, StaticNodePool } from '../schema/node-pools.ts';
import { pluginType } from '../schema/provider-plugin.ts';
import { checksOf } from './group-health.ts';
import {
  CreatedGroup,
  defaultNetwork,
  type MachineGroups,
  noNetwork,
  PluginGroup,
  StaticGroup,
} from './machine-groups.ts';
import { type PlacedGroup, placedGroups } from './placed-groups.ts';
import { pluginProviderName, pluginProviders } from './plugin-providers.ts';
import { readPlugin } from './plugins.ts';

type Draft = Readonly<Record<string, unknown>>;

/** A part of the manifest, and where the document has it; the longest one that fits counts. */
export interface PlaceInGroups {
  readonly manifest: string;
  readonly document: string;
}

export interface GroupsDraft {
  /** As an InputManifest would be written, as far as the document can be read. */
  readonly manifest: Draft;
  readonly places: readonly PlaceInGroups[];
}

/** For rules, which work on documents that are not complete. Never throws. */
export function draftOfGroups(document: Draft, groups: readonly PlacedGroup[]): GroupsDraft {
  const spec = isMap(document.spec) ? document.spec : {};
  const metadata = isMap(document.metadata) ? document.metadata : {};
  const drafts = groups.map((group) => ({ group, ...poolDraft(group) }));
  const dynamic = drafts.filter(({ group }) => group.kind !== 'static');
  const statics = drafts.filter(({ group }) => group.kind === 'static');
  const given = Array.isArray(spec.providers) ? spec.providers : [];
  const made = pluginProviders(given, groups, metadata.namespace ?? 'default');
  const balancers = isMap(spec.loadBalancers) ? spec.loadBalancers : {};
  const ofBalancers = (Array.isArray(balancers.clusters) ? balancers.clusters : []).filter(isMap);
  const balancing = new Set(ofBalancers.flatMap(({ pools }) => (Array.isArray(pools) ? pools : [])));
  const cluster = {
    name: metadata.name,
    network: spec.network,
    pools: { compute: groups.map(({ pool }) => pool).filter((pool) => !balancing.has(pool)) },
  };
  return {
    manifest: {
      ...document,
      spec: {
        providers: [...given, ...made.map(({ provider }) => provider)],
        nodePools: { dynamic: dynamic.map(({ draft }) => draft), static: statics.map(({ draft }) => draft) },
        kubernetes: { clusters: [cluster] },
        loadBalancers: {
          ...balancers,
          clusters: ofBalancers.map((balancer) => ({ ...balancer, targetedK8s: metadata.name })),
        },
      },
    },
    places: [
      { manifest: 'spec.kubernetes.clusters[0].network', document: 'spec.network' },
      { manifest: 'spec.kubernetes.clusters[0].name', document: 'metadata.name' },
      { manifest: 'spec.kubernetes.clusters[0]', document: 'spec' },
      ...made.flatMap(({ group }, index) => placesOfProvider(`spec.providers[${given.length + index}]`, group)),
      ...dynamic.flatMap(({ group, places }, index) => placesOf(`spec.nodePools.dynamic[${index}]`, group, places)),
      ...statics.flatMap(({ group, places }, index) => placesOf(`spec.nodePools.static[${index}]`, group, places)),
    ],
  };
}

/** The manifest of a document that was accepted. */
export function manifestOfGroups(document: MachineGroups): InputManifest {
  const { groups } = placedGroups(document.spec.groups);
  const { manifest } = draftOfGroups(document, groups);
  const { apiVersion, metadata, spec } = document;
  const { driftChecks, deletionProtection, onTemplates, requireApproval, loadBalancers, network, protect } = spec;
  const parts = manifest.spec as { providers: unknown[]; kubernetes: { clusters: [{ pools: { compute: string[] } }] } };
  const bare = InputManifest.parse({
    apiVersion,
    kind: 'InputManifest',
    metadata,
    spec: { providers: parts.providers, driftChecks, deletionProtection, onTemplates, requireApproval },
  });
  const pools = groups.map((group) => [group, poolOf(group)] as const);
  const meshless = network === noNetwork;
  const cluster: KubernetesCluster = {
    name: metadata.name,
    version: '',
    network: meshless ? defaultNetwork : network,
    protect,
    machinesOnly: true,
    ...(meshless && { meshless }),
    installationProxy: InstallationProxy.parse({ mode: 'off' }),
    pools: { control: [], compute: parts.kubernetes.clusters[0].pools.compute },
    documents: [],
  };
  return {
    ...bare,
    spec: {
      ...bare.spec,
      nodePools: {
        dynamic: pools.flatMap(([{ kind }, pool]) => (kind === 'static' ? [] : [pool as DynamicNodePool])),
        static: pools.flatMap(([{ kind }, pool]) => (kind === 'static' ? [pool as StaticNodePool] : [])),
      },
      kubernetes: { clusters: [cluster] },
      loadBalancers: {
        roles: loadBalancers.roles,
        clusters: loadBalancers.clusters.map((balancer) => ({ ...balancer, targetedK8s: metadata.name })),
      },
    },
  };
}

/** The fields of the schema of its kind, and the additional fields of a pool of Kubernetes. */
function poolOf(group: PlacedGroup): DynamicNodePool | StaticNodePool {
  const inKubernetes = { name: group.pool, annotations: {}, taints: [] };
  switch (group.kind) {
    case 'static': {
      const { boot, health, ...rest } = StaticGroup.parse(group.value);
      return { ...inKubernetes, ...rest, ...doneOnMachines({ boot, health }) };
    }
    case 'created': {
      const { size, boot, health, repair, machineSpec, properties, ...rest } = CreatedGroup.parse(group.value);
      return {
        ...inKubernetes,
        ...rest,
        count: size,
        ...(repair && { repair }),
        ...(machineSpec && { machineSpec }),
        ...(properties && { properties }),
        ...doneOnMachines({ boot, health }),
      };
    }
    case 'plugin': {
      const {
        size,
        boot,
        health,
        repair,
        resourcePlugin: _,
        resourceProperties,
        ...rest
      } = PluginGroup.parse(group.value);
      const { providerSpec, serverType, image } = MachineOfPlugin.parse(machineOfPlugin(group).machine);
      return {
        ...inKubernetes,
        ...rest,
        count: size,
        providerSpec,
        serverType,
        image,
        storageDiskSize: 0,
        spot: false,
        ...(readPlugin(group).type === pluginType && { properties: resourceProperties }),
        ...(repair && { repair }),
        ...doneOnMachines({ boot, health }),
      };
    }
    default:
      return group.kind satisfies never;
  }
}

/** What the properties of a plugin have to say. */
export const MachineOfPlugin = CreatedGroup.pick({ providerSpec: true, serverType: true, image: true });

/** What they say, in the words of a created group, and where the group has each. */
export function machineOfPlugin(group: PlacedGroup): {
  readonly machine: Draft;
  readonly places: readonly PlaceInGroups[];
} {
  const { draft, places } = poolDraft(group);
  const { providerSpec, serverType, image } = draft;
  return { machine: { providerSpec, serverType, image }, places: placesOf('', group, places) };
}

function doneOnMachines({ boot, health }: Pick<CreatedGroup, 'boot' | 'health'>): MachineGroupFields {
  return {
    ...(boot !== undefined && { boot: scriptOf(boot) }),
    ...(health.length > 0 && { health: checksOf(health) }),
  };
}

/** Commands become a script that ends with the first one that fails. */
function scriptOf(boot: string): string {
  return boot.startsWith('#!') ? boot : `#!/bin/bash\nset -euo pipefail\n${boot}\n`;
}

/** A group as a pool is written, and the names of its fields there that differ. */
function poolDraft(group: PlacedGroup): { readonly draft: Draft; readonly places: Readonly<Record<string, string>> } {
  const {
    size,
    boot: _,
    openPorts: __,
    health: ____,
    update: _____,
    resourcePlugin,
    resourceProperties: properties,
    ...rest
  } = group.value;
  const base = { ...rest, name: group.pool };
  if (group.kind === 'static') return { draft: base, places: {} };
  const draft = { ...base, count: size };
  if (group.kind === 'created') return { draft: { storageDiskSize: 0, ...draft }, places: { count: 'size' } };
  const { machine, places, type } = readPlugin(group);
  const { region, zone, serverType, image } = machine;
  const name = type === undefined ? undefined : pluginProviderName(resourcePlugin);
  return {
    draft: {
      ...draft,
      storageDiskSize: 0,
      providerSpec: { name, region, ...(zone !== undefined && { zone }) },
      ...(serverType !== undefined && { serverType }),
      ...(image !== undefined && { image }),
      ...(type === pluginType && { properties }),
    },
    places: {
      count: 'size',
      'providerSpec.name': 'resourcePlugin.name',
      'providerSpec.region': places.region,
      'providerSpec.zone': places.zone,
      serverType: places.serverType,
      image: places.image,
      properties: 'resourceProperties',
    },
  };
}

function placesOf(manifest: string, { names }: PlacedGroup, fields: Readonly<Record<string, string>>): PlaceInGroups[] {
  const document = pathText(['spec', 'groups', ...names]);
  return [
    { manifest, document },
    { manifest: `${manifest}.name`, document },
    ...Object.entries(fields).map(([field, word]) => ({
      manifest: manifest === '' ? field : `${manifest}.${field}`,
      document: `${document}.${word}`,
    })),
  ];
}

/** Providers that a group itself names. */
function placesOfProvider(manifest: string, { names }: PlacedGroup): readonly PlaceInGroups[] {
  const document = pathText(['spec', 'groups', ...names, 'resourcePlugin']);
  return [
    { manifest, document },
    { manifest: `${manifest}.plugin`, document },
    { manifest: `${manifest}.providerType`, document: `${document}.name` },
  ];
}

/** Places of a path of the manifest in the document; one that no part covers is the same in both. */
export function placeInGroups(path: string, places: readonly PlaceInGroups[]): string {
  const fits = places.filter(
    ({ manifest }) => path === manifest || path.startsWith(`${manifest}.`) || path.startsWith(`${manifest}[`),
  );
  const [best] = fits.toSorted((one, other) => other.manifest.length - one.manifest.length);
  return best === undefined ? path : best.document + path.slice(best.manifest.length);
}

/** What a document means in the form of an InputManifest, as far as it can be read; other kinds as they are. */
export function draftOfDocument(document: unknown): unknown {
  return isGroups(document) ? draftOf(document).manifest : document;
}

/** A place in the manifest that a document stands for, in the document as it is written. */
export function placeInDocument(path: string, document: unknown): string {
  return isGroups(document) ? placeInGroups(path, draftOf(document).places) : path;
}

export function isGroups(document: unknown): document is Draft {
  return isMap(document) && document.kind === 'MachineGroups';
}

function draftOf(document: Draft): GroupsDraft {
  const { groups = {} } = isMap(document.spec) ? document.spec : {};
  return draftOfGroups(document, placedGroups(groups).groups);
}
