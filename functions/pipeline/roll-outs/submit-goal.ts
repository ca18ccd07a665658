/** Stores what a roll-out planned for a cluster as the next generation of its manifest; its run is started by the state machine. */
import type { ManifestHead, ManifestRecord } from '#contracts/records.ts';
import { RollOutGoals, type RollOutKey, type RollOutRecord, rollOutKeys } from '#contracts/roll-outs.ts';
import type { SubmitClusterOutput } from '#contracts/state-inputs.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import type { RollOutCluster } from '#domain/roll-out/roll-out.ts';
import type { Using } from '../../ports.ts';
import { storeDriftCheck } from '../drift/start-drift-check.ts';
import { queueRun, storeNext } from '../manifests/next-generation.ts';
import { makingNow, nextRecord } from '../records/next-record.ts';
import { changedText, clusterOutcome } from './cluster-outcome.ts';

/** Throws when it was lost. */
export async function goalsOf(
  deps: Using<'artifacts.getText'>,
  key: RollOutKey & Pick<RollOutRecord, 'direction'>,
  cluster: string,
): Promise<RollOutGoals> {
  const text = await deps.artifacts.getText(rollOutKeys.goals(key, cluster));
  if (text !== undefined) return RollOutGoals.parse(JSON.parse(text));
  throw new PipelineError(
    'NotFound',
    `the document that roll-out ${key.id} planned for ${cluster} is no longer stored`,
  );
}

/** Called again, it stores nothing twice: what is stored says how far the earlier call came. */
export async function submitGoal(
  deps: Using<
    | 'artifacts.getText'
    | 'clusters.list'
    | 'events.append'
    | 'manifests.create'
    | 'manifests.get'
    | 'manifests.head'
    | 'manifests.replace'
    | 'runs.put'
    | 'clock'
    | 'ids'
  >,
  rollOut: RollOutRecord,
  name: string,
): Promise<SubmitClusterOutput> {
  const { namespace } = rollOut;
  const planned = rollOut.clusters.find((cluster) => cluster.name === name);
  if (planned === undefined) throw new PipelineError('NotFound', `roll-out ${rollOut.id} has no cluster ${name}`);
  const stored = await deps.manifests.get({ namespace, name });
  const answer = { namespace, name, runId: stored?.runId ?? '', refused: '' };
  if (stored?.deleting) return { ...answer, start: false, refused: 'its manifest was deleted' };
  if (stored?.paused) return { ...answer, start: false, refused: 'it is paused; resume it first' };
  const reached = stored?.checksum === planned.goal;
  if (reached && stored.status === 'Done') return checkIll(deps, rollOut, planned, { stored, answer });
  // An earlier call stored it: the same run, unless that failed and what exists is being checked.
  if (reached && stored.status !== 'Failed' && stored.failed === undefined) return { ...answer, start: true };
  if (!reached && (stored?.generation ?? null) !== planned.before) {
    return { ...answer, start: false, refused: stored ? changedText(stored) : 'its manifest was deleted' };
  }
  const next = await nextOf(deps, rollOut, { stored, planned, again: reached });
  try {
    await storeNext(deps, stored, next.record);
  } catch (cause) {
    if (!isPipelineError(cause, 'NameTaken')) throw cause;
    return { ...answer, start: false, refused: cause.message };
  }
  const { record, reason } = next;
  const message = `generation ${record.generation}, attempt ${record.attempt}: ${reason}`;
  const event = { at: record.updatedAt, runId: record.runId, level: 'info', kind: 'Requested', message } as const;
  await Promise.allSettled([deps.events.append(record, [event]), queueRun(deps, record, reason)]);
  return { ...answer, start: true, runId: record.runId };
}

/** One that was ill when it was compared last may be well by now: a check says so, and repairs nothing. */
async function checkIll(
  deps: Using<'clusters.list' | 'manifests.head' | 'manifests.replace' | 'runs.put' | 'clock'>,
  { id, namespace }: RollOutRecord,
  planned: RollOutCluster,
  { stored, answer }: { readonly stored: ManifestHead; readonly answer: Omit<SubmitClusterOutput, 'start'> },
): Promise<SubmitClusterOutput> {
  const { kind } = await clusterOutcome(deps, namespace, planned);
  if (kind !== 'failed') return { ...answer, start: false };
  const check = await storeDriftCheck(deps, stored, 'reportAll');
  await queueRun(deps, check, `drift check of roll-out ${id}`);
  return { ...answer, start: true, runId: check.runId };
}

async function nextOf(
  deps: Using<'artifacts.getText' | 'clock' | 'ids'>,
  rollOut: RollOutRecord,
  {
    stored,
    planned: { name, acceptedCost },
    again,
  }: { readonly stored: ManifestRecord | undefined; readonly planned: RollOutCluster; readonly again: boolean },
) {
  const key = { namespace: rollOut.namespace, name };
  const { goal } = await goalsOf(deps, rollOut, name);
  const { document, origin, templates = {}, templateSecrets = {}, plan } = goal;
  const reason = again ? `retried by roll-out ${rollOut.id}` : origin.reason;
  const desired = {
    document,
    deleting: false,
    again,
    templates: { templates, templateSecrets },
    ...(again ? {} : { origin, plan: plan ?? null, acceptedCost }),
  };
  return { record: nextRecord(makingNow(deps), key, stored, desired), reason };
}
