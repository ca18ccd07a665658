/** The event of a stage that ended: how long it took, what it created, what is done about a failure. */
import type { Config } from '#contracts/config.ts';
import type { NewEvent } from '#contracts/records.ts';
import { type StageResult, waypointOf } from '#contracts/stage.ts';
import type { CollectResultInput } from '#contracts/state-inputs.ts';
import type { KindOf, Reported, StageStart } from '#domain/event-kinds.ts';
import { failureLines, failureText, logCommandOf } from '#domain/failure-lines.ts';
import { assessStageFailure } from '#domain/failure-policy.ts';
import { nameOfCluster } from '#domain/naming.ts';
import { counted } from '#domain/words.ts';
import { clusterEvent } from '../records/cluster-records.ts';
import { phaseSeconds } from './build-phases.ts';
import { longestWaitHours } from './stage-decision.ts';
import type { Collected } from './stage-outcomes.ts';

/** That it is done, that it failed, or, when it was cancelled after it was done, both. The runner reports pools that are left out. */
export function stageEvents(collected: Collected, config: Config): readonly NewEvent[] {
  const { input, result, verdict, at } = collected;
  const { run, slot } = input;
  const waypoint = waypointOf(slot.waypointPrefix);
  const about = { stage: slot.stage, ...(verdict.error?.resource && { node: verdict.error.resource }) };
  const reported = (event: Ending) => ({ ...clusterEvent(run, at, { ...event, ...about }), waypoint, ...measured });
  const phases = phaseSeconds(input.build);
  const measured = { attempt: input.try.attempt, ...measuresOf(result), ...(phases && { phases }) };
  const what = slot.mode === 'undo' ? `undoing ${slot.stage}` : slot.stage;
  const kind = slot.mode === 'undo' ? 'StageUndone' : 'StageSucceeded';
  const ended = verdict.succeeded ? [reported({ kind, message: doneSentence(what, result) })] : [];
  // Assess Failure reports what a waypoint waits for, once.
  const waits = slot.mode === 'do' && verdict.error?.waitsFor !== undefined;
  const failed = verdict.error && !waits ? failure(what, collected, config) : [];
  return [...ended, ...failed.map(reported)];
}

type Ending = Reported<Exclude<KindOf<'stage'>, StageStart>>;

function failure(what: string, { input, verdict }: Collected, config: Config): readonly Ending[] {
  const { error, output } = verdict;
  const { attempt, waitsSince } = input.try;
  if (output.outcome === 'wait') {
    const message = `${what} waits for a build; the start is retried for ${longestWaitHours} hours: ${error?.message} ${error?.hint}`;
    // Once for all of its pauses.
    return waitsSince === undefined ? [{ kind: 'WaitsForCapacity', message }] : [];
  }
  const cause = `${error?.class} ${error?.code}: ${error?.message}`;
  if (output.outcome === 'retry') {
    const bounds = `try ${attempt + 1} of ${config.KUBELOOM_MAX_STAGE_ATTEMPTS} follows in ${output.pauseSeconds} s, ${pausesInAll(input, verdict, config)} s of pauses at most`;
    return [{ kind: 'StageRetried', message: `${what} failed, ${bounds}. ${cause}` }];
  }
  if (error?.code === 'Cancelled') return [{ kind: 'StageCancelled', message: error.message }];
  if (!error) return [];
  const { run, slot } = input;
  const lines = failureLines(
    { ...error, stage: slot.stage },
    {
      cluster: nameOfCluster(run.cluster),
      undoing: slot.mode === 'undo',
      tries: attempt,
      logCommand: logCommandOf(run.runId, slot.stage, run.namespace),
    },
  );
  return [{ kind: 'StageFailed', message: failureText(lines) }];
}

/** All pauses that may come between the tries of this stage: the sum is as bounded as their number. */
function pausesInAll(
  { try: { attempt } }: CollectResultInput,
  { error }: Collected['verdict'],
  config: Config,
): number {
  if (!error) return 0;
  const pauses = Array.from({ length: Math.max(attempt, config.KUBELOOM_MAX_STAGE_ATTEMPTS) }, (_, index) => {
    return assessStageFailure({ ...error, attempt: index + 1, config }).pauseSeconds;
  });
  return pauses.reduce((sum, pause) => sum + pause, 0);
}

/** Words for the counts of a tool; a count without words is shown under its own name. */
const counts: Readonly<Record<string, readonly [noun: string, done: string]>> = {
  hostsCreated: ['host', 'created'],
  hostsRemoved: ['host', 'removed'],
  resourcesAdded: ['resource', 'added'],
  resourcesChanged: ['resource', 'changed'],
  resourcesRemoved: ['resource', 'removed'],
  nodesVisited: ['node', 'visited'],
  nodesChanged: ['node', 'changed'],
  nodesUnreachable: ['node', 'not reached'],
  nodesPatched: ['node', 'labelled'],
  nodesRemoved: ['node', 'removed'],
  loadBalancers: ['load balancer', 'updated'],
  differences: ['difference', 'found'],
  notChecked: ['part', 'not checked'],
};

/** For programs, which do not read messages. */
function measuresOf(result: StageResult | undefined): Pick<NewEvent, 'seconds' | 'counts'> {
  if (result === undefined) return {};
  const counts = Object.fromEntries(Object.entries(result.summary).filter(isCount));
  return { seconds: secondsOf(result), ...(Object.keys(counts).length > 0 && { counts }) };
}

const isCount = (entry: [string, string | number]): entry is [string, number] => typeof entry[1] === 'number';

const secondsOf = ({ startedAt, endedAt }: StageResult): number => (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;

/** "infrastructure done in 8.1 s: 4 hosts made" */
function doneSentence(what: string, result: StageResult | undefined): string {
  const seconds = result ? secondsOf(result) : 0;
  const summary = result?.summary ?? {};
  // Where hosts are counted, the number of their resources is left out.
  const hosts = Number(summary.hostsCreated ?? 0) + Number(summary.hostsRemoved ?? 0) > 0;
  const parts = Object.entries(summary).flatMap(([name, value]) => {
    if (value === 0 || value === '' || (hosts && name.startsWith('resources'))) return [];
    return [inWords(name, value)];
  });
  return `${what} done in ${seconds.toFixed(1)} s${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}

function inWords(name: string, value: string | number): string {
  const known = counts[name];
  if (known && typeof value === 'number') return `${counted(value, known[0])} ${known[1]}`;
  const words = name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (name === 'kubernetesVersion') return `Kubernetes ${value}`;
  return typeof value === 'number' ? `${value} ${words}` : `${words} ${value}`;
}
