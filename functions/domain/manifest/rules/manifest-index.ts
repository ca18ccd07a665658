/** Index of a partial manifest: everything by name, the uses of each pool, and what the installation knows apart from the document. */
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { ObjectReader } from '../../kubernetes-objects.ts';
import { servesApi } from '../schema/load-balancers.ts';
import type {
  PartialCluster,
  PartialDynamicPool,
  PartialLoadBalancer,
  PartialManifest,
  PartialProvider,
  PartialRole,
  PartialStaticPool,
} from './partial-manifest.ts';

/** What is known outside of the document; fields that are left out are not checked. */
export interface ValidationContext {
  /** Reads the texts of documents in a cluster. */
  readonly readObjects: ObjectReader;
  /** Provider types this installation can build. */
  readonly providerTypes?: readonly string[];
  /** `<namespace>/<name>` of every Secret there is. */
  readonly secrets?: ReadonlySet<string>;
  /** False when this installation has only the templates that come with it. */
  readonly ownTemplates?: boolean;
  /** `<namespace>/<name>` of every TemplateGitReference there is. */
  readonly templateReferences?: ReadonlySet<string>;
  /** Addresses of static nodes of other manifests, with the manifest that has each. */
  readonly endpointsInUse?: ReadonlyMap<string, string>;
  /** Manifests that have DNS names, by name in its normal form; the document's own is among them. */
  readonly namesInUse?: ReadonlyMap<string, NameOwner>;
  /** Proxy of the installation for manifests that name none; empty: it has none. */
  readonly installationProxy?: string;
  /** What a machine of each pool costs a month, in one currency; undefined where that is not known. */
  readonly pricesOf?: (pools: readonly PricedPool[]) => readonly (number | undefined)[];
  /** What is known of agents in clusters, without which nothing scales automatically. */
  readonly agents?: KnownAgents;
  /** Whether this installation can send e-mail. */
  readonly sendsMail?: boolean;
  /** What clouds sell, as far as it is known. */
  readonly clouds?: KnownClouds;
}

/** Who has a DNS name. */
export interface NameOwner {
  /** `<namespace>/<name>` */
  readonly manifest: string;
  /** The same for the reader, who may not see it. */
  readonly shown: string;
}

export interface KnownClouds {
  /** `2026-11-23` */
  readonly today: string;
  /** By provider type. */
  readonly catalogues: ReadonlyMap<string, Catalogue>;
}

/** A pool, as far as its machines have a price. */
export interface PricedPool {
  /** Provider type. */
  readonly type: string;
  readonly region: string;
  readonly serverType: string;
  readonly spot: boolean;
  /** What the manifest says. @default the list price */
  readonly monthlyPrice?: { readonly currency: string; readonly amount: number } | undefined;
}

interface KnownAgents {
  /** Clusters reach the API of the installation. */
  readonly reachApi: boolean;
  /** Types of the providers whose control nodes reach it. @default all */
  readonly reachedFrom?: readonly string[];
  /** `<namespace>/<manifest>/<cluster>` of each whose agent reported lately. */
  readonly atWork: ReadonlySet<string>;
}

export type Path = readonly (string | number)[];

/** A thing of the document with its place. */
export interface AtPath<Thing> {
  readonly thing: Thing;
  readonly path: Path;
}

export type PlacedPool =
  | (AtPath<PartialDynamicPool> & { readonly kind: 'dynamic' })
  | (AtPath<PartialStaticPool> & { readonly kind: 'static' });

export interface PoolUse {
  readonly as: 'control' | 'compute' | 'load balancer';
  /** Name of the cluster or load balancer. */
  readonly by: string;
  readonly path: Path;
}

export interface ManifestIndex {
  readonly namespace: string;
  readonly apiVersion: string;
  /** Version of the manifest. */
  readonly name: string;
  readonly context: ValidationContext;
  readonly providers: readonly AtPath<PartialProvider>[];
  readonly pools: readonly PlacedPool[];
  /** The first one of each name. */
  readonly poolsByName: ReadonlyMap<string, PlacedPool>;
  readonly clusters: readonly AtPath<PartialCluster>[];
  readonly roles: readonly AtPath<PartialRole>[];
  /** The first one of each name. */
  readonly rolesByName: ReadonlyMap<string, PartialRole>;
  /** Load balancers that have a role of that name. */
  readonly balancersByRole: ReadonlyMap<string, readonly { readonly balancer: PartialLoadBalancer }[]>;
  readonly loadBalancers: readonly AtPath<PartialLoadBalancer>[];
  /** True for a role of the Kubernetes API; load balancers of machine groups have no such role. */
  readonly servesApi: (role: Pick<PartialRole, 'targetPort'>) => boolean;
  /** Which of the lists could be read with all their names: only then is "does not exist" certain. */
  readonly complete: Readonly<Record<'providers' | 'pools' | 'clusters' | 'roles' | 'uses', boolean>>;
  readonly uses: ReadonlyMap<string, readonly PoolUse[]>;
}

