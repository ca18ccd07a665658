/** Failures of tools, functions and services, and aborts, as scenarios. */
import type { StageName } from '#domain/plan.ts';
import { manifestOf } from '#test/pipeline/harness/manifests.ts';
import { applyInTurn, largeShop, retryShop, type Scenario, smallShop } from './scenario.ts';

const rolledBack = (stage: StageName): Scenario => ({
  name: `permanent at ${stage}, rolled back, retried without the fault`,
  ...(stage === 'kubernetes' && { short: true }),
  async play(pipeline) {
    const first = await applyInTurn(pipeline, smallShop);
    pipeline.runner.trouble(stage, 'quota');
    const second = await applyInTurn(pipeline, largeShop);
    const { status, current, attempted } = await pipeline.cluster();
    if (status !== 'RolledBack' || attempted !== null || (await pipeline.nodes()).length !== 3)
      throw new Error(`the grow was not rolled back: ${status}, ${JSON.stringify({ current, attempted })}`);
    return [...first, ...second, ...(await retryShop(pipeline))];
  },
  expected: {
    outcomes: [{ status: 'SUCCEEDED' }, { status: 'FAILED', error: 'ToolFailed' }, { status: 'SUCCEEDED' }],
    manifest: { status: 'Done', generation: 2, attempt: 2, held: false },
    clusters: [{ status: 'Converged' }],
    nodes: 5,
  },
});

