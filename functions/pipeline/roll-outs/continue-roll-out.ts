/** What follows when the execution of a roll-out ended without an outcome: another one continues it, a bounded number of times. */
import type { RollOutKey, RollOutRecord } from '#contracts/roll-outs.ts';
import type { EndedRollOutInput } from '#contracts/state-inputs.ts';
import type { Using } from '../../ports.ts';
import { changeRollOut, reportRollOut } from './change-roll-out.ts';

type StartPorts = Using<'rollOuts.get' | 'rollOuts.put' | 'workflows.startRollOut' | 'clock'>;

/** Doing it twice is fine. Throws `ServiceUnavailable` when nothing can be started: it is continued when this is called again. */
export async function continueRollOut(
  { status, input: { execution, ...key } }: EndedRollOutInput,
  deps: StartPorts & Using<'events.append' | 'config'>,
): Promise<void> {
  const most = deps.config.KUBELOOM_MAX_CUT_OFFS;
  let interrupted = false;
  const record = await changeRollOut(deps, key, (stored) => {
    interrupted = stored.status === 'Running' && stored.execution === execution;
    return interrupted ? afterInterruption(stored, status, most) : undefined;
  });
  if (interrupted && record.status === 'Halted')
    return reportRollOut(deps, key, 'RollOutHalted', `halted: ${record.halted}`);
  if (interrupted)
    await reportRollOut(deps, key, 'RollOutInterrupted', `its execution ended ${status}; it continues where it was`);
  if (record.status === 'Running' && record.execution === execution + 1) await startRollOutExecution(deps, record);
}

/** An interrupted pause between waves costs nothing, so it does not count: a roll-out may wait for days. */
function afterInterruption(
  stored: RollOutRecord,
  status: EndedRollOutInput['status'],
  most: number,
): Partial<RollOutRecord> {
  const ended = stored.clusters.filter(({ state }) => state !== 'waiting' && state !== 'running').length;
  const counts = status === 'FAILED' || stored.clusters.some(({ state }) => state === 'running');
  const before = stored.interruptions?.ended === ended ? stored.interruptions.count : 0;
  const count = before + (counts ? 1 : 0);
  if (count < most) return { execution: stored.execution + 1, interruptions: { count, ended } };
  const halted = `${count} executions in a row were interrupted and no cluster was finished; find out why, then resume it`;
  return { status: 'Halted', halted, interruptions: undefined };
}

/** Starts the execution that its record names, under a name of its own. Returns what is stored then. */
export async function startRollOutExecution(
  deps: StartPorts,
  { namespace, id, execution }: RollOutKey & Pick<RollOutRecord, 'execution'>,
): Promise<RollOutRecord> {
  const executionArn = await deps.workflows.startRollOut(`${id}-e${execution}`, { namespace, id, execution });
  return changeRollOut(deps, { namespace, id }, (stored) =>
    stored.execution === execution && stored.executionArn !== executionArn ? { executionArn } : undefined,
  );
}