/** Indexes a partial manifest. `faultPaths` are the places where the document does not fit the schema. */
export function indexManifest(
  draft: PartialManifest,
  faultPaths: readonly string[],
  context: ValidationContext,
  machinesOnly = false,
): ManifestIndex {
  const { providers, nodePools, kubernetes, loadBalancers } = draft.spec;
  const pools: PlacedPool[] = [
    ...nodePools.dynamic.map((thing, i) => ({
      kind: 'dynamic' as const,
      thing,
      path: ['spec', 'nodePools', 'dynamic', i],
    })),
    ...nodePools.static.map((thing, i) => ({
      kind: 'static' as const,
      thing,
      path: ['spec', 'nodePools', 'static', i],
    })),
  ];
  const clusters = placed(kubernetes.clusters, ['spec', 'kubernetes', 'clusters']);
  const balancers = placed(loadBalancers.clusters, ['spec', 'loadBalancers', 'clusters']);
  const readable = (pattern: RegExp) => !faultPaths.some((path) => pattern.test(path));
  const named = (things: readonly { readonly name?: string | undefined }[]) =>
    things.every((thing) => thing.name !== undefined);
  const specReadable = readable(/^(spec(\.[^.[]+)?)?$/);
  return {
    namespace: draft.metadata.namespace,
    apiVersion: draft.apiVersion,
    name: draft.metadata.name,
    context,
    providers: placed(providers, ['spec', 'providers']),
    pools,
    poolsByName: new Map(pools.toReversed().map((pool) => [pool.thing.name ?? '', pool])),
    clusters,
    roles: placed(loadBalancers.roles, ['spec', 'loadBalancers', 'roles']),
    rolesByName: new Map(loadBalancers.roles.toReversed().map((role) => [role.name ?? '', role])),
    balancersByRole: Map.groupBy(
      loadBalancers.clusters.flatMap((balancer) => [...new Set(balancer.roles)].map((role) => ({ role, balancer }))),
      ({ role }) => role,
    ),
    loadBalancers: balancers,
    servesApi: (role) => !machinesOnly && servesApi(role),
    complete: {
      providers: specReadable && named(providers),
      pools: specReadable && readable(/^spec\.nodePools\.[^.[]+$/) && named(pools.map((pool) => pool.thing)),
      clusters: specReadable && readable(/^spec\.kubernetes\.[^.[]+$/) && named(kubernetes.clusters),
      roles: specReadable && readable(/^spec\.loadBalancers\.[^.[]+$/) && named(loadBalancers.roles),
      uses:
        specReadable &&
        readable(/^spec\.(kubernetes|loadBalancers)\.[^.[]+$/) &&
        readable(
          /^spec\.(kubernetes|loadBalancers)\.clusters\[\d+\](\.pools?|\.pools\.(?!control$|compute$)[^.[]+)?$/,
        ) &&
        kubernetes.clusters.every(({ pools }) => ![...pools.control, ...pools.compute].includes('')) &&
        loadBalancers.clusters.every((balancer) => !balancer.pools.includes('')),
    },
    uses: usesOf(clusters, balancers),
  };
}

/** The thing of that name; the first one when there are several. */
export function named<Thing extends { readonly name?: string | undefined }>(
  things: readonly AtPath<Thing>[],
  name: string | undefined,
): AtPath<Thing> | undefined {
  return name === undefined ? undefined : things.find(({ thing }) => thing.name === name);
}

/** The pool of that name. */
export function poolNamed(manifestIndex: ManifestIndex, name: string): PlacedPool | undefined {
  return name === '' ? undefined : manifestIndex.poolsByName.get(name);
}

function placed<Thing>(things: readonly Thing[], path: Path): AtPath<Thing>[] {
  return things.map((thing, index) => ({ thing, path: [...path, index] }));
}

function usesOf(
  clusters: readonly AtPath<PartialCluster>[],
  loadBalancers: readonly AtPath<PartialLoadBalancer>[],
): Map<string, PoolUse[]> {
  const uses = new Map<string, PoolUse[]>();
  const note = (pools: readonly string[], path: Path, as: PoolUse['as'], by: string): void => {
    for (const [index, pool] of pools.entries()) {
      const known = uses.get(pool);
      const use = { as, by, path: [...path, index] };
      if (known === undefined) uses.set(pool, [use]);
      else known.push(use);
    }
  };
  for (const { thing, path } of clusters) {
    note(thing.pools.control, [...path, 'pools', 'control'], 'control', thing.name ?? '');
    note(thing.pools.compute, [...path, 'pools', 'compute'], 'compute', thing.name ?? '');
  }
  for (const { thing, path } of loadBalancers) {
    note(thing.pools, [...path, 'pools'], 'load balancer', thing.name ?? '');
  }
  return uses;
}
