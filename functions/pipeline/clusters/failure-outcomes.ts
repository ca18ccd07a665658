/** What follows a failed waypoint, in the record and in an event. */
import type { Config } from '#contracts/config.ts';
import type { ClusterFailure, ClusterRecord, NodeProgress, NodeWait } from '#contracts/records.ts';
import type { AssessFailureOutput, PlanInput } from '#contracts/state-inputs.ts';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import { type FailureOutcome, lastStep, undoneParts } from '#domain/failure-outcome.ts';
import { assessWaypointFailure } from '#domain/failure-policy.ts';
import { type Direction, directions, type UndoRung } from '#domain/plan.ts';
import { failureOutcomeText } from '#domain/planning/text/failure-outcome-text.ts';
import { minuteText } from '#domain/words.ts';
import type { ClusterEvent } from '../records/cluster-records.ts';

const nextOfRung = {
  kubernetes: 'undoKubernetes',
  configuration: 'undoConfiguration',
  infrastructure: 'undoInfrastructure',
} as const satisfies Record<UndoRung, AssessFailureOutput['next']>;

export interface WaypointQuestion {
  readonly record: ClusterRecord;
  readonly plan: PlanInput;
  readonly failure: ClusterFailure;
  readonly config: Config;
  readonly now: Date;
}

/** Asks the table and turns its answer into a record, an event and the next state. */
export function assessWaypoint({ record, plan, failure, config, now }: WaypointQuestion): {
  readonly change: Partial<ClusterRecord>;
  readonly events: readonly ClusterEvent[];
  readonly output: AssessFailureOutput;
} {
  const { backOffs } = record;
  const direction = directionOf(plan);
  // Without a stage, all that had work were done: the whole ladder has to undo them.
  const failedStage = failure.stage ?? 'traffic';
  const held = heldNodes(record.nodeWait, failure, now);
  const waitedSeconds = held && (now.getTime() - Math.min(...held.map(({ since }) => Date.parse(since)))) / 1000;
  const answer = assessWaypointFailure({
    direction,
    class: failure.class,
    backOffs,
    failedStage,
    config,
    ...(waitedSeconds !== undefined && { waitedSeconds }),
  });
  const { decision, rung, pauseSeconds } = answer;
  const reported = { ...failure, outcome: answer.outcome };
  const sentence = failureOutcomeText(reported);
  const fault = { pauseSeconds, Error: failure.code, Cause: `${failure.message} ${sentence}`.slice(0, 1000) };
  const events = (kind: 'RollbackStarted' | 'BackedOff' | 'RetriesEnded') => [{ kind, message: sentence }];
  switch (decision) {
    case 'rollBack':
      return {
        change: { failure: reported, status: 'RollingBack' },
        events: events('RollbackStarted'),
        output: { ...fault, next: nextOfRung[rung] },
      };
    case 'backOff':
      return {
        change: { failure: reported, status: 'BackingOff', backOffs: backOffs + 1 },
        events: events('BackedOff'),
        output: { ...fault, next: 'backOff' },
      };
    case 'waitForNodes': {
      const nodes = held ?? [];
      const comparedAgainAt = new Date(now.getTime() + pauseSeconds * 1000).toISOString();
      const status = 'BackingOff' as const;
      return {
        change: { failure: reported, status, nodeWait: { nodes: [...nodes], comparedAgainAt } },
        events: nodes.filter((one) => !isKnown(record.nodeWait, one)).map((one) => waitEvent(one, sentence)),
        output: { ...fault, next: 'waitForNodes' },
      };
    }
    case 'stop':
      return { change: { failure: reported }, events: events('RetriesEnded'), output: { ...fault, next: 'stop' } };
    default:
      return decision satisfies never;
  }
}

type HeldNode = NodeWait['nodes'][number];

/** Since when each node is held; undefined for any other failure. */
function heldNodes(
  before: NodeWait | undefined,
  { waitsFor }: ClusterFailure,
  now: Date,
): readonly HeldNode[] | undefined {
  return waitsFor?.map(({ node, because }) => {
    const since = before?.nodes.find((one) => one.node === node)?.since ?? now.toISOString();
    return { node, because, since };
  });
}

const isKnown = (before: NodeWait | undefined, { node, because }: HeldNode): boolean =>
  before?.nodes.some((one) => one.node === node && one.because === because) === true;

const waitEvent = ({ node, because, since }: HeldNode, sentence: string): ClusterEvent => ({
  kind: 'WaitsForNodes',
  node,
  message: `${node}: ${because}, since ${minuteText(since)}; ${sentence}`,
});

/** What was tried and undone. `record` has the facts from before the way back. */
export function undoneStep(direction: string, record: ClusterRecord, dropped = false): FailureOutcome {
  const nodes = record.progress?.nodes ?? [];
  const stay = nodes.filter(({ part }) => part === 'stays').length;
  const joins = nodes.filter(({ part }) => part === 'joins');
  const named = undoneParts.map((part) => {
    const names = joins.filter((node) => partOf(node, record.facts) === part).map(({ name }) => name);
    return [part, { count: names.length, names: names.slice(0, 3) }] as const;
  });
  return {
    kind: 'undone',
    direction,
    nodes: Object.fromEntries(named.filter(([, { count }]) => count > 0)),
    stay: record.current === null ? null : stay,
    ...(dropped && { dropped }),
  };
}

/** Claims only what is known: a node without facts may never have been created, and a static one never reached. */
function partOf({ name, provider }: NodeProgress, { nodes }: ClusterFacts): (typeof undoneParts)[number] {
  const known = nodes[name];
  if (provider !== 'static') return known?.publicAddress ? 'removed' : 'unseen';
  return (known?.wireguardPublicKey ?? known?.bootId) ? 'left' : 'unjoined';
}

/** Neither forward nor back. */
export function standstill({ outcome }: ClusterFailure, { attempted }: ClusterRecord): FailureOutcome {
  const before = lastStep(outcome);
  return { kind: 'standstill', ...(before && { before }), ...(attempted !== null && { attempted: true }) };
}

function directionOf({ direction }: PlanInput): Direction {
  return directions.find((known) => known === direction) ?? 'settle';
}
