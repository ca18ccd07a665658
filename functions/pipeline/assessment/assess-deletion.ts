/** Decides about the deletion of a manifest, from what is known and nothing else: the record that it would become, its plan, what protects it. */
import type { WireFault } from '#contracts/api-bodies.ts';
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { wireFaults } from '#documents/wire-faults.ts';
import { error } from '#domain/manifest/faults/fault.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import type { PlanBasis } from '#domain/planning/plan-basis.ts';
import type { CostOfMonth } from '#domain/prices/cost-of-month.ts';
import { planBasisOf } from '../plans/plan-id.ts';
import type { PlanSettings } from '../plans/planning.ts';
import { type GenerationRequest, type Making, nextRecord } from '../records/next-record.ts';
import { readableManifest } from '../records/stored-document.ts';
import { planClusters, plansOnceReached, refusalsOf } from './plan-clusters.ts';
import { costOfPlan } from './plan-cost.ts';

export interface KnownDeletion extends Making, PlanSettings, Pick<GenerationRequest, 'orphans' | 'origin'> {
  readonly stored: ManifestRecord;
  readonly clusters: readonly ClusterRecord[];
}

export interface AssessedDeletion {
  /** Bound to no plan, and not paused: a deletion does not wait. */
  readonly record: ManifestRecord;
  readonly basis: PlanBasis;
  readonly plans: readonly ClusterPlan[];
  readonly costOfMonth?: CostOfMonth;
}

/** A document that can no longer be read prevents neither the deletion nor its plan. */
export function assessDeletion(known: KnownDeletion): AssessedDeletion {
  const { stored, clusters, orphans, origin, config } = known;
  const { document, deleting: again } = stored;
  const goal = { document, deleting: true, again, ...(origin && { origin }), ...(orphans && { orphans }) };
  const { paused: _, ...awake } = stored;
  const { plan: _before, ...record } = nextRecord(known, stored, awake, goal);
  const plans = planClusters(known, record, known);
  const basis = planBasisOf({ config, stored, desired: record, clusters, demands: [] });
  return { record, basis, plans, ...costOfPlan(clusters, plans, record.orphans) };
}

/** What protects it, in the document or in the current state, and how to lift that. */
export function protectionFaults(known: KnownDeletion, { record, plans }: AssessedDeletion): readonly WireFault[] {
  const later = plansOnceReached(known, { stored: known.stored, desired: record }, known);
  return [...documentFaults(record), ...refusalsOf(plans), ...refusalsOf(later, plans)];
}

function documentFaults(record: ManifestRecord): WireFault[] {
  if (!readableManifest(record)?.spec.deletionProtection) return [];
  const fix = 'set it to false and apply that first';
  return wireFaults([error(['spec', 'deletionProtection'], 'the manifest is protected', fix)]);
}