export const failureScenarios: readonly Scenario[] = [
  {
    name: 'transient, then fine',
    async play(pipeline) {
      pipeline.runner.trouble('configuration', 'transient', { times: 2 });
      return applyInTurn(pipeline, smallShop);
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
      return applyInTurn(pipeline, smallShop);
    },
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }],
      ran: ['infrastructure', 'configuration', 'kubernetes', 'nodes', 'nodes'],
    },
  },
  ...(['infrastructure', 'configuration', 'kubernetes', 'nodes'] as const).map(rolledBack),
  {
    name: 'a permanent failure during an undo stops the cluster',
    async play(pipeline) {
      const first = await applyInTurn(pipeline, smallShop);
      pipeline.runner.trouble('nodes', 'user');
      pipeline.runner.trouble('configuration', 'bug', { mode: 'undo' });
      return [...first, ...(await applyInTurn(pipeline, largeShop))];
    },
    expected: { clusters: [{ status: 'NeedsAttention', failure: { stage: 'configuration', class: 'bug' } }], nodes: 5 },
  },
  {
    name: 'forward only to NeedsAttention, retried',
    async play(pipeline) {
      const first = await applyInTurn(pipeline, largeShop);
      pipeline.runner.trouble('infrastructure', 'credentials');
      const second = await applyInTurn(pipeline, smallShop);
      const { status } = await pipeline.cluster();
      if (status !== 'NeedsAttention') throw new Error(`the cluster is ${status}`);
      return [...first, ...second, ...(await retryShop(pipeline))];
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
      const first = await applyInTurn(pipeline, largeShop);
      pipeline.runner.trouble('nodes', 'transient', { times: 2 });
      return [...first, ...(await applyInTurn(pipeline, smallShop))];
    },
    expected: { outcomes: [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }], clusters: [{ status: 'Converged' }] },
  },
  {
    name: 'refused by the planner',
    play: (pipeline) => applyInTurn(pipeline, smallShop, manifestOf([{ version: '1.30.0' }])),
    expected: { clusters: [{ status: 'NeedsAttention', failure: { class: 'user', code: 'PlanRefused' } }] },
  },
  {
    name: 'two clusters, one of them fails',
    loose: true,
    async play(pipeline) {
      pipeline.runner.trouble('kubernetes', 'user');
      return applyInTurn(pipeline, manifestOf([{ name: 'web' }, { name: 'data' }]));
    },
    expected: { clusters: [{ status: 'Converged' }, { status: 'RolledBack' }], outcomes: [{ status: 'FAILED' }] },
  },
  {
    name: 'a function that AWS throttles once is called again',
    async play(pipeline) {
      pipeline.faults.set('plan-cluster', named('Lambda.TooManyRequestsException'));
      return applyInTurn(pipeline, smallShop);
    },
    expected: { outcomes: [{ status: 'SUCCEEDED' }], clusters: [{ status: 'Converged' }] },
  },
  {
    name: 'a function that breaks: the run fails and is finished',
    async play(pipeline) {
      pipeline.faults.set('plan-manifest', named('TypeError'));
      return applyInTurn(pipeline, smallShop);
    },
    expected: {
      outcomes: [{ status: 'FAILED', error: 'TypeError' }],
      manifest: { status: 'Failed', held: false },
      runs: ['Failed'],
    },
  },
  {
    name: 'a function that breaks in the middle of a cluster: the cluster stops, and its record says so',
    async play(pipeline) {
      pipeline.faults.set('commit-waypoint', named('TypeError'));
      return applyInTurn(pipeline, smallShop);
    },
    expected: { outcomes: [{ status: 'FAILED' }], manifest: { status: 'Failed', held: false } },
  },
  {
    name: 'an account that runs no more builds: the stage waits, then continues',
    async play(pipeline) {
      pipeline.runner.refuse('configuration', 'AccountLimitExceededException', 2);
      return applyInTurn(pipeline, smallShop);
    },
    expected: { outcomes: [{ status: 'SUCCEEDED' }], clusters: [{ status: 'Converged', failure: null }] },
  },
  {
    name: 'CodeBuild does not answer: its builds are stopped, and the waypoint pauses and continues',
    async play(pipeline) {
      const first = await applyInTurn(pipeline, smallShop);
      // The first try of a stage and its seven more.
      pipeline.runner.refuse('configuration', 'AWSCodeBuildException', 8);
      return [...first, ...(await applyInTurn(pipeline, largeShop))];
    },
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }],
      clusters: [{ status: 'Converged', failure: null }],
    },
  },
  {
    name: 'no one can see whether a build has ended: nothing is done next to it, and a retry stops it first',
    async play(pipeline) {
      const first = await applyInTurn(pipeline, smallShop);
      pipeline.runner.refuse('configuration', 'AWSCodeBuildException', 8);
      pipeline.faults.set('stop-builds', named('TypeError'));
      const second = await applyInTurn(pipeline, largeShop);
      const { status, failure } = await pipeline.cluster();
      if (status !== 'NeedsAttention' || failure?.class !== 'stuck')
        throw new Error(`the cluster is ${status}: ${JSON.stringify(failure)}`);
      return [...first, ...second, ...(await retryShop(pipeline))];
    },
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }, { status: 'FAILED', error: 'BuildStillRuns' }, { status: 'SUCCEEDED' }],
      clusters: [{ status: 'Converged', failure: null }],
    },
  },
  {
    name: 'an aborted run is started again and continues the interrupted waypoint',
    short: true,
    loose: true,
    async play(pipeline) {
      const first = await applyInTurn(pipeline, smallShop);
      pipeline.runner.trouble('configuration', () => pipeline.machines.abortAll());
      return [...first, ...(await applyInTurn(pipeline, largeShop))];
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
      return applyInTurn(pipeline, smallShop);
    },
    expected: { outcomes: Array(3).fill({ status: 'ABORTED' }), manifest: { status: 'Failed', held: false } },
  },
  {
    name: 'aborted, and what finishes it breaks: the scheduler starts it again once its lease is over',
    loose: true,
    async play(pipeline) {
      pipeline.runner.trouble('configuration', () => pipeline.machines.abortAll());
      pipeline.faults.set('release-run', named('TypeError'));
      const first = await applyInTurn(pipeline, smallShop);
      pipeline.deps.clock.advance(2 * 3600);
      await pipeline.invoke('tick', {});
      return [...first, ...(await pipeline.settle())];
    },
    expected: {
      outcomes: [{ status: 'ABORTED' }, { status: 'SUCCEEDED' }],
      manifest: { status: 'Done', held: false },
    },
  },
];

function named(name: string): Error {
  const error = new Error(`${name} was planted`);
  error.name = name;
  return error;
}
