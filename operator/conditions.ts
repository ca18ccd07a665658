/**
 * The conditions of an object, as `kubectl wait`, kstatus (Flux) and Argo CD read them: what they say of its document, and of what exists.
 * Exactly one of `Ready`, `Reconciling` and `Stalled` is true. Pure.
 */
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { manifestMessage, problemsOf, reportedStatus } from './cluster-status.ts';
import { type ConditionType, conditionTypes, type ObjectCondition } from './object-status.ts';

export type ConditionFinding = readonly [
  type: ConditionType,
  status: ObjectCondition['status'],
  reason: string,
  message: string,
];

/** What Kubeloom has of an object. */
export interface ManifestOfObject {
  readonly manifest: ManifestDescription;
  /** Generation of the object whose document it has. */
  readonly generation: number;
}

/** What follows from `Accepted` for the document: with `shown`, also from what exists. */
export function readinessOf(
  accepted: ConditionFinding,
  shown: ManifestOfObject | undefined,
): readonly ConditionFinding[] {
  const [, is, reason, message] = accepted;
  if (is === 'Unknown') return oneOf('Reconciling', reason, message);
  if (is === 'False') {
    const isRefused = reason !== 'Missing' && reason !== 'NotOfThisObject';
    return isRefused
      ? oneOf('Stalled', 'NotAccepted', `${stillRuns(shown)}\n${message}`)
      : oneOf('Stalled', reason, message);
  }
  if (shown === undefined) return oneOf('Reconciling', reason, message);
  const found = manifestReadiness(shown.manifest);
  const follows = reason !== 'ChangedElsewhere' || found[0]?.[1] !== 'True';
  return follows ? found : oneOf('Stalled', reason, message);
}

/** The conditions of a manifest whose document is that of its object. */
export function manifestReadiness(manifest: ManifestDescription): readonly ConditionFinding[] {
  const status = reportedStatus(manifest);
  const failed = status === 'Failed' || status === 'Unreadable';
  const message = manifestMessage(manifest);
  if (manifest.deleting) return oneOf(failed ? 'Stalled' : 'Reconciling', 'Deleting', message);
  if (failed) return oneOf('Stalled', status, message);
  if (status === 'Done') return oneOf('Ready', status, message);
  return oneOf('Reconciling', manifest.paused ? 'Paused' : status, message);
}

/** What exists of an object; `undefined`: Kubeloom has no manifest of it. */
export function existingFindings(manifest: ManifestDescription | undefined): readonly ConditionFinding[] {
  if (manifest === undefined) {
    const why = ['NotAccepted', 'Kubeloom has no manifest of this object'] as const;
    return [
      ['Progressing', 'False', ...why],
      ['Degraded', 'Unknown', ...why],
      ['DriftFree', 'Unknown', ...why],
    ];
  }
  const { clusters } = manifest;
  const status = reportedStatus(manifest);
  const progressing = status === 'Pending' || status === 'Running' || status === 'Deleting';
  const degraded = clusters.filter((one) => one.status === 'Degraded' || one.heldPools.length > 0);
  const failing = clusters.filter((one) => one.failure !== null || one.status === 'NeedsAttention');
  const bad = [...new Set([...degraded, ...failing])];
  const drifted = clusters.filter(({ drift }) => (drift?.items.length ?? 0) > 0);
  const checked = clusters.length > 0 && clusters.every(({ drift }) => drift !== null);
  const drift = drifted.flatMap(({ name, drift: found }) =>
    (found?.items ?? []).map((item) => `${name}: ${item.message}`),
  );
  return [
    ['Progressing', progressing ? 'True' : 'False', manifest.paused ? 'Paused' : status, manifestMessage(manifest)],
    bad.length > 0
      ? ['Degraded', 'True', degraded.length > 0 ? 'PoolsHeld' : 'Failed', bad.flatMap(problemsOf).join('\n')]
      : ['Degraded', 'False', 'AsDesired', 'nothing failed'],
    drift.length > 0
      ? ['DriftFree', 'False', 'Drift', drift.join('; ')]
      : [
          'DriftFree',
          checked ? 'True' : 'Unknown',
          checked ? 'Checked' : 'NotChecked',
          checked ? 'the last check found nothing' : 'there was no check yet',
        ],
  ];
}

/** One of them is true, for this reason. */
export function oneOf(
  which: 'Ready' | 'Reconciling' | 'Stalled',
  reason: string,
  message: string,
): readonly ConditionFinding[] {
  const types = ['Ready', 'Reconciling', 'Stalled'] as const;
  return types.map((type) => [type, type === which ? 'True' : 'False', reason, message]);
}

/** It comes before the faults, which may be many. */
function stillRuns(shown: ManifestOfObject | undefined): string {
  if (shown === undefined) return 'the document is not accepted, and nothing of this object runs:';
  const { generation, manifest } = shown;
  const [state] = manifestMessage(manifest).split('\n');
  return `the document is not accepted; what Kubeloom has is generation ${generation} of this object (${reportedStatus(manifest)}: ${state}):`;
}

/** Kubernetes takes 32 KiB; no one reads that much. */
export const cut = (text: string): string => (text.length > 4000 ? `${text.slice(0, 3999)}…` : text);

export interface WrittenAt {
  /** ISO 8601. */
  readonly now: string;
  /** Generation of the object that the operator decided about. */
  readonly generation: number;
  /** That whose document Kubeloom has: what exists is of it. @default `generation` */
  readonly accepted?: number | undefined;
}

/** The conditions as they are from now on: the time of a change is kept while the status is the same. */
export function conditionsOf(
  before: readonly ObjectCondition[],
  findings: readonly ConditionFinding[],
  { now, generation, accepted = generation }: WrittenAt,
): ObjectCondition[] {
  const changed = findings.map(([type, status, reason, message]) => {
    const old = before.find((one) => one.type === type);
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
    const observedGeneration = ofWhatExists.has(type) ? accepted : generation;
    return { type, status, reason, message: cut(message), lastTransitionTime, observedGeneration };
  });
  const kept = before.filter(({ type }) => !changed.some((one) => one.type === type));
  const order = (one: ObjectCondition): number => conditionTypes.indexOf(one.type);
  return [...kept, ...changed].toSorted((one, other) => order(one) - order(other));
}

const ofWhatExists: ReadonlySet<ConditionType> = new Set(['Progressing', 'Degraded', 'DriftFree']);
