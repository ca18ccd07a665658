/** The second net under roll-outs: the event of the end of an execution continues them, but may be lost, or what it starts may fail. */
import type { RollOutRecord } from '#contracts/roll-outs.ts';
import { aheadOf } from '../../ahead.ts';
import type { Using } from '../../ports.ts';
import { changeRollOut } from '../roll-outs/change-roll-out.ts';
import { continueRollOut, startRollOutExecution } from '../roll-outs/continue-roll-out.ts';

/** Every step writes its record; between waves nothing does, and then it is only asked whether it is alive. */
const quietMinutes = 10;
/** In one tick; the others follow at the next. */
const atMost = 20;

type Ports = Parameters<typeof continueRollOut>[1] & Using<'rollOuts.quiet' | 'workflows.status'>;

/** How many were started or continued. Throws what the first of them fails with, after all others. */
export async function watchQuietRollOuts(deps: Ports): Promise<number> {
  const before = new Date(deps.clock.now().getTime() - quietMinutes * 60_000).toISOString();
  const quiet = await deps.rollOuts.quiet(before, atMost);
  const outcomes = await Array.fromAsync(aheadOf(quiet, (record) => settledOf(watch(deps, record))));
  const fault = outcomes.find((outcome) => outcome.status === 'rejected');
  if (fault) throw fault.reason;
  return outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length;
}

const settledOf = async <Value>(work: Promise<Value>): Promise<PromiseSettledResult<Value>> => {
  const [outcome] = await Promise.allSettled([work]);
  return outcome;
};

/** Whether there was something to do. */
async function watch(deps: Ports, record: RollOutRecord): Promise<boolean> {
  const { namespace, id, execution } = record;
  // Its start may have failed: an execution that was started is only named by that.
  const { executionArn = '' } = await startRollOutExecution(deps, record);
  const status = (await deps.workflows.status(executionArn)) ?? 'ABORTED';
  if (status === 'RUNNING') {
    // From now on it is quiet for another while.
    await changeRollOut(deps, record, ({ version }) => (version === record.version ? {} : undefined));
    return executionArn !== record.executionArn;
  }
  const ended = status === 'FAILED' || status === 'TIMED_OUT' ? status : 'ABORTED';
  await continueRollOut({ status: ended, input: { namespace, id, execution } }, deps);
  return true;
}
