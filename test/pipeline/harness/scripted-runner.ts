/** A runner without tools: it keeps a world of nodes, drives it to where a stage should, and fails when told to. */
import { jobOf, type StageJob } from '#contracts/job.ts';
import { clusterKeys, type StageError, type StageResult, WaypointDocument, waypointKeys } from '#contracts/stage.ts';
import { allNodes, allPools, ClusterFacts, type ClusterState } from '#domain/cluster-state.ts';
import { type DriftItem, driftKey } from '#domain/drift.ts';
import type { ErrorClass } from '#domain/errors.ts';
import { nameOfCluster } from '#domain/naming.ts';
import type { RunnerStage } from '#domain/plan.ts';
import { withoutPools } from '#domain/planning/states/without-pools.ts';
import type { Deps } from '#functions/ports.ts';
import { type BuildRequest, StateFault } from './state-machines.ts';

/**
 * `kill`: the container ends without a result. `garbled`: it is cut off while it writes one. `stopped`: somebody stops
 * it, and it says so. `lost`: new pools of these names cannot be made. A function happens first, and may return `stopped`.
 */
export type Trouble =
  | ErrorClass
  | 'kill'
  | 'garbled'
  | 'stopped'
  | { readonly lost: readonly string[] }
  | (() => unknown);
type Ending = Exclude<Trouble, () => unknown>;

interface Planned {
  readonly stage: RunnerStage;
  readonly mode: 'do' | 'undo';
  readonly trouble: Trouble;
  times: number;
}

export class ScriptedRunner {
  /** Nodes that exist, by cluster. */
  readonly world = new Map<string, ReadonlySet<string>>();
  /** `stage` or `stage-undo`, as they were run. */
  readonly ran: string[] = [];
  readonly documents: WaypointDocument[] = [];
  /** Prefixes of their waypoints. */
  readonly prefixes: string[] = [];
  /** What checks find, until a repair is done. */
  drift: readonly DriftItem[] = [];
  /** Keys of drift that no repair mends. */
  readonly stubborn = new Set<string>();
  readonly #planned: Planned[] = [];
  readonly #deps: Pick<Deps, 'artifacts'>;

  constructor(deps: Pick<Deps, 'artifacts'>) {
    this.#deps = deps;
  }

  /** From now on, so many times. */
  trouble(stage: RunnerStage, trouble: Trouble, options: { mode?: 'do' | 'undo'; times?: number } = {}): void {
    this.#planned.push({ stage, trouble, mode: options.mode ?? 'do', times: options.times ?? 1 });
  }

  async build({ EnvironmentVariablesOverride: variables }: BuildRequest): Promise<unknown> {
    const job = jobOf(Object.fromEntries(variables.map(({ Name, Value }) => [Name, Value])));
    if (job.kind !== 'stage') throw new Error('a run starts no questions');
    const ok = await this.#run(job);
    const build = { Build: { Id: `sim:${this.ran.length}`, BuildStatus: ok ? 'SUCCEEDED' : 'FAILED' } };
    if (!ok) throw new StateFault('States.TaskFailed', JSON.stringify(build));
    return build;
  }

