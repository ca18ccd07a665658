/** Checks for drift, as scenarios. */
import type { StageName } from '#domain/plan.ts';
import type { Pipeline } from '#test/pipeline/harness/pipeline.ts';
import { applyInTurn, retryShop, type Scenario, smallShop } from './scenario.ts';

/** The manifest is done, a machine of it is gone, and its check is due. */
async function checked(pipeline: Pipeline, onDrift: 'report' | 'repair', trouble?: StageName | 'drift') {
  const first = await applyInTurn(pipeline, {
    ...smallShop,
    spec: { ...smallShop.spec, driftChecks: { interval: '6h', onDrift } },
  });
  const { current } = await pipeline.cluster();
  // One of them: automatic repairs stay away where all that a provider has seems to be gone.
  const lost = current?.pools.find(({ role }) => role === 'compute')?.nodes.slice(0, 1) ?? [];
  pipeline.runner.drift = lost.map(({ name: node }) => ({
    kind: 'machine',
    where: { node, provider: 'sim-1' },
    message: `${node} is gone`,
    repairable: true,
  }));
  if (trouble) pipeline.runner.trouble(trouble, 'quota');
  pipeline.deps.clock.advance(7 * 3600);
  await pipeline.invoke('tick', {});
  return [...first, ...(await pipeline.settle())];
}

export const driftScenarios: readonly Scenario[] = [
  {
    name: 'a drift check finds drift and reports it',
    play: (pipeline) => checked(pipeline, 'report'),
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }],
      manifest: { status: 'Done', generation: 1, attempt: 1, held: false },
      clusters: [{ status: 'Converged', failure: null }],
    },
  },
  {
    name: 'a drift check finds drift, a repair removes it, and a second check confirms that',
    short: true,
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
    name: 'a drift check that cannot be made',
    play: (pipeline) => checked(pipeline, 'repair', 'drift'),
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }],
      manifest: { status: 'Done', held: false },
      clusters: [{ status: 'Converged', failure: null }],
    },
  },
  {
    name: 'a drift check: the repair fails, and a retry makes it',
    async play(pipeline) {
      const outcomes = await checked(pipeline, 'repair', 'infrastructure');
      return [...outcomes, ...(await retryShop(pipeline))];
    },
    expected: {
      outcomes: [{ status: 'SUCCEEDED' }, { status: 'FAILED', error: 'ToolFailed' }, { status: 'SUCCEEDED' }],
      manifest: { status: 'Done', attempt: 2, held: false },
      clusters: [{ status: 'Converged', failure: null }],
    },
  },
];
