/** What follows a failed waypoint, in the record, in an event and in sentences for people. */
import type { Config } from '#contracts/config.ts';
import type { ClusterFailure, ClusterRecord, NodeProgress, NodeWait } from '#contracts/records.ts';
import type { AssessFailureOutput, PlanInput } from '#contracts/state-inputs.ts';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import { assessWaypointFailure, type WaypointDecision } from '#domain/failure-policy.ts';
import { type Direction, directions, type UndoRung } from '#domain/plan.ts';
import { counted } from '#domain/words.ts';
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
  const sentence = failure.code === 'Cancelled' ? cancelSentence(direction, decision) : answer.sentence;
  const reported = { ...failure, outcome: sentence };
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
  message: `${node}: ${because}, since ${since}; ${sentence}`,
});

/** What was tried, what was undone, what a retry will try. `record` has the facts from before the way back. */
export function rollbackSentence(direction: string, record: ClusterRecord, dropped = false): string {
  const nodes = record.progress?.nodes ?? [];
  const stays = nodes.filter(({ part }) => part === 'stays').length;
  const undone = undoneParts(
    nodes.filter(({ part }) => part === 'joins'),
    record.facts,
  );
  const kept =
    record.current === null
      ? 'nothing is left of the cluster'
      : `the ${counted(stays, 'other node')} ${stays === 1 ? 'is' : 'are'} as before`;
  const next = dropped
    ? 'What was requested apart from the manifest is not retried; request it again.'
    : 'A retry tries the same again; a changed manifest gets a new plan.';
  return `The ${direction} was undone: ${undone.join(', ') || 'its changes taken back'}, ${kept}. ${next}`;
}

/** Claims only what is known: a node without facts may never have been created, and a static one never reached. */
function undoneParts(joins: readonly NodeProgress[], facts: ClusterFacts): readonly string[] {
  const isStatic = ({ provider }: NodeProgress) => provider === 'static';
  const seen = ({ name }: NodeProgress) => facts.nodes[name]?.wireguardPublicKey ?? facts.nodes[name]?.bootId;
  const created = ({ name }: NodeProgress) => facts.nodes[name]?.publicAddress;
  const parts: readonly (readonly [text: string, nodes: readonly NodeProgress[]])[] = [
    ['removed again', joins.filter((node) => !isStatic(node) && created(node))],
    ['never created, or removed again', joins.filter((node) => !isStatic(node) && !created(node))],
    ['left the cluster again', joins.filter((node) => isStatic(node) && seen(node))],
    ['never joined', joins.filter((node) => isStatic(node) && !seen(node))],
  ];
  return parts.flatMap(([text, some]) => (some.length > 0 ? [`${listed(some.map(({ name }) => name))} ${text}`] : []));
}

/** Why it needs attention, and that nothing is lost. */
export function standstillSentence(failure: ClusterFailure, record: ClusterRecord): string {
  if (failure.code === 'PlanRefused' || failure.code === 'PlanMoved')
    return 'Nothing was changed; what exists keeps running.';
  if (failure.code === 'Cancelled' && record.attempted === null) {
    return 'What was reached remains; nothing more is done until you retry or change the manifest.';
  }
  const outcome = failure.outcome === 'what follows is being decided' ? '' : `${capital(failure.outcome)}. `;
  const known =
    record.attempted === null ? '' : ' What the last step started is recorded, and is then continued or removed.';
  return `${outcome}It stays as it is until you retry or change the manifest.${known}`;
}

function cancelSentence(direction: Direction, decision: WaypointDecision): string {
  if (decision === 'rollBack') return `the ${direction} was cancelled and is undone`;
  return `the ${direction} was cancelled and stops where it is; it is forward-only, so a retry continues from there`;
}

function directionOf({ direction }: PlanInput): Direction {
  return directions.find((known) => known === direction) ?? 'settle';
}

function listed(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more nodes` : names.join(', ');
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1).replace(/\.$/, '');
}
