/** The manifest of clusters next to those that Claudie built: as it was, without what only one of both can have. */
import { isMap } from '#domain/json.ts';
import { withoutEmptyFields, withoutServerFields } from '#domain/manifest/faults/kubernetes-document.ts';

export interface MovedManifest {
  /** Undefined when no cluster is left. */
  readonly document: unknown;
  /** A sentence each, with what to do later. */
  readonly changes: readonly string[];
  /** As they were in the manifest. */
  readonly staticPools: readonly unknown[];
}

type Part = Record<string, unknown>;

export function movedManifest(document: unknown): MovedManifest {
  const draft = structuredClone(withoutEmptyFields(withoutServerFields(document))) as Part;
  const { spec } = draft;
  if (!isMap(spec)) return { document: draft, changes: [], staticPools: [] };
  const older = listOf(spec as Part, 'providers').flatMap(withoutOlderForm);
  const pools = partOf(spec, 'nodePools');
  const staticPools = listOf(pools, 'static');
  const held = new Set(staticPools.map(nameOf));
  const changes = [
    ...older,
    ...[...listOf(pools, 'dynamic'), ...staticPools].flatMap(withListedTaints),
    ...(held.size > 0 ? withoutStaticPools(spec as Part, held) : []),
    ...listOf(partOf(spec, 'loadBalancers'), 'clusters').flatMap(withoutHostNames),
  ];
  const isEmpty = listOf(partOf(spec, 'kubernetes'), 'clusters').length === 0;
  return { document: isEmpty ? undefined : draft, changes, staticPools };
}

/** Providers as Claudie had them up to 0.15. */
function withoutOlderForm(provider: Part): readonly string[] {
  const changes: string[] = [];
  const name = nameOf(provider);
  if (provider.templates !== undefined) {
    delete provider.templates;
    changes.push(
      `provider ${name}: templates are left out, since Kubeloom has its own modules; modules of your own need a TemplateGitReference`,
    );
  }
  if (provider.providerType === 'hetznerdns') {
    provider.providerType = 'hetzner';
    changes.push(
      `provider ${name}: hetznerdns is hetzner; in its Secret write credentials, an API token of the project that has the zone, instead of apitoken`,
    );
  }
  return changes;
}

/** `key: value:Effect`, as older documents of Claudie show taints. */
function withListedTaints(pool: Part): readonly string[] {
  const { taints } = pool;
  if (!isMap(taints)) return [];
  pool.taints = Object.entries(taints).map(([key, text]) => {
    const [value, effect] = String(text).split(':');
    return { key, value, effect };
  });
  return [`pool ${nameOf(pool)}: its taints are a list`];
}

/** A machine is in one cluster at a time. */
function withoutStaticPools(spec: Part, held: ReadonlySet<string>): readonly string[] {
  const changes: string[] = [];
  const gone = new Set<string>();
  keepIn(partOf(spec, 'kubernetes'), 'clusters', (cluster) => {
    const uses = partOf(cluster, 'pools');
    for (const use of ['control', 'compute']) without(uses, use, held);
    if (listOf(uses, 'control').length > 0) return true;
    gone.add(nameOf(cluster));
    changes.push(
      `cluster ${nameOf(cluster)} is left out: all its control nodes are static machines, which belong to Claudie's cluster`,
    );
    return false;
  });
  const balancers = partOf(spec, 'loadBalancers');
  const empty = new Set<string>();
  keepIn(balancers, 'roles', (role) => {
    // The older words for it name no pools.
    if (role.target !== undefined) return true;
    without(role, 'targetPools', held);
    if (listOf(role, 'targetPools').length > 0) return true;
    empty.add(nameOf(role));
    changes.push(
      `role ${nameOf(role)} is left out: all its targets are static machines, which belong to Claudie's cluster`,
    );
    return false;
  });
  keepIn(balancers, 'clusters', (balancer) => {
    without(balancer, 'pools', held);
    without(balancer, 'roles', empty);
    const stays = !gone.has(String(balancer.targetedK8s)) && listOf(balancer, 'pools').length > 0;
    if (!stays) changes.push(`load balancer ${nameOf(balancer)} is left out: its cluster or all its machines are`);
    return stays;
  });
  const used = new Set(
    [
      ...listOf(partOf(spec, 'kubernetes'), 'clusters').flatMap((cluster) => {
        const uses = partOf(cluster, 'pools');
        return [...listOf(uses, 'control'), ...listOf(uses, 'compute')];
      }),
      ...listOf(balancers, 'clusters').flatMap((balancer) => listOf(balancer, 'pools')),
    ].map(String),
  );
  const pools = partOf(spec, 'nodePools');
  keepIn(pools, 'static', () => false);
  keepIn(pools, 'dynamic', (pool) => {
    if (used.has(nameOf(pool))) return true;
    changes.push(`pool ${nameOf(pool)} is left out: nothing that remains uses it`);
    return false;
  });
  const names = [...held].join(', ');
  changes.push(
    `static pools ${names} are left out: a machine is in one cluster at a time; static-pools.yaml has them, to be added when their machines have left Claudie's cluster`,
  );
  return changes;
}

/** A DNS name has one owner. */
function withoutHostNames(balancer: Part): readonly string[] {
  const dns = partOf(balancer, 'dns');
  const names = [...(dns.hostname === undefined ? [] : [dns.hostname]), ...listOf(dns, 'alternativeNames')].map(String);
  delete dns.hostname;
  delete dns.alternativeNames;
  if (names.length === 0) return [];
  return [
    `load balancer ${nameOf(balancer)}: the names ${names.join(', ')} are left out, since Claudie's load balancer uses them; Kubeloom chooses a name until you add them again`,
  ];
}

function without(owner: Part, field: string, names: ReadonlySet<string>): void {
  if (Array.isArray(owner[field])) owner[field] = listOf(owner, field).filter((name) => !names.has(String(name)));
}

function keepIn(owner: Part, field: string, stays: (part: Part) => boolean): void {
  if (Array.isArray(owner[field])) owner[field] = listOf(owner, field).filter((part) => isMap(part) && stays(part));
}

/** The part itself, so that it can be changed; if it does not exist, a new object outside of the document. */
function partOf(owner: unknown, field: string): Part {
  const found = isMap(owner) ? owner[field] : undefined;
  return isMap(found) ? (found as Part) : {};
}

function listOf(owner: Readonly<Part>, field: string): Part[] {
  const found = owner[field];
  return Array.isArray(found) ? found : [];
}

function nameOf(part: unknown): string {
  return isMap(part) && typeof part.name === 'string' ? part.name : '';
}
