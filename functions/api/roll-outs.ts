/** Roll-outs: listed, described, paused, resumed, undone, cancelled. */
import { operations } from '#contracts/operations/operations.ts';
import type { RollOutDescription, RollOutRecord, RollOutVerb } from '#contracts/roll-outs.ts';
import { countStates, isEnded } from '#domain/roll-out/roll-out.ts';
import { type AdmittedCaller, callerText } from '../caller.ts';
import { type RefusableVerb, refuseVerb } from '../pipeline/records/refuse-verb.ts';
import { changeRollOut, reportRollOut, storedRollOut } from '../pipeline/roll-outs/change-roll-out.ts';
import { startRollOutExecution } from '../pipeline/roll-outs/continue-roll-out.ts';
import { refuseUnstoredDocuments, restoreDocuments } from '../pipeline/roll-outs/roll-out-documents.ts';
import { undoRollOut } from '../pipeline/roll-outs/undo-roll-out.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';
import { unlessSeen } from './http/not-modified.ts';

/** Newest first; older ones can still be asked for by their id. */
const listedAtMost = 50;

export const listRollOuts = handle(operations.listRollOuts, async ({ path: { namespace }, headers }, deps) => {
  const records = await deps.rollOuts.list(namespace, listedAtMost);
  return unlessSeen(headers, { items: await summaries(deps, records) });
});

/** More than a person reads. */
const troubledAtMost = 200;

/** Those that are interrupted continue automatically, as a rule within minutes. */
export const listTroubledRollOuts = handle(
  operations.listTroubledRollOuts,
  async ({ query: { namespace }, caller, headers }, deps) => {
    const [halted, running] = await Promise.all([
      deps.rollOuts.halted(troubledAtMost),
      deps.rollOuts.quiet(deps.clock.now().toISOString(), troubledAtMost),
    ]);
    const visible = [...halted, ...running].filter(
      (record) => caller.may('viewer', record.namespace) && (namespace ?? record.namespace) === record.namespace,
    );
    const items = (await summaries(deps, visible)).filter(({ status }) => status !== 'Running');
    return unlessSeen(headers, { items });
  },
);

async function summaries(deps: Pick<ApiPorts, 'workflows'>, records: readonly RollOutRecord[]) {
  return Promise.all(
    records.map(async (record) => {
      const described = describeRollOut(record, await executionStatus(deps, record));
      const { clusters: _, settings: _settings, plan: _plan, ...summary } = described;
      return summary;
    }),
  );
}

export const getRollOut = handle(operations.getRollOut, async ({ path, headers }, deps) => {
  const record = await storedRollOut(deps, path);
  return unlessSeen(headers, describeRollOut(record, await executionStatus(deps, record)));
});

export const changeRollOutState = handle(operations.changeRollOutState, async ({ path, caller }, deps) => {
  const { verb, ...key } = path;
  const stored = await storedRollOut(deps, key);
  const alive = (await executionStatus(deps, stored)) === 'RUNNING';
  const record = await verbs[verb](deps, stored, { alive, caller });
  return { json: describeRollOut(record, await executionStatus(deps, record)) };
});

interface Situation {
  /** Its execution runs. */
  readonly alive: boolean;
  readonly caller: AdmittedCaller;
}
type Act = (deps: ApiPorts, record: RollOutRecord, situation: Situation) => Promise<RollOutRecord>;

