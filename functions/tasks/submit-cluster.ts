/** Submit Cluster: the manifest of one cluster gets what the roll-out planned for it. */
import { SubmitClusterInput, type SubmitClusterOutput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { storedRollOut } from '../pipeline/roll-outs/change-roll-out.ts';
import { refuseOldExecution } from '../pipeline/roll-outs/cluster-outcome.ts';
import { submitGoal } from '../pipeline/roll-outs/submit-goal.ts';

const uses = [
  'artifacts.getText',
  'clusters.list',
  'events.append',
  'manifests.create',
  'manifests.get',
  'manifests.head',
  'manifests.replace',
  'rollOuts.get',
  'runs.put',
] as const;

export const handler = taskHandler(
  SubmitClusterInput,
  uses,
  async ({ execution, cluster, ...key }, deps): Promise<SubmitClusterOutput> => {
    const record = await storedRollOut(deps, key);
    refuseOldExecution(record, execution);
    return submitGoal(deps, record, cluster);
  },
);
