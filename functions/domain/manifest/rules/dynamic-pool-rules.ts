/** Rules of `spec.nodePools.dynamic`. */

import { isProviderType, type ProviderTypeFacts, providerTypes, providerTypesThat } from '#domain/provider-types.ts';
import { counted, listed } from '#domain/words.ts';
import { error, type Fault, warning } from '../faults/fault.ts';
import { shown } from '../schema/names.ts';
import { machineLimitRules, usualDisk } from './machine-limit-rules.ts';
import { type ManifestIndex, named, type Path } from './manifest-index.ts';
import type { PartialDynamicPool } from './partial-manifest.ts';
import { unknownName } from './references.ts';

/** Number of nodes, provider, machine, GPU, spot and disk of every dynamic pool. */
export function* dynamicPoolRules(index: ManifestIndex): Iterable<Fault> {
  for (const { kind, thing: pool, path } of index.pools) {
    if (kind !== 'dynamic') continue;
    yield* sizeRules(pool, path);
    yield* agentRules(index, pool, path);
    yield* scaledUseRules(index, pool, path);
    yield* machineRules(pool, path);
    yield* providerOfPoolRules(index, pool, path);
    const uses = index.uses.get(pool.name ?? '') ?? [];
    for (const use of pool.spot ? uses : []) {
      if (use.as !== 'control') continue;
      yield error(
        use.path,
        `${shown(pool.name)} is a spot pool`,
        'control nodes must not be reclaimed: use a pool without spot',
      );
    }
    const onlyBalances = uses.length > 0 && uses.every((use) => use.as === 'load balancer');
    // The stored document has the default, which no one wrote.
    const written = pool.storageDiskSize ?? usualDisk;
    if (onlyBalances && written > 0 && written !== usualDisk) {
      yield warning(
        'unused-storage-disk',
        [...path, 'storageDiskSize'],
        `only load balancers use ${shown(pool.name)}, they have no storage disk`,
        'leave it out',
      );
    }
  }
}

function* sizeRules({ count, autoscaler, machineSpec }: PartialDynamicPool, path: Path): Iterable<Fault> {
  if ((count ?? 0) > 0 && autoscaler !== undefined) {
    yield error([...path, 'count'], 'the pool has both count and autoscaler', 'keep one of the two');
  }
  if ((count ?? 0) === 0 && autoscaler === undefined) {
    yield error(
      [...path, 'count'],
      count === undefined ? 'the pool has neither count nor autoscaler' : 'a pool of 0 nodes creates nothing',
      'give count at least 1 or use autoscaler; to have no nodes remove the pool',
    );
  }
  const known = autoscaler?.capacity ?? (machineSpec?.cpuCount && machineSpec.memory);
  if (autoscaler?.min === 0 && !known) {
    yield warning(
      'unknown-capacity',
      [...path, 'autoscaler', 'min'],
      'the pool can have 0 nodes, and then no autoscaler knows the capacity of a new node',
      'give autoscaler.capacity with cpu and memory',
    );
  }
  if (autoscaler !== undefined && autoscaler.min > autoscaler.max) {
    yield error(
      [...path, 'autoscaler', 'min'],
      `min ${autoscaler.min} is greater than max ${autoscaler.max}`,
      'swap them or raise max',
    );
  }
}

/** The autoscaler adds and removes compute nodes: pods need no control node, and no node of a load balancer. */
function* scaledUseRules(
  { uses }: ManifestIndex,
  { name, autoscaler }: PartialDynamicPool,
  path: Path,
): Iterable<Fault> {
  if (autoscaler === undefined || autoscaler.min >= autoscaler.max) return;
  const others = (uses.get(name ?? '') ?? []).filter(({ as }) => as !== 'compute').map(({ as }) => as);
  if (others.length === 0) return;
  const what = [...new Set(others)].map((as) => (as === 'control' ? 'control nodes' : 'nodes of load balancers'));
  const reason = `nothing scales ${listed(what)} automatically: a new pool starts with ${counted(autoscaler.min, 'node')}`;
  const fix = 'write count; `kubeloom scale` sets another size by hand';
  yield warning('nothing-scales', [...path, 'autoscaler'], reason, fix);
}

