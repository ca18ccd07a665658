/** Validates a document before it is accepted: faults, warnings, and its plan. */
import type { WireFault } from '#contracts/api-bodies.ts';
import type { ClusterRecord, DemandRecord, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { placed } from '#documents/text-places.ts';
import { pathFaults, wireFaults } from '#documents/wire-faults.ts';
import { withSet } from '#domain/documents/validate-documents.ts';
import { warning } from '#domain/manifest/faults/fault.ts';
import { placeInDocument } from '#domain/manifest/groups/groups-as-manifest.ts';
import { validateAsManifest } from '#domain/manifest/groups/validate-as-manifest.ts';
import { replaceFaults } from '#domain/manifest/replaceable-pools.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import type { ClusterPlan, Refusal } from '#domain/plan.ts';
import type { PlanBasis } from '#domain/planning/plan-basis.ts';
import { placeOfSubject } from '#domain/planning/states/place-of-subject.ts';
import { findRenames } from '#domain/planning/text/find-renames.ts';
import type { CostOfMonth } from '#domain/prices/cost-of-month.ts';
import { counted } from '#domain/words.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { pinPlanes } from '../assessment/pinned-planes.ts';
import { costOfPlan } from '../assessment/plan-cost.ts';
import { askForPlugin, lookUpTemplates } from '../jobs/template-lookups.ts';
import { type PinnedTemplates, pinTemplates } from '../manifests/template-versions.ts';
import { clustersOf, planCluster, reachedRecords } from '../plans/cluster-plans.ts';
import { planBasisOf } from '../plans/plan-id.ts';
import type { Planning } from '../plans/planning.ts';
import { planningOf } from '../plans/planning.ts';
import { checksumOf } from '../records/checksum.ts';
import { makingNow, nextRecord } from '../records/next-record.ts';
import { readableManifest } from '../records/stored-document.ts';
import { validationContextOf } from './validation-context.ts';

export interface ManifestToAssess {
  readonly document: unknown;
  readonly stored: ManifestRecord | undefined;
  readonly caller: AdmittedCaller;
  /** Documents that are to be stored with it: Secrets, TemplateGitReferences and ManagementPlanes among them count as stored. */
  readonly accompanying?: readonly unknown[];
  /** Names of stored ManagementPlanes that are to be deleted with it. @default none */
  readonly withoutPlanes?: readonly string[];
  /** Versions that it was accepted with before and goes back to: no repository is asked. @default each is asked */
  readonly pinned?: Pick<PinnedTemplates, 'templates' | 'templateSecrets'>;
}

export interface Assessment {
  readonly faults: readonly WireFault[];
  readonly warnings: readonly WireFault[];
  /** The record that it would become, without its origin; absent when its form is faulty. */
  readonly record?: ManifestRecord;
  /** It is stored already: it would only start another attempt. */
  readonly same?: boolean;
  /** What its plan is made from; absent when its form is faulty. */
  readonly basis?: PlanBasis;
  /** Empty when its form is faulty. */
  readonly plans: readonly ClusterPlan[];
  /** What its machines cost, where they have a price. */
  readonly costOfMonth?: CostOfMonth;
  /** What the plans refuse, each thing once. */
  readonly refusals: readonly WireFault[];
}

export async function assessManifest(
  deps: SubmissionPorts,
  key: ManifestKey,
  question: ManifestToAssess,
): Promise<Assessment> {
  const { document, stored, caller, accompanying = [], withoutPlanes: without = [] } = question;
  const context = await validationContextOf(deps, key, document, caller);
  const known = withSet(context, accompanying);
  const verdict = validateAsManifest(document, known);
  const form = [...pathFaults(document, key), ...verdict.faults];
  const warnings = wireFaults(verdict.warnings, document);
  const { manifest, document: accepted } = verdict;
  if (manifest === undefined || form.length > 0)
    return { faults: wireFaults(form, document), warnings, plans: [], refusals: [] };

  const [clusters, demands] = await Promise.all([deps.clusters.list(key), deps.demands.list(key)]);
  // What it fetches is from anywhere: readers do not make runners fetch.
  const mayAsk = caller.may('operator', key.namespace);
  const {
    templates,
    templateSecrets,
    faults: unpinned,
  } = question.pinned
    ? { ...question.pinned, faults: [] }
    : await pinTemplates(deps, key.namespace, manifest, {
        accompanying,
        stored,
        lookUp: (reference, request) => lookUpTemplates(deps, reference, request),
        lookUpPlugin: (request) => askForPlugin(deps, { namespace: key.namespace, mayAsk }, request),
      });
  const pinned = await pinPlanes(deps, key, { accompanying, without, clusters });
  const same = stored !== undefined && !stored.deleting && stored.checksum === checksumOf(accepted);
  const goal = {
    document: accepted,
    deleting: false,
    again: same,
    templates: { templates, templateSecrets },
    planes: pinned.planes,
  };
  const record = nextRecord(makingNow(deps), key, stored, goal);
  const plans = planClusters(planningOf(deps, record, demands), record, clusters);
  const inProgress = stored !== undefined && stored.status !== 'Done' && stored.status !== 'Failed';
  const later = inProgress
    ? refusalsOf(plansOnceReached(deps, { stored, desired: record, demands }, clusters), plans)
    : [];
  const inDocument = [...replaceFaults(manifest), ...unpinned, ...pinned.faults].map((fault) => ({
    ...fault,
    path: placeInDocument(fault.path, document),
  }));
  const faults = [...wireFaults(inDocument, document), ...placed(document, later)];
  const refusals = placed(document, refusalsOf(plans));
  const all = clustersOf(deps.ids, record, clusters);
  const basis = planBasisOf({ config: deps.config, stored, desired: record, clusters: all, demands });
  return {
    record,
    same,
    basis,
    faults,
    warnings: [...warnings, ...renames(plans, manifest)],
    plans,
    refusals,
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

/** One plan for each cluster that is desired or exists; names of what is new are made up, the run makes its own. */
export function planClusters(
  planning: Planning,
  desired: ManifestRecord,
  clusters: readonly ClusterRecord[],
): readonly ClusterPlan[] {
  const manifest = readableManifest(desired);
  const placed = (refusal: Refusal): Refusal =>
    refusal.about && manifest
      ? { ...refusal, path: placeInDocument(placeOfSubject(refusal.about, manifest), desired.document) }
      : refusal;
  return clustersOf(planning.ids, desired, clusters).map((record) => {
    const plan = planCluster(planning, desired, record);
    return { ...plan, refusals: plan.refusals.map(placed) };
  });
}

/** The same plans, as if the run of the stored manifest had reached what it leads to: that counts as existing, too. */
export function plansOnceReached(
  deps: Pick<SubmissionPorts, 'ids' | 'config'>,
  { stored, desired, demands = [] }: Change,
  clusters: readonly ClusterRecord[],
): readonly ClusterPlan[] {
  // One that can no longer be read leads nowhere.
  if (!readableManifest(stored)) return [];
  const reached = reachedRecords(planningOf(deps, stored, demands), stored, clusters);
  return planClusters(planningOf(deps, desired, demands), desired, reached);
}

interface Change {
  readonly stored: ManifestRecord;
  readonly desired: ManifestRecord;
  /** @default none */
  readonly demands?: readonly DemandRecord[];
}

/** What plans refuse, each reason once however many clusters give it, without what `others` refuse already. */
export function refusalsOf(plans: readonly ClusterPlan[], others: readonly ClusterPlan[] = []): readonly WireFault[] {
  const reported = new Set(others.flatMap(({ refusals }) => refusals.map(subjectOf)));
  const found = plans.flatMap(({ refusals }) => refusals).filter((refusal) => !reported.has(subjectOf(refusal)));
  const firsts = new Map(found.map((refusal) => [`${subjectOf(refusal)} ${refusal.reason}`, refusal]));
  return [...firsts.values()].map(({ about: _, ...fault }) => fault);
}

function subjectOf({ about, path, reason }: Refusal): string {
  return about ? `${about.kind} ${about.name} ${about.field}` : `${path} ${reason}`;
}
