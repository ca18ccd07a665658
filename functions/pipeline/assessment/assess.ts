/** Decides about a document, from what is known and nothing else: its faults and warnings, the record that it would become, its plan. */
import type { WireFault } from '#contracts/api-bodies.ts';
import { hasEnded } from '#contracts/has-ended.ts';
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { placed } from '#documents/text-places.ts';
import { pathFaults, wireFaults } from '#documents/wire-faults.ts';
import { warning } from '#domain/manifest/faults/fault.ts';
import { placeInDocument } from '#domain/manifest/groups/groups-as-manifest.ts';
import { validateAsManifest } from '#domain/manifest/groups/validate-as-manifest.ts';
import { replaceFaults } from '#domain/manifest/replaceable-pools.ts';
import type { ValidationContext } from '#domain/manifest/rules/manifest-index.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import type { PlanBasis } from '#domain/planning/plan-basis.ts';
import { findRenames } from '#domain/planning/text/find-renames.ts';
import type { CostOfMonth } from '#domain/prices/cost-of-month.ts';
import { counted } from '#domain/words.ts';
import { clustersOf } from '../plans/cluster-plans.ts';
import { planBasisOf } from '../plans/plan-id.ts';
import { checksumOf } from '../records/checksum.ts';
import { nextRecord } from '../records/next-record.ts';
import type { Form, KnownDocument } from './known.ts';
import { pinPlanes } from './pinned-planes.ts';
import { planClusters, plansOnceReached, refusalsOf } from './plan-clusters.ts';
import { costOfPlan } from './plan-cost.ts';

export interface Assessment {
  readonly faults: readonly WireFault[];
  readonly warnings: readonly WireFault[];
  /** Absent when its form is faulty. */
  readonly next?: NextGeneration;
  /** Empty when its form is faulty. */
  readonly plans: readonly ClusterPlan[];
  /** What its machines cost, where they have a price. */
  readonly costOfMonth?: CostOfMonth;
  /** What the plans refuse, each thing once. */
  readonly refusals: readonly WireFault[];
}

export interface NextGeneration {
  /** The record that it would become, without its origin. */
  readonly record: ManifestRecord;
  /** It is stored already: it would only start another attempt. */
  readonly same: boolean;
  /** What its plan is made from. */
  readonly basis: PlanBasis;
}

export function judgeForm(key: ManifestKey, document: unknown, context: ValidationContext): Form {
  const verdict = validateAsManifest(document, context);
  const faults = wireFaults([...pathFaults(document, key), ...verdict.faults], document);
  const warnings = wireFaults(verdict.warnings, document);
  const { manifest, document: accepted } = verdict;
  if (!manifest || !accepted || faults.length > 0) return { faults, warnings };
  return { faults, warnings, accepted: { document: accepted, manifest } };
}

export function assess({ key, document, stored, form, existing }: KnownDocument): Assessment {
  const { faults, warnings, accepted } = form;
  if (accepted === undefined || existing === undefined) return { faults, warnings, plans: [], refusals: [] };
  const { clusters, demands, config } = existing;
  const { faults: unpinned, behind, taking, ...templates } = existing.templates;
  const { faults: unfit, planes } = pinPlanes(existing.planes);
  const same = stored !== undefined && !stored.deleting && stored.checksum === checksumOf(accepted.document);
  const goal = { document: accepted.document, deleting: false, again: same, templates, planes, behind, taking };
  const record = nextRecord(existing, key, stored, goal);
  const plans = planClusters(existing, record, existing);
  const inProgress = stored !== undefined && !hasEnded(stored);
  const once = inProgress ? plansOnceReached(existing, { stored, desired: record }, existing) : [];
  const inDocument = [...replaceFaults(accepted.manifest), ...unpinned, ...unfit].map((fault) => ({
    ...fault,
    path: placeInDocument(fault.path, document),
  }));
  const all = clustersOf(existing.ids, record, clusters);
  const basis = planBasisOf({ config, stored, desired: record, clusters: all, demands });
  return {
    next: { record, same, basis },
    faults: [...wireFaults(inDocument, document), ...placed(document, refusalsOf(once, plans))],
    warnings: [...warnings, ...renames(plans, accepted.manifest)],
    plans,
    refusals: placed(document, refusalsOf(plans)),
    ...costOfPlan(clusters, plans),
  };
}

/** A new name destroys the cluster; a user who changes one may not expect that. */
function renames(plans: readonly ClusterPlan[], { spec }: InputManifest): readonly WireFault[] {
  return wireFaults(
    findRenames(plans).map(({ from, to, nodes }) => {
      const place = spec.kubernetes.clusters.findIndex(({ name }) => name === to);
      const reason = `a rename destroys cluster "${from}" with ${counted(nodes, 'node')} and creates "${to}"`;
      return warning(
        'cluster-renamed',
        ['spec', 'kubernetes', 'clusters', place, 'name'],
        reason,
        `write "${from}" again to keep it`,
      );
    }),
  );
}
