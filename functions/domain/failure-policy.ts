/** What follows a failure: the only table of error class × direction, for a stage and for a waypoint. */
import type { ErrorClass } from './errors.ts';
import type { FailureOutcome } from './failure-outcome.ts';
import { type Direction, revertible, type StageName, type UndoRung } from './plan.ts';

/** The numbers of `Config` that bound retries. */
export interface FailureLimits {
  readonly KUBELOOM_STAGE_RETRY_SECONDS: number;
  readonly KUBELOOM_MAX_STAGE_ATTEMPTS: number;
  readonly KUBELOOM_BACK_OFF_SECONDS: number;
  readonly KUBELOOM_MAX_BACK_OFFS: number;
}

export type WaypointDecision = 'rollBack' | 'backOff' | 'waitForNodes' | 'stop';

/** What starts a manifest again whose run failed: the scheduler, a Secret that is stored, or only a person. */
export type Restart = 'scheduled' | 'secretStored' | 'asked';

interface Policy {
  /** A stage is retried in place when its tool says that it may help. */
  readonly inPlace: boolean;
  /** A waypoint that can be undone. */
  readonly revertible: WaypointDecision;
  /** A waypoint that only goes forward; `backOff` becomes `stop` when the back-offs are used up. */
  readonly forwardOnly: WaypointDecision;
  /** Once the run has failed. */
  readonly restart: Restart;
  /** Why the decision is what it is. */
  readonly because: string;
}

/** The table. */
export const failurePolicy = {
  transient: {
    inPlace: true,
    revertible: 'rollBack',
    forwardOnly: 'backOff',
    restart: 'scheduled',
    because: 'the cause may disappear without a change',
  },
  conflict: {
    inPlace: true,
    revertible: 'rollBack',
    forwardOnly: 'backOff',
    restart: 'scheduled',
    because: 'another program was making a change',
  },
  capacity: {
    inPlace: false,
    revertible: 'rollBack',
    forwardOnly: 'backOff',
    restart: 'scheduled',
    because: 'the provider is full for now',
  },
  quota: {
    // Nothing reports to Kubeloom that a quota was raised.
    inPlace: false,
    revertible: 'rollBack',
    forwardOnly: 'stop',
    restart: 'scheduled',
    because: 'a quota must be raised first',
  },
  credentials: {
    // Clouds lock accounts after many refused logins.
    inPlace: false,
    revertible: 'rollBack',
    forwardOnly: 'stop',
    restart: 'secretStored',
    because: 'the credentials do not work',
  },
  user: {
    inPlace: false,
    revertible: 'rollBack',
    forwardOnly: 'stop',
    restart: 'asked',
    // Not always the manifest: it may be a machine, an account or a backup.
    because: 'a person has to change something first',
  },
  platform: {
    inPlace: false,
    revertible: 'backOff',
    forwardOnly: 'backOff',
    restart: 'scheduled',
    because: 'something that Kubeloom itself runs on failed',
  },
  stuck: {
    // Neither forward nor back: whatever is started would work next to it.
    inPlace: false,
    revertible: 'stop',
    forwardOnly: 'stop',
    restart: 'scheduled',
    because: 'a build of it may still run, and nothing is started next to it',
  },
  bug: {
    inPlace: false,
    revertible: 'rollBack',
    forwardOnly: 'stop',
    restart: 'asked',
    because: 'a retry would not help',
  },
} as const satisfies Record<ErrorClass, Policy>;

/** No pause is longer. */
export const longestPauseSeconds = 900;
/** What holds a node is compared again after at most this time. */
const longestNodePauseSeconds = 300;
/** A waypoint pauses for a node that is held no longer than this; the run then stops, and is retried like others. */
export const longestNodeWaitSeconds = 2 * 3600;
/** Between the end of a run that broke and its next attempt: finish-run waits that long. */
const longestRestartPauseSeconds = 300;

export interface FailedStage {
  readonly class: ErrorClass;
  readonly retryable: boolean;
  /** 1-based number of the attempt that failed. */
  readonly attempt: number;
  readonly config: FailureLimits;
}

