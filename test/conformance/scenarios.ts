/** Runs with names, played on every implementation of Step Functions: what happens, and what has to be there then. */
import type { StageName } from '#domain/plan.ts';
import { manifestOf } from '#test/pipeline/harness/manifests.ts';
import type { Pipeline } from '#test/pipeline/harness/pipeline.ts';
import type { Outcome } from '#test/pipeline/harness/state-machines.ts';
import { questionScenarios } from './question-scenarios.ts';
import { rollOutScenarios } from './roll-out-scenarios.ts';

export interface Scenario {
  readonly name: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Set when the order of what happens at once, or the moment of an abort, is not part of the promise. */
  readonly loose?: true;
  play(pipeline: Pipeline): Promise<readonly Outcome[]>;
  /** Part of what has to be observed. */
  readonly expected: object;
}

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 2 } }]);

/** From a machine of the user's own, Kubernetes is removed before it leaves. */
const alone = manifestOf([{ compute: { work: 1 }, balanced: true, machines: 1 }]);
const balanced = manifestOf([{ compute: { work: 2, more: 2 }, balanced: true, machines: 1 }]);

async function applied(pipeline: Pipeline, ...manifests: readonly unknown[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const manifest of manifests) {
    await pipeline.submit(manifest);
    outcomes.push(...(await pipeline.settle()));
  }
  return outcomes;
}

async function deleted(pipeline: Pipeline): Promise<readonly Outcome[]> {
  await pipeline.submit(small, true);
  return pipeline.settle();
}

async function retried(pipeline: Pipeline): Promise<readonly Outcome[]> {
  await pipeline.retry();
  return pipeline.settle();
}

const rolledBack = (stage: StageName): Scenario => ({
  name: `permanent at ${stage}, rolled back, retried without the fault`,
  async play(pipeline) {
    const first = await applied(pipeline, small);
    pipeline.runner.trouble(stage, 'quota');
    const second = await applied(pipeline, large);
    const { status, current, attempted } = await pipeline.cluster();
    if (status !== 'RolledBack' || attempted !== null || (await pipeline.nodes()).length !== 3)
      throw new Error(`the grow was not rolled back: ${status}, ${JSON.stringify({ current, attempted })}`);
    return [...first, ...second, ...(await retried(pipeline))];
  },
  expected: {
    outcomes: [{ status: 'SUCCEEDED' }, { status: 'FAILED', error: 'ToolFailed' }, { status: 'SUCCEEDED' }],
    manifest: { status: 'Done', generation: 2, attempt: 2, held: false },
    clusters: [{ status: 'Converged' }],
    nodes: 5,
  },
});

/** The manifest is done, a machine of it is gone, and its check is due. */
async function checked(pipeline: Pipeline, onDrift: 'report' | 'repair', trouble?: StageName | 'drift') {
  const first = await applied(pipeline, {
    ...small,
    spec: { ...small.spec, driftChecks: { interval: '6h', onDrift } },
  });
  const { current } = await pipeline.cluster();
  // One of them: automatic repairs stay away where all that a provider has seems to be gone.
  const lost = current?.pools.find(({ role }) => role === 'compute')?.nodes.slice(0, 1) ?? [];
  pipeline.runner.drift = lost.map(({ name: node }) => ({
    ...{ kind: 'machine', where: { node, provider: 'sim-1' }, message: `${node} is gone`, repairable: true },
  }));
  if (trouble) pipeline.runner.trouble(trouble, 'quota');
  pipeline.deps.clock.advance(7 * 3600);
  await pipeline.invoke('tick', {});
  return [...first, ...(await pipeline.settle())];
}

const driftScenarios: readonly Scenario[] = [
  {
    name: 'a check for drift: found and told',
    play: (pipeline) => checked(pipeline, 'report'),
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }],
      manifest: { status: 'Done', generation: 1, attempt: 1, held: false },
      clusters: [{ status: 'Converged', failure: null }],
    },
  },
  {
    name: 'a check for drift: found, repaired, looked at again',
    play: (pipeline) => checked(pipeline, 'repair'),
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }],
      ran: [
        ...['infrastructure', 'configuration', 'kubernetes', 'nodes', 'drift'],
        ...['infrastructure', 'configuration', 'kubernetes', 'nodes', 'drift'],
      ],
      clusters: [{ status: 'Converged', attempted: false }],
    },
  },
  {
    name: 'a check for drift: cannot be made',
    play: (pipeline) => checked(pipeline, 'repair', 'drift'),
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }],
      manifest: { status: 'Done', held: false },
      clusters: [{ status: 'Converged', failure: null }],
    },
  },
  {
    name: 'a check for drift: the repair fails, a retry makes it',
    async play(pipeline) {
      const outcomes = await checked(pipeline, 'repair', 'infrastructure');
      return [...outcomes, ...(await retried(pipeline))];
    },
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }, { status: 'FAILED', error: 'ToolFailed' }, { status: 'SUCCEEDED' }],
      manifest: { status: 'Done', attempt: 2, held: false },
      clusters: [{ status: 'Converged', failure: null }],
    },
  },
];

