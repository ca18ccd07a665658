/** The failure that a waypoint ended with: the one a stage recorded, else the error of the state machine. */
import type { ClusterFailure, ClusterRecord } from '#contracts/records.ts';
import type { StageError } from '#contracts/stage.ts';
import type { ClusterRun, PlanInput, StateError } from '#contracts/state-inputs.ts';
import type { ErrorName } from '#domain/errors.ts';
import { innermost, passes } from './service-faults.ts';

export interface FailureQuestion {
  readonly run: ClusterRun;
  readonly record: ClusterRecord;
  readonly plan: PlanInput | undefined;
  /** The error in the state machine; undefined: the failure that the run recorded was already assessed. */
  readonly fault: StateError | undefined;
  readonly now: string;
}

export function recordedFailure(question: FailureQuestion): ClusterFailure {
  const { run, record, plan, fault, now } = question;
  const recorded = record.failure?.runId === run.runId ? record.failure : undefined;
  const ofWaypoint = plan !== undefined && recorded?.attemptPrefix?.startsWith(`${plan.waypointPrefix}/`) === true;
  if (recorded && fault === undefined) return recorded;
  const real = innermost(fault ?? { Error: 'InternalFault', Cause: 'the pipeline stopped without a reason' });
  const stage = record.progress?.runId === run.runId ? record.progress.stage : undefined;
  const where = { ...(stage && { stage }), runId: run.runId, at: now };
  if (real.Error === buildStillRuns) return { ...stuckError(run, stage, real), ...where, ...afterStop(recorded) };
  if (recorded && ofWaypoint) return recorded;
  const retryable = passes(real);
  const retry = `retry, and report it with the run id ${run.runId}`;
  return {
    class: retryable ? 'platform' : 'bug',
    code: real.Error,
    message: sentenceOf(real.Cause).slice(0, 2000),
    hint: retryable
      ? `A service below Kubeloom was slow or did not answer. If it keeps failing, ${retry}.`
      : `This is a fault of Kubeloom or of the services below it; ${retry}.`,
    retryable,
    ...where,
  };
}

const buildStillRuns = 'BuildStillRuns' satisfies ErrorName;

/** It has priority over what failed before: whatever follows would work next to the build. */
function stuckError(run: ClusterRun, stage: string | undefined, { Error: code, Cause }: StateError): StageError {
  const build = stage === undefined ? 'A build' : `A build of ${stage}`;
  return {
    class: 'stuck',
    code,
    message: `${build} has not ended, as far as can be seen: ${sentenceOf(Cause)}`.slice(0, 2000),
    hint: `If it still runs in CodeBuild, stop it there (aws codebuild stop-build --id BUILD), then: kubeloom retry ${run.name}. Nothing is started before it has ended.`,
    retryable: true,
  };
}

function afterStop(before: ClusterFailure | undefined): Pick<ClusterFailure, 'outcome'> {
  return before ? { outcome: { kind: 'buildLeft', before: { code: before.code, message: before.message } } } : {};
}

/** Lambda and Step Functions put JSON into `Cause`; what people want of it is the message. */
export function sentenceOf(cause: string): string {
  const message = /"(?:errorMessage|Cause)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(cause)?.[1];
  if (message === undefined) return cause || 'no cause was given';
  const inner: unknown = JSON.parse(message);
  return typeof inner === 'string' && inner !== '' ? inner : cause;
}