  async #run({ waypoint: prefix, stage, mode, attempt }: StageJob): Promise<boolean> {
    this.ran.push(mode === 'do' ? stage : `${stage}-undo`);
    const { artifacts } = this.#deps;
    const text = await artifacts.getText(waypointKeys.document(prefix));
    const document = WaypointDocument.parse(JSON.parse(text ?? 'null'));
    this.documents.push(document);
    this.prefixes.push(prefix);
    const ending = await this.#ending(stage, mode);
    const lost = typeof ending === 'object' ? poolsNamed(document.target, ending.lost) : [];
    const fails = typeof ending === 'string';
    if (stage === 'drift' && ending === undefined) {
      const report = { schema: 1, items: this.drift, unchecked: [] };
      await artifacts.putText(waypointKeys.drift(prefix), JSON.stringify(report));
    }
    const last = document.stages.at(-1)?.stage === stage;
    if (document.direction === 'repair' && last && !fails) {
      this.drift = this.drift.filter((item) => this.stubborn.has(driftKey(item)));
    }
    if (stage !== 'drift') await this.#work(document, { stage, mode, prefix, half: fails, lost });
    const attemptPrefix = waypointKeys.attempt(prefix, stage, mode, attempt);
    if (ending === 'kill') return false;
    if (ending === 'garbled') await artifacts.putText(waypointKeys.result(attemptPrefix), '{"schema":1,"ok":tr');
    if (ending === 'garbled') return false;
    const error = fails ? errorOf(ending, document) : undefined;
    const times = { startedAt: '2026-11-20T12:00:00.000Z', endedAt: '2026-11-20T12:00:01.500Z', toolMs: 1000 };
    const failedPools = lost.map((pool) => ({ pool, error: errorOf('quota', document) }));
    const summary: StageResult['summary'] =
      stage === 'infrastructure' ? { hostsCreated: 2, hostsRemoved: 0, resourcesAdded: 7 } : {};
    const result: StageResult = {
      ...{ schema: 1, stage, mode, attempt, ok: !error, ...times, summary },
      ...(error && { error }),
      ...(failedPools.length > 0 && { failedPools }),
    };
    await artifacts.putText(waypointKeys.result(attemptPrefix), JSON.stringify(result));
    return !error;
  }

  async #ending(stage: RunnerStage, mode: 'do' | 'undo'): Promise<Ending | undefined> {
    const trouble = this.#next(stage, mode);
    if (typeof trouble !== 'function') return trouble;
    return (await trouble()) === 'stopped' ? 'stopped' : undefined;
  }

  #next(stage: RunnerStage, mode: 'do' | 'undo'): Trouble | undefined {
    const planned = this.#planned.find((one) => one.stage === stage && one.mode === mode && one.times > 0);
    if (planned) planned.times -= 1;
    return planned?.trouble;
  }

  /** Terraform makes and removes nodes, all or half of them; the other tools find out about them. */
  async #work(document: WaypointDocument, { stage, mode, prefix, half, lost }: Work): Promise<void> {
    const { artifacts } = this.#deps;
    const text = await artifacts.getText(waypointKeys.facts(prefix));
    const known = text === undefined ? document.facts : ClusterFacts.parse(JSON.parse(text));
    const lostPools = mode === 'do' && stage === 'infrastructure' ? lost : (known.lostPools ?? []);
    const target = document.target && withoutPools(document.target, lostPools);
    const desired = new Set(namesOf(mode === 'do' ? target : document.before));
    const there = this.world.get(document.cluster) ?? new Set();
    if (stage === 'infrastructure') {
      const added = [...desired].filter((name) => !there.has(name));
      const kept = [...there].filter((name) => half || desired.has(name));
      const made = half ? added.slice(0, Math.ceil(added.length / 2)) : added;
      this.world.set(document.cluster, new Set([...kept, ...made]));
    }
    const nodes = Object.fromEntries(
      [...(this.world.get(document.cluster) ?? [])].map((name) => [
        name,
        {
          ...known.nodes[name],
          publicAddress: `203.0.113.${(name.length % 200) + 1}`,
          ...(stage === 'nodes' && { joined: true }),
        },
      ]),
    );
    const keys = clusterKeys(document);
    const facts = {
      ...known,
      nodes,
      lostPools: [...lostPools],
      ...(stage === 'kubernetes' && mode === 'do' && { kubeconfigKey: keys.kubeconfig }),
    };
    if (stage === 'kubernetes' && mode === 'do' && !half)
      for (const key of Object.values(keys)) await artifacts.putText(key, 'kind: Config');
    await artifacts.putText(waypointKeys.facts(prefix), JSON.stringify(facts));
  }
}

interface Work {
  readonly stage: RunnerStage;
  readonly mode: 'do' | 'undo';
  readonly prefix: string;
  /** It stops half-way. */
  readonly half: boolean;
  /** Ids of pools that cannot be made. */
  readonly lost: readonly string[];
}

const poolsNamed = (state: ClusterState | null, names: readonly string[]): readonly string[] =>
  state === null ? [] : allPools(state).flatMap(({ id, name }) => (names.includes(name) ? [id] : []));

const namesOf = (state: ClusterState | null): readonly string[] =>
  state === null ? [] : allNodes(state).map(({ node }) => node.name);

/** What the real runner says of itself. */
const stopped = {
  ...{ class: 'transient', code: 'StageCancelled', message: 'The stage was stopped before it was done.' },
  ...{ hint: 'Nothing to do.', retryable: false },
} as const satisfies StageError;

function errorOf(
  ending: Exclude<Ending, 'kill' | 'garbled' | { readonly lost: readonly string[] }>,
  document: WaypointDocument,
): StageError {
  if (ending === 'stopped') return { ...stopped };
  const errorClass = ending;
  return {
    class: errorClass,
    code: 'ToolFailed',
    message: `the tool said no in ${nameOfCluster(document.cluster)}`,
    hint: 'look at the log',
    retryable: errorClass === 'transient' || errorClass === 'conflict',
  };
}
