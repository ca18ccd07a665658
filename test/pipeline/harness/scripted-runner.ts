/** A runner without tools: it keeps a world of nodes, drives it to where a stage should, and fails on request. */
import { type DriftJob, jobOf, readDriftCheck, type StageJob, workOf } from '#contracts/job.ts';
import {
  clusterKeys,
  poolKeyPath,
  type RunWork,
  type StageError,
  type StageResult,
  WaypointDocument,
  waypointKeys,
} from '#contracts/stage.ts';
import { allNodes, allPools, ClusterFacts, type ClusterState } from '#domain/cluster-state.ts';
import { type DriftItem, driftKey, type NodeObservation } from '#domain/drift.ts';
import type { ErrorClass } from '#domain/errors.ts';
import type { Expiry } from '#domain/expiry.ts';
import { nameOfCluster } from '#domain/naming.ts';
import type { StageName } from '#domain/plan.ts';
import { withoutPools } from '#domain/planning/states/without-pools.ts';
import type { Deps } from '#functions/ports.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { type BuildRequest, StateFault } from './state-machines.ts';

/**
 * `kill`: the container ends without a result. `garbled`: it is interrupted while it writes one. `stopped`: someone stops
 * it, and it says so. `failedPools`: new pools of these names cannot be made. `held`: these nodes are held. `error`: it says so. A function happens first, and may return `stopped`.
 */
export type Trouble =
  | ErrorClass
  | 'kill'
  | 'garbled'
  | 'stopped'
  | { readonly failedPools: readonly string[]; readonly class?: ErrorClass }
  | { readonly held: NonNullable<StageError['waitsFor']> }
  | { readonly error: StageError }
  | (() => unknown);
type Ending = Exclude<Trouble, () => unknown>;

interface Planned {
  readonly stage: RunWork;
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
  /** The image of each, `''`: that of the project. */
  readonly images: string[] = [];
  /** Prefixes of their waypoints. */
  readonly prefixes: string[] = [];
  /** What checks find, until a repair is done. */
  drift: readonly DriftItem[] = [];
  /** What checks find to end. */
  expiries: readonly Expiry[] = [];
  /** What ends of kubeconfigs that it leaves. */
  kubeconfigExpiries: readonly Expiry[] = [];
  /** Health of nodes that are not healthy. */
  readonly health = new Map<string, NodeObservation['health']>();
  /** Taints of nodes whose cloud announced something. */
  readonly notices = new Map<string, NodeObservation['notice']>();
  /** Keys of drift that no repair removes. */
  readonly stubborn = new Set<string>();
  readonly #planned: Planned[] = [];
  readonly #refusals: (readonly [RunWork | 'question', string])[] = [];
  readonly #deps: Pick<Deps, 'artifacts' | 'secrets'>;

  constructor(deps: Pick<Deps, 'artifacts' | 'secrets'>) {
    this.#deps = deps;
  }

  /** From now on, so many times. */
  trouble(stage: RunWork, trouble: Trouble, options: { mode?: 'do' | 'undo'; times?: number } = {}): void {
    this.#planned.push({ stage, trouble, mode: options.mode ?? 'do', times: options.times ?? 1 });
  }

  /** CodeBuild starts none of the next builds of a stage or question, with this error. */
  refuse(work: RunWork | 'question', error: string, times = 1): void {
    this.#refusals.push(...Array<readonly [RunWork | 'question', string]>(times).fill([work, error]));
  }

  /** Why a build of these variables is not started; each answer counts as one try. */
  refusal(variables: BuildRequest['EnvironmentVariablesOverride']): StateFault | undefined {
    const job = jobOf(Object.fromEntries(variables.map(({ Name, Value }) => [Name, Value])));
    const place = this.#refusals.findIndex(([work]) => work === (workOf(job) ?? 'question'));
    const [found] = place < 0 ? [] : this.#refusals.splice(place, 1);
    return found && new StateFault(`CodeBuild.${found[1]}`, 'refused');
  }

  /** Nothing more fails. */
  calm(): void {
    this.#planned.length = 0;
  }

