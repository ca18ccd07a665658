/** Runs with names, played on every implementation of Step Functions: what happens, and what has to be there then. */
import { manifestOf } from '#test/pipeline/harness/manifests.ts';
import type { Outcome } from '#test/pipeline/harness/state-machines.ts';
import { driftScenarios } from './drift-scenarios.ts';
import { failureScenarios } from './failure-scenarios.ts';
import { questionScenarios } from './question-scenarios.ts';
import { rollOutScenarios } from './roll-out-scenarios.ts';
import {
  applyInTurn,
  balancedShop,
  deleteShop,
  largeShop,
  ownMachineShop,
  type Scenario,
  smallShop,
} from './scenario.ts';

export const scenarios: readonly Scenario[] = [
  {
    name: 'happy: create, grow, shrink, delete',
    short: true,
    play: async (pipeline) => [
      ...(await applyInTurn(pipeline, smallShop, largeShop, smallShop)),
      ...(await deleteShop(pipeline)),
    ],
    expected: { outcomes: Array(4).fill({ status: 'SUCCEEDED' }), manifest: null, clusters: [], nodes: 0 },
  },
  {
    name: 'happy: a load balancer and a machine of the user, create, grow, shrink, delete',
    play: async (pipeline) => [
      ...(await applyInTurn(pipeline, ownMachineShop, balancedShop, ownMachineShop)),
      ...(await deleteShop(pipeline)),
    ],
    expected: { outcomes: Array(4).fill({ status: 'SUCCEEDED' }), manifest: null, clusters: [], nodes: 0 },
  },
  {
    name: 'paused after a waypoint, resumed',
    async play(pipeline) {
      const first = await applyInTurn(pipeline, largeShop);
      pipeline.runner.trouble('kubernetes', async () => void (await pipeline.call('/pause')));
      const paused = await applyInTurn(pipeline, manifestOf([{ compute: { work: 2, fresh: 1 } }]));
      await pipeline.call('/resume');
      return [...first, ...paused, ...(await pipeline.settle())];
    },
    expected: { outcomes: Array(3).fill({ status: 'SUCCEEDED' }), manifest: { status: 'Done' }, nodes: 4 },
  },
  {
    name: 'happy: nothing to do',
    play: (pipeline) => applyInTurn(pipeline, smallShop, smallShop),
    expected: { manifest: { status: 'Done', generation: 2, attempt: 1, held: false }, nodes: 3 },
  },
  {
    name: 'a newer generation during a run is done by that run',
    async play(pipeline) {
      const inner: Outcome[] = [];
      pipeline.runner.trouble('kubernetes', async () => {
        inner.push(...(await applyInTurn(pipeline, largeShop)));
      });
      return [...(await applyInTurn(pipeline, smallShop)), ...inner];
    },
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }],
      manifest: { status: 'Done', generation: 2, attempt: 1, held: false },
      runs: ['Succeeded', 'Superseded'],
    },
  },
  {
    name: 'a run of a release that noted no images runs on those of the projects',
    environment: { KUBELOOM_RUNNER_RELEASE: '' },
    play: (pipeline) => applyInTurn(pipeline, smallShop),
    expected: { outcomes: [{ status: 'SUCCEEDED' }], clusters: [{ status: 'Converged' }] },
  },
  {
    name: 'a node that a user holds: the run waits for it, then continues',
    environment: { KUBELOOM_BACK_OFF_SECONDS: '30' },
    async play(pipeline) {
      const first = await applyInTurn(pipeline, largeShop);
      const held = [{ node: 'web-more-1', because: 'held by the label kubeloom.dev/upgrade-lock' }];
      pipeline.runner.trouble('nodes', { held });
      pipeline.before.set('plan-cluster', () => pipeline.deps.clock.advance(60));
      return [...first, ...(await applyInTurn(pipeline, smallShop))];
    },
    expected: { outcomes: [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }], clusters: [{ status: 'Converged' }] },
  },
  ...failureScenarios,
  ...driftScenarios,
  ...rollOutScenarios,
  ...questionScenarios,
];
