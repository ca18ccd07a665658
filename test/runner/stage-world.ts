/** A stage in a world of its own: ports in memory, a directory for fake tools, one call to run it. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DriftCheck, Job } from '#contracts/job.ts';
import {
  type RunWork,
  type StageMode,
  type StageResult,
  type WaypointDocument,
  waypointKeys,
} from '#contracts/stage.ts';
import { ClusterFacts, type ClusterState, noFacts } from '#domain/cluster-state.ts';
import type { StageName, StagePlan } from '#domain/plan.ts';
import { boundedPorts } from '#local/rights/bounded-ports.ts';
import { checkDrift } from '#runner/check-drift.ts';
import { runStage } from '#runner/run-stage.ts';
import type { Tool } from '#runner/stage-context.ts';
import { stageTools } from '#runner/stage-tools.ts';
import { drift, driftBy } from '#runner/tools/drift.ts';
import { type FakeDeps, fakeDeps } from '#test/fakes/fake-deps.ts';
import { sessionOf } from '#test/fakes/session-of.ts';
import { twoProviderState } from '#test/rendering/states.ts';

export const prefix = 'runs/team/shop/shop-abcde-g1-a1/shop-1234567/w00';

export interface StageWorld {
  readonly ports: FakeDeps;
  /** Fake tools and their templates live here. */
  readonly directory: string;
  readonly templates: string;
  /** Writes an executable script; returns its path. */
  script(name: string, text: string): string;
  /** Writes a file of the templates; undefined: removes it. */
  file(path: string, text: string | undefined): void;
  /** Sets a variable of this process until `close`. */
  set(name: string, value: string): void;
  put(document: WaypointDocument | DriftCheck, facts?: ClusterFacts): Promise<void>;
  run(stage: StageName, options?: RunOptions): Promise<StageResult>;
  /** With all looks, or with these. */
  checkDrift(
    looks?: Parameters<typeof driftBy>[0],
    options?: Pick<RunOptions, 'signal' | 'longestMinutes'>,
  ): Promise<StageResult>;
  facts(): Promise<ClusterFacts>;
  log(stage: RunWork, mode?: StageMode): Promise<string>;
  /** What tools reported so far. */
  reported(): Promise<readonly string[]>;
  close(): void;
}

export interface RunOptions {
  readonly mode?: StageMode;
  /** @default 1 */
  readonly attempt?: number;
  readonly signal?: AbortSignal;
  readonly crash?: AbortSignal;
  readonly tool?: Tool;
  readonly graceMs?: number;
  readonly longestMinutes?: number;
  readonly stopPollMs?: number;
}

export function aDocument(stages: readonly StagePlan[], change: Partial<WaypointDocument> = {}): WaypointDocument {
  return {
    schema: 1,
    namespace: 'team',
    manifest: 'shop',
    generation: 1,
    runId: 'shop-abcde-g1-a1',
    cluster: 'shop-1234567',
    index: 0,
    direction: 'grow',
    before: null,
    target: twoProviderState(),
    attempted: null,
    facts: noFacts,
    stages: [...stages],
    undo: [],
    ...change,
  };
}

export function aCheck(current: ClusterState, facts: ClusterFacts = noFacts): DriftCheck {
  const { schema, namespace, manifest, generation, runId, cluster } = aDocument([]);
  const about = { schema, namespace, manifest, generation, runId, cluster };
  return { ...about, facts, current, reason: 'whether anything differs from what was created' };
}

export function stageWorld(environment: Readonly<Record<string, string>> = {}): StageWorld {
  const ports = fakeDeps(environment);
  const directory = mkdtempSync(join(tmpdir(), 'runner-test-'));
  const templates = join(directory, 'templates');
  mkdirSync(templates);
  const before = new Map<string, string | undefined>();
  const boundedFor = async (job: Job): Promise<FakeDeps> => {
    const text = await ports.artifacts.getText(waypointKeys.document(prefix));
    return text === undefined ? ports : boundedPorts(ports, sessionOf(job, text));
  };
  const world: StageWorld = {
    ports,
    directory,
    templates,
    script(name, text) {
      const path = join(directory, name);
      writeFileSync(path, text);
      chmodSync(path, 0o755);
      return path;
    },
    file(path, text) {
      const file = join(templates, path);
      mkdirSync(dirname(file), { recursive: true });
      if (text === undefined) rmSync(file);
      else writeFileSync(file, text);
    },
    set(name, value) {
      if (!before.has(name)) before.set(name, process.env[name]);
      process.env[name] = value;
    },
    async put(document, facts) {
      await ports.artifacts.putText(waypointKeys.document(prefix), JSON.stringify(document));
      if (facts !== undefined) await ports.artifacts.putText(waypointKeys.facts(prefix), JSON.stringify(facts));
    },
    async run(stage, { mode = 'do', attempt = 1, signal, crash, tool, graceMs, longestMinutes, stopPollMs } = {}) {
      const job = { waypoint: prefix, stage, mode, attempt };
      // What the driver does is held to the rights of its job; the test itself may read everything.
      return runStage(job, await boundedFor({ kind: 'stage', ...job }), {
        signal: signal ?? new AbortController().signal,
        ...(crash === undefined ? {} : { crash }),
        ...(graceMs === undefined ? {} : { graceMs }),
        ...(longestMinutes === undefined ? {} : { longestMinutes }),
        ...(stopPollMs === undefined ? {} : { stopPollMs }),
        templatesDirectory: templates,
        tools: tool === undefined ? stageTools : { ...stageTools, [stage]: tool },
      });
    },
    async checkDrift(looks, { signal = new AbortController().signal, ...limits } = {}) {
      const job = { waypoint: prefix, attempt: 1 };
      return checkDrift(job, await boundedFor({ kind: 'drift', ...job }), {
        signal,
        templatesDirectory: templates,
        ...limits,
        drift: looks === undefined ? drift : driftBy(looks),
      });
    },
    async facts() {
      return ClusterFacts.parse(JSON.parse((await ports.artifacts.getText(waypointKeys.facts(prefix))) ?? 'null'));
    },
    async log(stage, mode = 'do') {
      return (await ports.artifacts.getText(waypointKeys.log(waypointKeys.attempt(prefix, stage, mode, 1)))) ?? '';
    },
    async reported() {
      const { items } = await ports.events.list({ namespace: 'team', name: 'shop' }, 1000);
      const ofTool = items.filter(({ kind }) => kind !== 'StageStarted' && kind !== 'UndoStarted');
      return ofTool.map(({ kind, message }) => `${kind}: ${message}`);
    },
    close() {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
  world.set('KUBELOOM_WORK_DIRECTORY', directory);
  return world;
}