  async build({ EnvironmentVariablesOverride: variables, ImageOverride: image = '' }: BuildRequest): Promise<unknown> {
    const refused = this.refusal(variables);
    if (refused) throw refused;
    this.images.push(image);
    const job = jobOf(Object.fromEntries(variables.map(({ Name, Value }) => [Name, Value])));
    // It runs on; its machine does not wait for the answer.
    if (job.kind === 'question') return { Build: { Id: 'sim:question' } };
    const ok = await (job.kind === 'drift' ? this.#check(job) : this.#run(job));
    const Phases = [
      { PhaseType: 'QUEUED', PhaseStatus: 'SUCCEEDED', DurationInSeconds: 3 },
      { PhaseType: 'COMPLETED' },
    ];
    const build = { Build: { Id: `sim:${this.ran.length}`, BuildStatus: ok ? 'SUCCEEDED' : 'FAILED', Phases } };
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
    const failed =
      typeof ending === 'object' && 'failedPools' in ending ? poolsNamed(document.target, ending.failedPools) : [];
    const fails = typeof ending === 'string' || (typeof ending === 'object' && !('failedPools' in ending));
    const last = document.stages.at(-1)?.stage === stage;
    if (document.direction === 'repair' && last && !fails) {
      this.drift = this.drift.filter((item) => this.stubborn.has(driftKey(item)));
    }
    await this.#work(document, { stage, mode, prefix, half: fails, failed });
    const failedFor = (typeof ending === 'object' && 'failedPools' in ending && ending.class) || 'quota';
    const failedPools = failed.map((pool) => ({ pool, error: errorOf(failedFor, document.cluster) }));
    const summary: StageResult['summary'] =
      stage === 'infrastructure' ? { hostsCreated: 2, hostsRemoved: 0, resourcesAdded: 7 } : {};
    const left = { stage, mode, attempt, summary, ...(failedPools.length > 0 && { failedPools }) };
    return this.#end(waypointKeys.attempt(prefix, stage, mode, attempt), ending, document.cluster, left);
  }

  async #check({ waypoint: prefix, attempt }: DriftJob): Promise<boolean> {
    this.ran.push('drift');
    const { artifacts } = this.#deps;
    const { cluster, current } = readDriftCheck((await artifacts.getText(waypointKeys.document(prefix))) ?? 'null');
    this.prefixes.push(prefix);
    const ending = await this.#ending('drift', 'do');
    if (ending === undefined) {
      const nodesOf = (wanted: DriftItem['kind']) =>
        new Set(this.drift.flatMap(({ kind, where }) => (kind === wanted ? [where.node] : [])));
      const [gone, notReady] = [nodesOf('machine'), nodesOf('node')];
      const found = (node: string) => (gone.has(node) ? 'gone' : notReady.has(node) ? 'notReady' : 'healthy');
      const health = namesOf(current).map((node) => {
        const notice = this.notices.get(node);
        return { node, health: this.health.get(node) ?? found(node), ...(notice && { notice }) };
      });
      const report = { schema: 1, items: this.drift, unchecked: [], health, expiries: this.expiries };
      await artifacts.putText(waypointKeys.drift(prefix), JSON.stringify(report));
    }
    const left = { stage: 'drift', mode: 'do', attempt, summary: {} } as const;
    return this.#end(waypointKeys.attempt(prefix, 'drift', 'do', attempt), ending, cluster, left);
  }