export const scenarios: readonly Scenario[] = [
  ...driftScenarios,
  {
    name: 'happy: create, grow, shrink, delete',
    play: async (pipeline) => [...(await applied(pipeline, small, large, small)), ...(await deleted(pipeline))],
    expected: { outcomes: Array(4).fill({ status: 'SUCCEEDED' }), manifest: null, clusters: [], nodes: 0 },
  },
  {
    name: 'happy: a load balancer and a machine of the user, create, grow, shrink, delete',
    play: async (pipeline) => [...(await applied(pipeline, alone, balanced, alone)), ...(await deleted(pipeline))],
    expected: { outcomes: Array(4).fill({ status: 'SUCCEEDED' }), manifest: null, clusters: [], nodes: 0 },
  },
  {
    name: 'paused after a waypoint, resumed',
    async play(pipeline) {
      const first = await applied(pipeline, large);
      pipeline.runner.trouble('kubernetes', async () => void (await pipeline.call('/pause')));
      const paused = await applied(pipeline, manifestOf([{ compute: { work: 2, fresh: 1 } }]));
      await pipeline.call('/resume');
      return [...first, ...paused, ...(await pipeline.settle())];
    },
    expected: { outcomes: Array(3).fill({ status: 'SUCCEEDED' }), manifest: { status: 'Done' }, nodes: 4 },
  },
  {
    name: 'happy: nothing to do',
    play: (pipeline) => applied(pipeline, small, small),
    expected: { manifest: { status: 'Done', generation: 2, attempt: 1, held: false }, nodes: 3 },
  },
  {
    name: 'transient, then fine',
    async play(pipeline) {
      pipeline.runner.trouble('configuration', 'transient', { times: 2 });
      return applied(pipeline, small);
    },
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }],
      ran: ['infrastructure', 'configuration', 'configuration', 'configuration', 'kubernetes', 'nodes'],
      clusters: [{ status: 'Converged', failure: null }],
    },
  },
  {
    name: 'a container that leaves nothing, then fine',
    async play(pipeline) {
      pipeline.runner.trouble('nodes', 'kill');
      return applied(pipeline, small);
    },
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }],
      ran: ['infrastructure', 'configuration', 'kubernetes', 'nodes', 'nodes'],
    },
  },
  ...(['infrastructure', 'configuration', 'kubernetes', 'nodes'] as const).map(rolledBack),
  {
    name: 'permanent while it is undone: stands still',
    async play(pipeline) {
      const first = await applied(pipeline, small);
      pipeline.runner.trouble('nodes', 'user');
      pipeline.runner.trouble('configuration', 'bug', { mode: 'undo' });
      return [...first, ...(await applied(pipeline, large))];
    },
    expected: { clusters: [{ status: 'NeedsAttention', failure: { stage: 'configuration', class: 'bug' } }], nodes: 5 },
  },
  {
    name: 'forward only to NeedsAttention, retried',
    async play(pipeline) {
      const first = await applied(pipeline, large);
      pipeline.runner.trouble('infrastructure', 'credentials');
      const second = await applied(pipeline, small);
      const { status } = await pipeline.cluster();
      if (status !== 'NeedsAttention') throw new Error(`the cluster is ${status}`);
      return [...first, ...second, ...(await retried(pipeline))];
    },
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }, { status: 'FAILED', error: 'ToolFailed' }, { status: 'SUCCEEDED' }],
      clusters: [{ status: 'Converged', failure: null }],
      nodes: 3,
    },
  },
  {
    name: 'forward only, backs off, then fine',
    environment: { KUBELOOM_MAX_STAGE_ATTEMPTS: '1' },
    async play(pipeline) {
      const first = await applied(pipeline, large);
      pipeline.runner.trouble('nodes', 'transient', { times: 2 });
      return [...first, ...(await applied(pipeline, small))];
    },
    expected: { outcomes: [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }], clusters: [{ status: 'Converged' }] },
  },
  {
    name: 'refused by the planner',
    play: (pipeline) => applied(pipeline, small, manifestOf([{ version: '1.30.0' }])),
    expected: { clusters: [{ status: 'NeedsAttention', failure: { class: 'user', code: 'PlanRefused' } }] },
  },
  {
    name: 'two clusters, one of them fails',
    loose: true,
    async play(pipeline) {
      pipeline.runner.trouble('kubernetes', 'user');
      return applied(pipeline, manifestOf([{ name: 'web' }, { name: 'data' }]));
    },
    expected: { clusters: [{ status: 'Converged' }, { status: 'RolledBack' }], outcomes: [{ status: 'FAILED' }] },
  },
  {
    name: 'a newer generation during a run is done by that run',
    async play(pipeline) {
      const inner: Outcome[] = [];
      pipeline.runner.trouble('kubernetes', async () => {
        inner.push(...(await applied(pipeline, large)));
      });
      return [...(await applied(pipeline, small)), ...inner];
    },
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }],
      manifest: { status: 'Done', generation: 2, attempt: 1, held: false },
      runs: ['Succeeded', 'Superseded'],
    },
  },
  {
    name: 'aborted, started again, adopts what was begun',
    loose: true,
    async play(pipeline) {
      const first = await applied(pipeline, small);
      pipeline.runner.trouble('configuration', () => pipeline.machines.abortAll());
      return [...first, ...(await applied(pipeline, large))];
    },
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }, { status: 'ABORTED' }, { status: 'SUCCEEDED' }],
      runs: ['Succeeded', 'Aborted', 'Succeeded'],
      clusters: [{ status: 'Converged' }],
      nodes: 5,
    },
  },
  {
    name: 'aborted three times: left to a person',
    loose: true,
    async play(pipeline) {
      pipeline.runner.trouble('infrastructure', () => pipeline.machines.abortAll(), { times: 99 });
      return applied(pipeline, small);
    },
    expected: { outcomes: Array(3).fill({ status: 'ABORTED' }), manifest: { status: 'Failed', held: false } },
  },
  {
    name: 'a function that AWS throttles once is called again',
    async play(pipeline) {
      pipeline.faults.set('plan-cluster', named('Lambda.TooManyRequestsException'));
      return applied(pipeline, small);
    },
    expected: { outcomes: [{ status: 'SUCCEEDED' }], clusters: [{ status: 'Converged' }] },
  },
  {
    name: 'a function that breaks: the run fails and is finished',
    async play(pipeline) {
      pipeline.faults.set('plan-manifest', named('TypeError'));
      return applied(pipeline, small);
    },
    expected: {
      outcomes: [{ status: 'FAILED', error: 'TypeError' }],
      manifest: { status: 'Failed', held: false },
      runs: ['Failed'],
    },
  },
  {
    name: 'an account that runs no more builds: the stage waits, and goes on',
    async play(pipeline) {
      pipeline.runner.refuse('configuration', 'AccountLimitExceededException', 2);
      return applied(pipeline, small);
    },
    expected: { outcomes: [{ status: 'SUCCEEDED' }], clusters: [{ status: 'Converged', failure: null }] },
  },
  {
    name: 'CodeBuild does not answer: its builds are stopped, and the waypoint pauses and continues',
    async play(pipeline) {
      const first = await applied(pipeline, small);
      // The first try of a stage and its seven more.
      pipeline.runner.refuse('configuration', 'AWSCodeBuildException', 8);
      return [...first, ...(await applied(pipeline, large))];
    },
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }],
      clusters: [{ status: 'Converged', failure: null }],
    },
  },
  {
    name: 'a run of a release that noted no images runs on those of the projects',
    environment: { KUBELOOM_RUNNER_RELEASE: '' },
    play: (pipeline) => applied(pipeline, small),
    expected: { outcomes: [{ status: 'SUCCEEDED' }], clusters: [{ status: 'Converged' }] },
  },
  {
    name: 'a node that a user holds: the run waits for it, and goes on',
    environment: { KUBELOOM_BACK_OFF_SECONDS: '30' },
    async play(pipeline) {
      const first = await applied(pipeline, large);
      const held = [{ node: 'web-more-1', because: 'held by the label kubeloom.dev/upgrade-lock' }];
      pipeline.runner.trouble('nodes', { held });
      pipeline.before.set('plan-cluster', () => pipeline.deps.clock.advance(60));
      return [...first, ...(await applied(pipeline, small))];
    },
    expected: { outcomes: [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }], clusters: [{ status: 'Converged' }] },
  },
  {
    name: 'aborted, and what finishes it breaks: the scheduler starts it again once its lease is over',
    loose: true,
    async play(pipeline) {
      pipeline.runner.trouble('configuration', () => pipeline.machines.abortAll());
      pipeline.faults.set('release-run', named('TypeError'));
      const first = await applied(pipeline, small);
      pipeline.deps.clock.advance(2 * 3600);
      await pipeline.invoke('tick', {});
      return [...first, ...(await pipeline.settle())];
    },
    expected: {
      outcomes: [{ status: 'ABORTED' }, { status: 'SUCCEEDED' }],
      manifest: { status: 'Done', held: false },
    },
  },
  ...rollOutScenarios,
  ...questionScenarios,
  {
    name: 'a function that breaks in the middle of a cluster: stands still, the record says so',
    async play(pipeline) {
      pipeline.faults.set('commit-waypoint', named('TypeError'));
      return applied(pipeline, small);
    },
    expected: { outcomes: [{ status: 'FAILED' }], manifest: { status: 'Failed', held: false } },
  },
];

function named(name: string): Error {
  const error = new Error(`${name} was planted`);
  error.name = name;
  return error;
}