/** Whether something scales the pool, as far as that is known. */
function* agentRules(index: ManifestIndex, pool: PartialDynamicPool, path: Path): Iterable<Fault> {
  const { context, namespace, name, uses } = index;
  const { autoscaler } = pool;
  const { agents } = context;
  if (agents === undefined || autoscaler === undefined || autoscaler.min >= autoscaler.max) return;
  const clusters = (uses.get(pool.name ?? '') ?? []).filter(({ as }) => as === 'compute').map(({ by }) => by);
  const silent = clusters.filter((by) => !agents.atWork.has(`${namespace}/${name}/${by}`));
  if (silent.length === 0) return;
  const byHand = 'until then set the size with `kubeloom scale`';
  if (!silent.every((by) => reachesApi(index, by))) {
    const reason = `nothing scales the pool automatically, because clusters cannot reach the API of this installation: a new one starts with ${counted(autoscaler.min, 'node')}`;
    const fix = `name a URL that they can reach in KUBELOOM_AGENT_URL of the installation; ${byHand}`;
    yield warning('nothing-scales', [...path, 'autoscaler'], reason, fix);
    return;
  }
  const reason = `no autoscaler of cluster ${listed(silent.map(shown))} reports at the moment, so nothing scales the pool automatically: a new one starts with ${counted(autoscaler.min, 'node')}`;
  const fix = `a new autoscaler reports some minutes after its cluster exists, unless documents switch off kubeloom-agent or autoscaler; ${byHand}`;
  yield warning('nothing-scales', [...path, 'autoscaler'], reason, fix);
}

/** Whether an agent on its control nodes reaches the API of the installation. */
function reachesApi({ context: { agents }, clusters, poolsByName, providers }: ManifestIndex, name: string): boolean {
  if (agents?.reachApi !== true) return false;
  const { reachedFrom } = agents;
  if (reachedFrom === undefined) return true;
  const control = clusters.find(({ thing }) => thing.name === name)?.thing.pools?.control ?? [];
  return control.every((pool) => {
    const used = poolsByName.get(pool);
    const provider = used?.kind === 'dynamic' ? used.thing.providerSpec?.name : undefined;
    const type = provider === undefined ? undefined : named(providers, provider)?.thing.providerType;
    return type !== undefined && reachedFrom.includes(type);
  });
}

function* machineRules({ machineSpec }: PartialDynamicPool, path: Path): Iterable<Fault> {
  if (machineSpec === undefined) return;
  const { cpuCount, memory } = machineSpec;
  if ((cpuCount === undefined) === (memory === undefined)) return;
  const [given, missing] = cpuCount === undefined ? ['memory', 'cpuCount'] : ['cpuCount', 'memory'];
  yield error([...path, 'machineSpec', given], `${given} is given without ${missing}`, `give ${missing} too`);
}

function* providerOfPoolRules(index: ManifestIndex, pool: PartialDynamicPool, path: Path): Iterable<Fault> {
  const { providerSpec, machineSpec } = pool;
  if (providerSpec?.name === undefined) return;
  const provider = named(index.providers, providerSpec.name)?.thing;
  if (provider === undefined) {
    const known = index.providers.flatMap(({ thing }) => thing.name ?? []);
    if (index.complete.providers)
      yield unknownName([...path, 'providerSpec', 'name'], 'provider', providerSpec.name, known);
    return;
  }
  const type = provider.providerType ?? '';
  if (!isProviderType(type)) return;
  const facts: ProviderTypeFacts = providerTypes[type];
  if (pool.properties !== undefined) {
    const reason = `are for providers of type plugin; ${shown(provider.name)} is ${provider.providerType}`;
    yield error([...path, 'properties'], reason, 'leave them out');
  }
  if (!facts.nodes) {
    yield error(
      [...path, 'providerSpec', 'name'],
      `${facts.title} creates no machines`,
      `use a provider of type ${providerTypesThat((type) => type.nodes)}`,
    );
    return;
  }
  if (facts.externalNetworkNeeded && (providerSpec.externalNetworkName ?? '') === '') {
    yield error(
      [...path, 'providerSpec', 'externalNetworkName'],
      'is missing',
      `name the external network of ${facts.title}`,
    );
  }
  if (pool.spot && !facts.spot) yield noSpot(path, facts);
  yield* machineLimitRules({ pool, path, uses: index.uses.get(pool.name ?? '') ?? [] }, { type, title: facts.title });
  const gpus = machineSpec?.nvidiaGpuCount ?? 0;
  if (gpus > 0 && !facts.gpu) {
    yield error(
      [...path, 'machineSpec'],
      `${facts.title} has no GPUs`,
      `use a provider of type ${providerTypesThat((type) => type.nodes && type.gpu)}`,
    );
  }
  if (gpus > 0 && facts.gpuTypeNeeded && machineSpec?.nvidiaGpuType === undefined) {
    yield error(
      [...path, 'machineSpec', 'nvidiaGpuType'],
      'is missing',
      `${facts.title} needs the accelerator type, for example nvidia-tesla-t4`,
    );
  }
}

function noSpot(path: Path, facts: ProviderTypeFacts): Fault {
  return error(
    [...path, 'spot'],
    `${facts.title} has no spot machines`,
    `remove it, or use a provider of type ${providerTypesThat((type) => type.spot)}`,
  );
}
