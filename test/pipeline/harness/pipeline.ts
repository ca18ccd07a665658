/** The whole pipeline in memory: real state machines and handlers, fakes of the ports, a scripted runner. */
import { readdirSync } from 'node:fs';
import type { ClusterRecord, ManifestRecord, RunEvent, RunRecord } from '#contracts/records.ts';
import type { InvocationContext } from '#functions/middleware.ts';
import { startRun, storeNext } from '#functions/pipeline/manifests/next-generation.ts';
import { makingNow, nextRecord } from '#functions/pipeline/records/next-record.ts';
import { useDeps } from '#functions/wire.ts';
import { asFunction } from '#local/rights/function-at-work.ts';
import { type Answer, type Call, callApi } from '#test/api/api-under-test.ts';
import { boundedFunctions } from '#test/fakes/bounded-functions.ts';
import { executionArn, type FakeDeps, fakeDeps } from '#test/fakes/fake-deps.ts';
import { ScriptedRunner } from './scripted-runner.ts';
import { type Machines, type Outcome, StateMachines, type ValidationContext } from './state-machines.ts';

export const key = { namespace: 'team', name: 'shop' };

type Handler = (event: unknown, context?: InvocationContext) => Promise<unknown>;
const tasks = readdirSync(new URL('../../../functions/tasks', import.meta.url)).map((file) =>
  file.replace(/\.ts$/, ''),
);
const handlers = new Map(
  await Promise.all(
    tasks.map(async (name) => {
      const module: { readonly handler: Handler } = await import(`../../../functions/tasks/${name}.ts`);
      return [name, module.handler] as const;
    }),
  ),
);

export class Pipeline {
  readonly deps: FakeDeps;
  readonly runner: ScriptedRunner;
  readonly machines: Machines;
  /** Events of the ends of their executions that were not delivered yet. */
  readonly endedRollOuts: { readonly status: string; readonly input: string }[] = [];
  /** Functions that throw this error, once each. */
  readonly faults = new Map<string, Error>();
  /** Called before a function runs, by its name. */
  readonly before = new Map<string, () => Promise<void> | void>();
  #executed = 0;

  /** `machinesOf`: which implementation of Step Functions runs the state machines. */
  constructor(
    environment: Readonly<Record<string, string>> = {},
    machinesOf: (around: ValidationContext) => Machines = (around) => new StateMachines(around),
  ) {
    this.deps = fakeDeps({ KUBELOOM_STAGE_RETRY_SECONDS: '0', KUBELOOM_BACK_OFF_SECONDS: '0', ...environment });
    useDeps(boundedFunctions(this.deps));
    process.env.KUBELOOM_LOG = 'none';
    this.runner = new ScriptedRunner(this.deps);
    this.machines = machinesOf({
      invoke: (name, input) => this.invoke(name, input),
      build: (request) => this.runner.build(request),
      // For runs that roll-outs start.
      ended: async (machine, name, outcome, input) => {
        if (machine === 'reconcile-manifest') await this.#note(name, outcome, input);
      },
    });
  }

  async invoke(name: string, input: unknown): Promise<unknown> {
    const handler = handlers.get(name);
    if (!handler) throw new Error(`there is no function ${name}`);
    const fault = this.faults.get(name);
    this.faults.delete(name);
    if (fault) throw fault;
    await this.before.get(name)?.();
    return asFunction(name, () => handler(input, { functionName: name }));
  }

  /** Stores the next generation and queues its run, as the API does. */
  async submit(document: unknown, deleting = false): Promise<ManifestRecord> {
    const stored = await this.deps.manifests.get(key);
    const record = nextRecord(makingNow(this.deps), key, stored, { document, deleting, again: false });
    await storeNext(this.deps, stored, record);
    await startRun(this.deps, record, 'submitted');
    return record;
  }

