/** The id of a plan: a digest of everything that it follows from. */
import type { BoundPlan, ClusterRecord, DemandRecord, ManifestRecord } from '#contracts/records.ts';
import type { ClusterState } from '#domain/cluster-state.ts';
import { isOpen, openDemand, sizesOf } from '#domain/demand.ts';
import type { NodeHealthRecord } from '#domain/drift.ts';
import type { InventoryBasis } from '#domain/inventory/inventory-basis.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import type { ClusterBasis, PlanBasis } from '#domain/planning/plan-basis.ts';
import { isUnhealthy } from '#domain/repair/node-health.ts';
import product from '../../../package.json' with { type: 'json' };
import { checksumOf } from '../records/checksum.ts';
import { clusterName } from '../records/cluster-records.ts';
import { demandOf } from '../records/demand-records.ts';
import { readableManifest } from '../records/stored-document.ts';
import { boundsOf } from './cluster-plans.ts';
import type { PlanSettings } from './planning.ts';

export const kubeloomVersion: string = product.version;

/** 160 bits, as of a commit: an approval of one is no approval of another. */
const idLength = 40;

export function planIdOf(basis: PlanBasis | InventoryBasis): string {
  return checksumOf(basis).slice(0, idLength);
}

/** Identity, generation and attempt of a manifest, as plans have them. */
export const versionText = ({ uid, generation, attempt }: Pick<ManifestRecord, 'uid' | 'generation' | 'attempt'>) =>
  `${uid}-g${generation}-a${attempt}`;

export interface PlanSources {
  readonly config: Pick<PlanSettings['config'], 'KUBELOOM_DEFAULT_STORAGE' | 'KUBELOOM_UPSTREAM_DOCUMENTS'>;
  /** What is stored before it is carried out. */
  readonly stored: ManifestRecord | undefined;
  /** What would be stored. */
  readonly desired: ManifestRecord;
  /** Those that exist and those that are desired. */
  readonly clusters: readonly ClusterRecord[];
  readonly demands: readonly DemandRecord[];
}

export function planBasisOf({ config, stored, desired, clusters, demands }: PlanSources): PlanBasis {
  const { deleting, orphans, checksum, templates = {}, templateSecrets = {}, planes } = desired;
  const of = (record: ClusterRecord) => demands.find(({ cluster }) => cluster === record.cluster);
  return {
    schema: 1,
    kubeloom: kubeloomVersion,
    settings: checksumOf([config.KUBELOOM_DEFAULT_STORAGE, config.KUBELOOM_UPSTREAM_DOCUMENTS]),
    manifest: stored ? versionText(stored) : null,
    goal: checksumOf({ checksum, deleting, orphans, templateSecrets, ...(planes && { planes }) }),
    templates,
    clusters: Object.fromEntries(
      clusters.map((record) => [clusterName(record), clusterBasisOf(desired, record, of(record))]),
    ),
  };
}

/** The same whether or not what is reached has been removed from the demand. */
export function clusterBasisOf(
  desired: ManifestRecord,
  { current, attempted, lastChange, drift }: ClusterRecord,
  demand: DemandRecord | undefined,
): ClusterBasis {
  const manifest = desired.deleting ? undefined : readableManifest(desired);
  const open = manifest && openDemand(demandOf(demand), { current, attempted, bounds: boundsOf(manifest) });
  const repair = drift?.repair?.state === 'requested' ? drift.repair.items : [];
  return {
    current: current && checksumOf(current),
    attempted: attempted && checksumOf(attempted),
    changed: lastChange ?? null,
    demand: open && isOpen(open) ? checksumOf([sizesOf(open), open.replace.map(({ node }) => node).sort()]) : null,
    repair: repair.length > 0 ? checksumOf(repair) : null,
    ...(manifest && current && unhealthyBasis(manifest, current, drift?.health ?? [])),
  };
}

/** The part of the health that decides which machines leave. */
function unhealthyBasis(
  { spec: { nodePools } }: InputManifest,
  { pools }: ClusterState,
  health: readonly NodeHealthRecord[],
): Pick<ClusterBasis, 'unhealthy'> {
  const sizes = new Map(nodePools.dynamic.map(({ name, count = 0 }) => [name, count]));
  const shrinking = pools.filter(
    ({ name, role, nodes }) => role === 'machine' && nodes.length > (sizes.get(name) ?? nodes.length),
  );
  if (shrinking.length === 0) return {};
  const unhealthy = new Set(health.filter((one) => isUnhealthy(one.health)).map(({ node }) => node));
  const names = shrinking.flatMap(({ nodes }) => nodes.map(({ name }) => name)).filter((name) => unhealthy.has(name));
  return { unhealthy: checksumOf(names.sort()) };
}

/** What the manifest keeps of a plan while its run is bound to it. */
export function boundTo(basis: PlanBasis, approvedBy?: string): BoundPlan {
  const { kubeloom, clusters } = basis;
  return { id: planIdOf(basis), ...(approvedBy !== undefined && { approvedBy }), kubeloom, clusters };
}
