/** Collect Result: the result of the runner is recorded; a stage that may succeed a second time is retried in place. */
import { type StageError, StageResult, waypointKeys } from '#contracts/stage.ts';
import { CollectResultInput, type CollectResultOutput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { isCancelled } from '../pipeline/records/cancellation.ts';
import { changed, clusterOf, keyOf } from '../pipeline/records/cluster-records.ts';
import { readDocument } from '../pipeline/records/known-facts.ts';
import { decideStage } from '../pipeline/stages/stage-decision.ts';
import { stageEvents } from '../pipeline/stages/stage-events.ts';
import { stageChange } from '../pipeline/stages/stage-outcomes.ts';
import type { Using } from '../ports.ts';

/** Why the try before this one failed; undefined for the first. */
async function errorBefore(
  { slot, try: { attempt } }: CollectResultInput,
  deps: Using<'artifacts.getText'>,
): Promise<StageError | undefined> {
  if (attempt < 2) return undefined;
  const prefix = waypointKeys.attempt(slot.waypointPrefix, slot.stage, slot.mode, attempt - 1);
  return (await readDocument(deps, waypointKeys.result(prefix), StageResult))?.error;
}

const uses = ['artifacts.getText', 'clusters.get', 'clusters.put', 'events.append', 'manifests.head'] as const;

export const handler = taskHandler(CollectResultInput, uses, async (input, deps): Promise<CollectResultOutput> => {
  const { run, slot } = input;
  const at = deps.clock.now().toISOString();
  const attemptPrefix = waypointKeys.attempt(slot.waypointPrefix, slot.stage, slot.mode, input.try.attempt);
  const [result, record, manifest] = await Promise.all([
    readDocument(deps, waypointKeys.result(attemptPrefix), StageResult),
    clusterOf(deps, run),
    deps.manifests.head(keyOf(run)),
  ]);
  const stop = isCancelled(manifest, run);
  const earlier = stop ? await errorBefore(input, deps) : undefined;
  const question = { input, result, earlier, target: record.attempted, cancelled: stop, at, config: deps.config };
  const verdict = decideStage(question);
  const collected = { input, result, verdict, record, attemptPrefix, at };
  const change = await stageChange(collected, deps);
  if (change) await deps.clusters.put(changed(record, run, change));
  await deps.events.append(keyOf(run), stageEvents(collected, deps.config));
  return verdict.output;
});