  /** Leaves the result; returns whether the job succeeded. */
  async #end(
    attemptPrefix: string,
    ending: Ending | undefined,
    cluster: string,
    left: Omit<StageResult, 'schema' | 'ok' | 'startedAt' | 'endedAt' | 'toolMs' | 'error'>,
  ): Promise<boolean> {
    const { artifacts } = this.#deps;
    if (ending === 'kill') return false;
    if (ending === 'garbled') await artifacts.putText(waypointKeys.result(attemptPrefix), '{"schema":1,"ok":tr');
    if (ending === 'garbled') return false;
    const error = typeof ending === 'string' ? errorOf(ending, cluster) : heldBy(ending);
    const times = { startedAt: '2026-11-20T12:00:00.000Z', endedAt: '2026-11-20T12:00:01.500Z', toolMs: 1000 };
    const result: StageResult = { schema: 1, ok: !error, ...times, ...left, ...(error && { error }) };
    await artifacts.putText(waypointKeys.result(attemptPrefix), JSON.stringify(result));
    return !error;
  }

  async #ending(stage: RunWork, mode: 'do' | 'undo'): Promise<Ending | undefined> {
    const trouble = this.#next(stage, mode);
    if (typeof trouble !== 'function') return trouble;
    return (await trouble()) === 'stopped' ? 'stopped' : undefined;
  }

  #next(stage: RunWork, mode: 'do' | 'undo'): Trouble | undefined {
    const planned = this.#planned.find((one) => one.stage === stage && one.mode === mode && one.times > 0);
    if (planned) planned.times -= 1;
    return planned?.trouble;
  }

  /** Terraform makes and removes nodes, all or half of them; the other tools find out about them. */
  async #work(document: WaypointDocument, { stage, mode, prefix, half, failed }: Work): Promise<void> {
    const { artifacts, secrets } = this.#deps;
    const text = await artifacts.getText(waypointKeys.facts(prefix));
    const known = text === undefined ? document.facts : ClusterFacts.parse(JSON.parse(text));
    const failedPools = mode === 'do' && stage === 'infrastructure' ? failed : (known.failedPools ?? []);
    const target = document.target && withoutPools(document.target, failedPools);
    const desired = new Set(namesOf(mode === 'do' ? target : document.before));
    const there = this.world.get(document.cluster) ?? new Set();
    if (stage === 'infrastructure') {
      const added = [...desired].filter((name) => !there.has(name));
      const kept = [...there].filter((name) => half || desired.has(name));
      const made = half ? added.slice(0, Math.ceil(added.length / 2)) : added;
      this.world.set(document.cluster, new Set([...kept, ...made]));
      for (const { id } of mode === 'do' && document.target ? allPools(document.target) : [])
        await secrets.create(poolKeyPath(document, document.cluster, id), { privatekey: 'made', publickey: 'made' });
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
      failedPools: [...failedPools],
      ...(stage === 'kubernetes' &&
        mode === 'do' && { kubeconfigKey: keys.kubeconfig, kubeconfigExpiries: [...this.kubeconfigExpiries] }),
    };
    if (stage === 'kubernetes' && mode === 'do' && !half)
      for (const key of Object.values(keys)) await artifacts.putText(key, kubeconfigTo());
    await artifacts.putText(waypointKeys.facts(prefix), JSON.stringify(facts));
  }
}

interface Work {
  readonly stage: StageName;
  readonly mode: 'do' | 'undo';
  readonly prefix: string;
  /** It stops half-way. */
  readonly half: boolean;
  /** Ids of pools that cannot be made. */
  readonly failed: readonly string[];
}

const poolsNamed = (state: ClusterState | null, names: readonly string[]): readonly string[] =>
  state === null ? [] : allPools(state).flatMap(({ id, name }) => (names.includes(name) ? [id] : []));

const namesOf = (state: ClusterState | null): readonly string[] =>
  state === null ? [] : allNodes(state).map(({ node }) => node.name);

/** What the real runner reports about itself. */
const stopped = {
  class: 'transient',
  code: 'StageCancelled',
  message: 'The stage was stopped before it was done.',
  hint: 'Nothing to do.',
  retryable: false,
} as const satisfies StageError;

function heldBy(ending: Exclude<Ending, string> | undefined): StageError | undefined {
  if (ending !== undefined && 'error' in ending) return ending.error;
  if (ending === undefined || !('held' in ending)) return undefined;
  const message = ending.held.map(({ node, because }) => `${node}: ${because}`).join('; ');
  const about = { class: 'conflict', code: 'NodeLocked', hint: 'remove the label', retryable: false } as const;
  return { ...about, message, waitsFor: ending.held };
}

function errorOf(ending: Exclude<Ending, 'kill' | 'garbled' | object>, cluster: string): StageError {
  if (ending === 'stopped') return { ...stopped };
  const errorClass = ending;
  return {
    class: errorClass,
    code: 'ToolFailed',
    message: `the tool refused in ${nameOfCluster(cluster)}`,
    hint: 'read the log',
    retryable: errorClass === 'transient' || errorClass === 'conflict',
  };
}
