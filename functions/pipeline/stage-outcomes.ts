/** What a collected result changes in the cluster record, and what people are told of it. */
import type { ClusterRecord, RunEvent } from '#contracts/records.ts';
import type { StageResult } from '#contracts/stage.ts';
import type { CollectResultInput } from '#contracts/state-inputs.ts';
import type { Deps } from '../ports.ts';
import { clusterEvent } from './cluster-records.ts';
import { knownFacts } from './known-facts.ts';
import { failureOf, type judgeStage } from './stage-verdict.ts';

type Verdict = ReturnType<typeof judgeStage>;

export interface Collected {
  readonly input: CollectResultInput;
  readonly verdict: Verdict;
  readonly record: ClusterRecord;
  readonly attemptPrefix: string;
  readonly at: string;
}

/** Undefined when nothing has to be written: a retry, or a rung of the ladder that held. */
export async function stageChange(
  { input, verdict, record, attemptPrefix, at }: Collected,
  deps: Pick<Deps, 'artifacts'>,
): Promise<Partial<ClusterRecord> | undefined> {
  const { slot } = input;
  const { output, error } = verdict;
  if (output.outcome === 'failed' && error) {
    return { failure: failureOf(input, error, { attemptPrefix, at, before: record.failure }) };
  }
  if (output.outcome === 'retry' || slot.mode === 'undo' || record.progress === null) return undefined;
  const { stage: _done, ...rest } = record.progress;
  const progress = { ...rest, step: slot.step, ...(slot.next && { stage: slot.next }), updatedAt: at };
  // Addresses are worth showing while the long stages that follow run.
  if (slot.stage === 'infrastructure') return { progress, facts: await knownFacts(deps, record) };
  return { progress };
}

export function stageEvent(
  { run, slot, try: { attempt } }: CollectResultInput,
  { output, error }: Verdict,
  result: StageResult | undefined,
  at: string,
): RunEvent {
  const what = slot.mode === 'undo' ? `undoing ${slot.stage}` : slot.stage;
  const about = { stage: slot.stage, ...(error?.resource && { node: error.resource }) };
  if (!error) {
    const seconds = result ? (Date.parse(result.endedAt) - Date.parse(result.startedAt)) / 1000 : 0;
    const counts = Object.entries(result?.summary ?? {}).map(([name, value]) => `${name} ${value}`);
    const message = `${[`${what} took ${seconds.toFixed(1)} s`, ...counts].join(', ')}`;
    const kind = slot.mode === 'undo' ? 'StageUndone' : 'StageSucceeded';
    return clusterEvent(run, at, { level: 'info', kind, message, ...about });
  }
  const cause = `${error.class} ${error.code}: ${error.message}`;
  if (output.outcome === 'retry') {
    const message = `${what} failed, try ${attempt + 1} follows in ${output.pauseSeconds} s. ${cause}`;
    return clusterEvent(run, at, { level: 'warning', kind: 'StageRetried', message, ...about });
  }
  const tries = attempt > 1 ? ` after ${attempt} tries` : '';
  const message = `${what} failed${tries}. ${cause} What to do: ${error.hint}`;
  return clusterEvent(run, at, { level: 'error', kind: 'StageFailed', message, ...about });
}