/** Whether a failed stage is retried in place, and after what pause. */
export function assessStageFailure(failure: FailedStage): {
  readonly outcome: 'retry' | 'failed';
  readonly pauseSeconds: number;
} {
  const { config, attempt } = failure;
  const helps = failure.retryable && failurePolicy[failure.class].inPlace;
  if (!helps || attempt >= config.KUBELOOM_MAX_STAGE_ATTEMPTS) return { outcome: 'failed', pauseSeconds: 0 };
  return { outcome: 'retry', pauseSeconds: growing(config.KUBELOOM_STAGE_RETRY_SECONDS, attempt - 1) };
}

export interface WaypointFailure {
  readonly direction: Direction;
  readonly class: ErrorClass;
  /** How often this waypoint was backed off already. */
  readonly backOffs: number;
  readonly failedStage: StageName;
  /** Nodes are held, and the waypoint has paused for them so long already. */
  readonly waitedSeconds?: number;
  readonly config: FailureLimits;
}

/** What is done about a waypoint whose stage failed for good. */
export function assessWaypointFailure(failure: WaypointFailure): {
  readonly decision: WaypointDecision;
  readonly rung: UndoRung;
  readonly pauseSeconds: number;
  readonly outcome: FailureOutcome;
} {
  const { direction, backOffs, config } = failure;
  const policy = failurePolicy[failure.class];
  const rung = rungOf[failure.failedStage];
  if (revertible.includes(direction) && policy.revertible === 'rollBack') {
    return { decision: policy.revertible, rung, pauseSeconds: 0, outcome: { kind: 'undoing', direction } };
  }
  // A person waits for it, and asks for it again.
  if (policy.forwardOnly === 'stop' || direction === 'edit') {
    return { decision: 'stop', rung, pauseSeconds: 0, outcome: { kind: 'stops', direction } };
  }
  if (failure.waitedSeconds !== undefined) return assessNodeWait(failure, failure.waitedSeconds, rung);
  if (backOffs >= config.KUBELOOM_MAX_BACK_OFFS) {
    return { decision: 'stop', rung, pauseSeconds: 0, outcome: { kind: 'stops', direction, tries: backOffs + 1 } };
  }
  const pauseSeconds = growing(config.KUBELOOM_BACK_OFF_SECONDS, backOffs);
  const pause = { seconds: pauseSeconds, pause: backOffs + 1, of: config.KUBELOOM_MAX_BACK_OFFS };
  return { decision: 'backOff', rung, pauseSeconds, outcome: { kind: 'pauses', direction, ...pause } };
}

/** Not a failure, so it has a time of its own, and no number of tries. */
function assessNodeWait(
  { direction, config }: WaypointFailure,
  waited: number,
  rung: UndoRung,
): ReturnType<typeof assessWaypointFailure> {
  if (waited >= longestNodeWaitSeconds)
    return { decision: 'stop', rung, pauseSeconds: 0, outcome: { kind: 'stops', direction, waited: true } };
  const pauseSeconds = Math.min(
    longestNodePauseSeconds,
    Math.max(config.KUBELOOM_BACK_OFF_SECONDS, Math.round(waited)),
  );
  return { decision: 'waitForNodes', rung, pauseSeconds, outcome: { kind: 'waits', direction } };
}

/** The first rung of the rollback: the rung of the failed stage also undoes everything before it. */
const rungOf = {
  infrastructure: 'infrastructure',
  configuration: 'configuration',
  kubernetes: 'kubernetes',
  nodes: 'kubernetes',
  traffic: 'kubernetes',
} as const satisfies Record<StageName, UndoRung>;

function growing(first: number, pausesBefore: number): number {
  return Math.min(longestPauseSeconds, Math.round(first * 2 ** pausesBefore));
}

/** The pause before a run that ended by a temporary fault is started again; `breaksBefore`: how often that happened in a row. */
export function restartPauseSeconds(
  { KUBELOOM_BACK_OFF_SECONDS: first }: Pick<FailureLimits, 'KUBELOOM_BACK_OFF_SECONDS'>,
  breaksBefore: number,
): number {
  return Math.min(longestRestartPauseSeconds, growing(first, breaksBefore));
}