  async retry(): Promise<void> {
    const stored = await this.manifest();
    const { document, deleting } = stored;
    const record = nextRecord(makingNow(this.deps), key, stored, { document, deleting, again: true });
    await storeNext(this.deps, stored, record);
    await startRun(this.deps, record, 'retried');
  }

  /** Runs every execution that was started, one after another, and what finishes those that ended badly. */
  async settle(): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (;;) {
      const next = this.deps.workflows.started[this.#executed];
      if (!next) break;
      this.#executed += 1;
      outcomes.push(await this.execute(next.runId, next.input));
    }
    return outcomes;
  }

  /** One execution of reconcile-manifest with its event of the end. */
  async execute(runId: string, input: unknown): Promise<Outcome> {
    const outcome = await this.machines.run('reconcile-manifest', input, runId);
    await this.#note(runId, outcome, input);
    return outcome;
  }

  async #note(runId: string, outcome: Outcome, input: unknown): Promise<void> {
    this.deps.workflows.statuses.set(executionArn(runId), outcome.status);
    const { error, cause = '' } = outcome;
    if (error !== undefined) this.deps.workflows.faults.set(executionArn(runId), { Error: error, Cause: cause });
    if (outcome.status !== 'SUCCEEDED') await this.finish(runId, outcome.status, input);
  }

  /** Runs the executions of roll-outs that were started and not run yet. */
  async rollOut(): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const { name, input } of this.deps.workflows.rollOuts.splice(0)) {
      const outcome = await this.machines.run('roll-out', input, name);
      this.deps.workflows.statuses.set(executionArn(name, 'roll-out'), outcome.status);
      if (outcome.status !== 'SUCCEEDED')
        this.endedRollOuts.push({ status: outcome.status, input: JSON.stringify(input) });
      outcomes.push(outcome);
    }
    return outcomes;
  }

  /** What EventBridge starts for the executions of roll-outs that ended without success. */
  async finishRollOuts(): Promise<readonly Outcome[]> {
    const ended = this.endedRollOuts.splice(0);
    return Promise.all(ended.map((detail) => this.machines.run('finish-roll-out', { detail })));
  }

  /** What EventBridge starts. */
  async finish(runId: string, status: string, input: unknown): Promise<Outcome> {
    const detail = { executionArn: executionArn(runId), name: runId, status, input: JSON.stringify(input) };
    return this.machines.run('finish-run', { detail });
  }

  async apply(document: unknown): Promise<Outcome | undefined> {
    await this.submit(document);
    return (await this.settle()).at(-1);
  }

  /** One call about the manifest: `POST` of a verb, or another method; `path` may hold a query. */
  async call(path: string, call: Call & { readonly method?: string } = {}): Promise<Answer> {
    return callApi(this.deps, call.method ?? 'POST', `/v1/manifests/${key.namespace}/${key.name}${path}`, call);
  }

  async manifest(): Promise<ManifestRecord> {
    const record = await this.deps.manifests.get(key);
    if (!record) throw new Error('the manifest is gone');
    return record;
  }

  async clusters(): Promise<readonly ClusterRecord[]> {
    return this.deps.clusters.list(key);
  }

  /** The record of the cluster of that name. */
  async cluster(name = 'web'): Promise<ClusterRecord> {
    const found = (await this.clusters()).find((record) => record.cluster.startsWith(`${name}-`));
    if (!found) throw new Error(`there is no cluster ${name}`);
    return found;
  }

  async runs(): Promise<readonly RunRecord[]> {
    return (await this.deps.runs.list(key, 100)).items;
  }

  async events(): Promise<readonly RunEvent[]> {
    return (await this.deps.events.list(key, 1000)).items;
  }

  /** Names of the nodes of a cluster that exist. */
  async nodes(name = 'web'): Promise<readonly string[]> {
    const id = [...this.runner.world.keys()].find((cluster) => cluster.startsWith(`${name}-`));
    return [...(this.runner.world.get(id ?? '') ?? [])].sort();
  }
}
