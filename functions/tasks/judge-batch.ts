/** Judge Batch: the outcomes of the clusters of the batch; clusters whose runs continue are judged later. */
import { JudgeBatchInput, type JudgeBatchOutput } from '#contracts/state-inputs.ts';
import { aheadOf } from '../ahead.ts';
import { taskHandler } from '../middleware.ts';
import { changeRollOut, storedRollOut } from '../pipeline/roll-outs/change-roll-out.ts';
import { clusterOutcome } from '../pipeline/roll-outs/cluster-outcome.ts';
import { sentenceOf } from '../pipeline/runs/failure-record.ts';

const uses = ['clusters.list', 'manifests.head', 'rollOuts.get', 'rollOuts.put'] as const;

export const handler = taskHandler(
  JudgeBatchInput,
  uses,
  async ({ execution, batch, ...key }, deps): Promise<JudgeBatchOutput> => {
    const { clusters, direction } = await storedRollOut(deps, key);
    const running = clusters.filter(({ state }) => state === 'running');
    const judged = aheadOf(running, async (one) => {
      const refused = batch.find(({ cluster }) => cluster === one.name)?.refused;
      const because = refused ? sentenceOf(refused) : undefined;
      return [one.name, await clusterOutcome(deps, key.namespace, one, because)] as const;
    });
    const outcomes = new Map(await Array.fromAsync(judged));
    const record = await changeRollOut(deps, key, (stored) => {
      if (stored.execution !== execution) return undefined;
      const after = stored.clusters.map((one) => {
        const outcome = one.state === 'running' ? outcomes.get(one.name) : undefined;
        if (outcome?.kind === 'done') return { ...one, state: direction === 'forward' ? 'done' : 'undone' } as const;
        if (outcome?.kind === 'failed') return { ...one, state: 'failed', message: outcome.because } as const;
        return one;
      });
      return { clusters: after };
    });
    if (record.execution !== execution) return { outcome: 'superseded' };
    return { outcome: [...outcomes.values()].some(({ kind }) => kind === 'waits') ? 'wait' : 'judged' };
  },
);
