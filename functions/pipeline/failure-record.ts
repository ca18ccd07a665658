/** The failure that a waypoint ended with: the one a stage recorded, else what the state machine says of itself. */
import type { ClusterFailure, ClusterRecord } from '#contracts/records.ts';
import type { ClusterRun, Fault, PlanInput } from '#contracts/state-inputs.ts';

export interface FailureQuestion {
  readonly run: ClusterRun;
  readonly record: ClusterRecord;
  readonly plan: PlanInput | undefined;
  readonly fault: Fault | undefined;
  readonly now: string;
}

export function failureBehind({ run, record, plan, fault, now }: FailureQuestion): ClusterFailure {
  const { failure } = record;
  const ofWaypoint = plan !== undefined && failure?.attemptPrefix?.startsWith(`${plan.waypointPrefix}/`) === true;
  const ofPlan = plan?.direction === 'refused' && ['PlanRefused', 'Cancelled'].includes(failure?.code ?? '');
  if (failure && failure.runId === run.runId && (ofWaypoint || ofPlan)) return failure;
  const stage = record.progress?.runId === run.runId ? record.progress.stage : undefined;
  const { Error: name, Cause: cause } = fault ?? {
    Error: 'InternalFault',
    Cause: 'the pipeline stopped without saying why',
  };
  const passing = name === 'States.Timeout' || name === 'ServiceUnavailable' || name.startsWith('StepFunctions.');
  return {
    class: passing ? 'transient' : 'bug',
    code: name,
    message: sentenceOf(cause).slice(0, 2000),
    hint: `This is a fault of Kubeloom or of the services below it; retry, and report it with the run id ${run.runId}.`,
    retryable: passing,
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
