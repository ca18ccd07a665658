/** What a collected result changes in the cluster record. */
import type { ClusterRecord, HeldPool } from '#contracts/records.ts';
import type { StageResult } from '#contracts/stage.ts';
import type { ClusterRun, CollectResultInput } from '#contracts/state-inputs.ts';
import { allPools, type ClusterState } from '#domain/cluster-state.ts';
import type { StageName } from '#domain/plan.ts';
import type { Using } from '../../ports.ts';
import { knownFacts } from '../records/known-facts.ts';
import { marked } from './done-stages.ts';
import { failureOf, type StageDecision } from './stage-decision.ts';

export interface Collected {
  readonly input: CollectResultInput;
  readonly result: StageResult | undefined;
  readonly verdict: StageDecision;
  readonly record: ClusterRecord;
  readonly attemptPrefix: string;
  readonly at: string;
}

/** Undefined when nothing has to be written: a retry, or a rung of the ladder that held. */
export async function stageChange(
  collected: Collected,
  deps: Using<'artifacts.getText'>,
): Promise<Partial<ClusterRecord> | undefined> {
  const { input, verdict, record, attemptPrefix, at } = collected;
  const { stage } = input.slot;
  // Nothing was to change; Record Drift handles the findings of a check.
  if (stage === 'drift') return undefined;
  const { output, error } = verdict;
  const done = verdict.succeeded && input.slot.mode === 'do' ? await progressed(collected, stage, deps) : undefined;
  if (output.outcome !== 'failed' || !error) return done;
  const failure = failureOf({ input, stage, error }, { attemptPrefix, at, before: record.failure });
  // What exists by now is reported for a rollback, which forgets it.
  return { facts: await knownFacts(deps, record), ...done, failure };
}

async function progressed(
  { input: { run, slot }, result, record, at }: Collected,
  stage: StageName,
  deps: Using<'artifacts.getText'>,
): Promise<Partial<ClusterRecord>> {
  const doneStages = marked(record, stage);
  const held = heldPoolsOf(run, result, record.attempted);
  const kept = {
    ...(doneStages && { doneStages }),
    ...(held.length > 0 && { heldPools: [...(record.heldPools ?? []), ...held] }),
    // Addresses are worth showing while the long stages that follow run.
    ...(stage === 'infrastructure' && { facts: await knownFacts(deps, record) }),
  };
  if (record.progress === null) return kept;
  const { stage: _done, ...rest } = record.progress;
  return { ...kept, progress: { ...rest, step: slot.step, ...(slot.next && { stage: slot.next }), updatedAt: at } };
}

/** Pools by name and role: a new attempt gives them other ids. */
function heldPoolsOf(
  run: ClusterRun,
  result: StageResult | undefined,
  target: ClusterState | null,
): readonly HeldPool[] {
  const pools = target === null ? [] : allPools(target);
  return (result?.failedPools ?? []).flatMap(({ pool: id, error: failure }) => {
    const pool = pools.find((candidate) => candidate.id === id);
    const { generation, attempt } = run;
    return pool ? [{ pool: pool.name, role: pool.role, generation, attempt, failure }] : [];
  });
}
