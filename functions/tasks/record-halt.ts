/** Record Halt: a roll-out whose execution cannot continue reports it; resuming it continues where it was. */
import { RecordHaltInput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { changeRollOut, reportRollOut } from '../pipeline/roll-outs/change-roll-out.ts';
import { sentenceOf } from '../pipeline/runs/failure-record.ts';

const uses = ['events.append', 'rollOuts.get', 'rollOuts.put'] as const;

export const handler = taskHandler(RecordHaltInput, uses, async ({ execution, failure, ...key }, deps) => {
  const because = `a step of the roll-out failed: ${sentenceOf(failure.Cause)}`.slice(0, 500);
  const record = await changeRollOut(deps, key, (stored) =>
    stored.execution === execution && stored.status === 'Running' ? { status: 'Halted', halted: because } : undefined,
  );
  if (record.execution === execution) await reportRollOut(deps, key, 'RollOutHalted', `halted: ${because}`);
});
