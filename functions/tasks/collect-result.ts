/** Collect Result: what the runner left is recorded; a stage that may go well a second time is tried again in place. */
import { StageResult, waypointKeys } from '#contracts/stage.ts';
import { CollectResultInput, type CollectResultOutput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { changed, clusterOf, keyOf } from '../pipeline/cluster-records.ts';
import { readDocument } from '../pipeline/known-facts.ts';
import { stageChange, stageEvent } from '../pipeline/stage-outcomes.ts';
import { judgeStage } from '../pipeline/stage-verdict.ts';

export const handler = taskHandler(CollectResultInput, async (input, deps): Promise<CollectResultOutput> => {
  const { run, slot } = input;
  const at = deps.clock.now().toISOString();
  const attemptPrefix = waypointKeys.attempt(slot.waypointPrefix, slot.stage, slot.mode, input.try.attempt);
  const [result, record] = await Promise.all([
    readDocument(deps, waypointKeys.result(attemptPrefix), StageResult),
    clusterOf(deps, run),
  ]);
  const verdict = judgeStage({ input, result, config: deps.config });
  const change = await stageChange({ input, verdict, record, attemptPrefix, at }, deps);
  if (change) await deps.clusters.put(changed(record, run, change));
  await deps.events.append(keyOf(run), [stageEvent(input, verdict, result, at)]);
  return verdict.output;
});
