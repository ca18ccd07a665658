/** The failure that a waypoint ended with: the one a stage recorded, else the error of the state machine. */
import type { ClusterFailure, ClusterRecord } from '#contracts/records.ts';
import type { ClusterRun, PlanInput, StateError } from '#contracts/state-inputs.ts';
import { innermost, passes } from './service-faults.ts';

export interface FailureQuestion {
  readonly run: ClusterRun;
  readonly record: ClusterRecord;
  readonly plan: PlanInput | undefined;
  readonly fault: StateError | undefined;
  readonly now: string;
}

export function failureBehind({ run, record, plan, fault, now }: FailureQuestion): ClusterFailure {
  const { failure } = record;
  const ofWaypoint = plan !== undefined && failure?.attemptPrefix?.startsWith(`${plan.waypointPrefix}/`) === true;
  const ofPlan =
    plan?.direction === 'refused' && ['PlanRefused', 'PlanMoved', 'Cancelled'].includes(failure?.code ?? '');
  if (failure && failure.runId === run.runId && (ofWaypoint || ofPlan)) return failure;
  const stage = record.progress?.runId === run.runId ? record.progress.stage : undefined;
  const real = innermost(fault ?? { Error: 'InternalFault', Cause: 'the pipeline stopped without a reason' });
  const retryable = passes(real);
  const retry = `retry, and report it with the run id ${run.runId}`;
  return {
    class: retryable ? 'platform' : 'bug',
    code: real.Error,
    message: sentenceOf(real.Cause).slice(0, 2000),
    hint: retryable
      ? `A service below Kubeloom was slow or did not answer; Kubeloom retries automatically. If it keeps failing, ${retry}.`
      : `This is a fault of Kubeloom or of the services below it; ${retry}.`,
    retryable,
    ...(stage && { stage }),
    runId: run.runId,
    at: now,
    outcome: 'what follows is being decided',
  };
}

/** Lambda and Step Functions put JSON into `Cause`; what people want of it is the message. */
export function sentenceOf(cause: string): string {
  const message = /"(?:errorMessage|Cause)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(cause)?.[1];
  if (message === undefined) return cause || 'no cause was given';
  const inner: unknown = JSON.parse(message);
  return typeof inner === 'string' && inner !== '' ? inner : cause;
}
