/** Plan Batch: which clusters of a roll-out are next; the wave before is compared when it was watched long enough. */
import { type PlanBatchOutput, RollOutInput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { planBatch } from '../pipeline/roll-outs/plan-batch.ts';

const uses = [
  'clusters.list',
  'events.append',
  'manifests.head',
  'manifests.replace',
  'rollOuts.get',
  'rollOuts.put',
  'runs.put',
  'workflows.startReconcile',
] as const;

export const handler = taskHandler(
  RollOutInput,
  uses,
  async (input, deps): Promise<PlanBatchOutput> => planBatch(deps, input),
);