const verbs: Readonly<Record<RollOutVerb, Act>> = {
  async pause(deps, key, { alive, caller }) {
    const record = await changeRollOut(deps, key, (stored) => {
      if (stored.status !== 'Running') refuseVerb({ rollOut: stored.id }, 'pause', `it is ${stored.status}`);
      if (!alive) refuseVerb({ rollOut: stored.id }, 'pause', 'its execution ended early; resume, undo or cancel it');
      return { paused: true };
    });
    await reportRollOut(deps, record, 'RollOutPaused', `pause requested by ${callerText(caller)}`, caller.name);
    return record;
  },
  /** Failed clusters are retried. */
  async resume(deps, key, { alive, caller }) {
    if (key.direction === 'forward') await refuseUnstoredDocuments(deps, key);
    else await restoreDocuments(deps, key, caller);
    const record = await changeRollOut(deps, key, (stored) => {
      if (isEnded(stored)) refuseVerb({ rollOut: stored.id }, 'resume', `it is ${stored.status}`);
      const { paused: _, halted: _halted, ...rest } = stored;
      // It has not stopped yet, and need not.
      if (stored.status === 'Running' && alive) {
        if (!stored.paused) refuseVerb({ rollOut: stored.id }, 'resume', 'it is running');
        return { ...rest, paused: undefined };
      }
      const clusters = stored.clusters.map((one) =>
        one.state === 'failed' ? { ...one, state: 'waiting' as const } : one,
      );
      const { execution } = stored;
      const again = { paused: undefined, halted: undefined, interruptions: undefined, execution: execution + 1 };
      return { ...rest, ...again, status: 'Running', clusters };
    });
    await reportRollOut(deps, record, 'RollOutStarted', `resumed by ${callerText(caller)}`, caller.name);
    return record.execution === key.execution ? record : startExecution(deps, record);
  },
  async undo(deps, key, { alive, caller }) {
    refuseWhileRunning(key, 'undo', alive);
    if (key.direction === 'back')
      refuseVerb(
        { rollOut: key.id },
        'undo',
        'it is being undone, was undone, or its undo was cancelled; resume it if it halted',
      );
    const record = await undoRollOut(deps, key, caller);
    await reportRollOut(deps, record, 'RollOutStarted', `undo started by ${callerText(caller)}`, caller.name);
    return startExecution(deps, record);
  },
  async cancel(deps, key, { alive, caller }) {
    const record = await changeRollOut(deps, key, (stored) => {
      if (isEnded(stored)) refuseVerb({ rollOut: stored.id }, 'cancel', `it is ${stored.status}`);
      refuseWhileRunning(stored, 'cancel', alive);
      const execution = stored.execution + 1;
      return { status: 'Cancelled', execution, endedAt: deps.clock.now().toISOString() };
    });
    const message = `cancelled by ${callerText(caller)}; finished clusters keep the change, the others are not touched`;
    await reportRollOut(deps, record, 'RollOutEnded', message, caller.name);
    return record;
  },
};

/** While the roll-out works on clusters, no other verb is accepted. */
function refuseWhileRunning(record: RollOutRecord, verb: RefusableVerb, alive: boolean): void {
  const running = record.clusters.filter(({ state }) => state === 'running').length;
  if (running === 0 || !alive || record.status !== 'Running') return;
  refuseVerb(
    { rollOut: record.id },
    verb,
    `${running} of its clusters are in progress; pause it, and wait until it is Paused`,
  );
}

/** If that fails, the roll-out is there all the same, and can be resumed. */
export async function startExecution(deps: ApiPorts, record: RollOutRecord): Promise<RollOutRecord> {
  const [started] = await Promise.allSettled([startRollOutExecution(deps, record)]);
  return started.status === 'rejected' ? record : started.value;
}

async function executionStatus(
  deps: Pick<ApiPorts, 'workflows'>,
  { status, executionArn }: RollOutRecord,
): Promise<string | undefined> {
  return status === 'Running' && executionArn !== undefined ? deps.workflows.status(executionArn) : undefined;
}

export function describeRollOut(record: RollOutRecord, execution: string | undefined): RollOutDescription {
  const { namespace, id, direction, status, clusters, settings, soak } = record;
  const soaks = status === 'Running' && soak && !soak.checked && !clusters.some(({ state }) => state === 'running');
  const interrupted = status === 'Running' && execution !== 'RUNNING';
  const waves = [...new Set(clusters.map(({ wave }) => wave))].sort((one, other) => one - other);
  return {
    namespace,
    id,
    direction,
    status: interrupted ? 'Interrupted' : status,
    settings,
    plan: record.plan ?? null,
    pausing: status === 'Running' && record.paused === true,
    interrupted,
    startedBy: record.startedBy,
    startedAt: record.startedAt,
    endedAt: record.endedAt ?? null,
    halted: (status === 'Halted' ? record.halted : undefined) ?? null,
    soakUntil: soaks ? soak.until : null,
    waves: waves.map((wave) => {
      const all = clusters.filter((one) => one.wave === wave);
      return { clusters: all.length, done: all.filter(({ state }) => state === 'done' || state === 'undone').length };
    }),
    states: { ...countStates(record) },
    clusters: clusters.map(({ goal: _, acceptedCost: _cost, ...cluster }) => cluster),
  };
}
