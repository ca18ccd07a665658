/** Stages are states of the state machine, too: what the table of stages has, the machine runs, in the same order. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stagesInOrder, undoRungs } from '#domain/plan.ts';

const machine = readFileSync(new URL('../../state-machines/reconcile-cluster.asl.json', import.meta.url), 'utf8');

/** In the order of the states that run them. */
const slotsOf = (mode: 'do' | 'undo'): string[] =>
  [...machine.matchAll(new RegExp(`"slot\\.\\$": "\\$\\.plan\\.${mode}\\.(\\w+)"`, 'g'))].map(
    ([, stage = '']) => stage,
  );

it('reconcile-cluster has a state for each stage in both chains, in the order of the planner', () => {
  const chains = slotsOf('do').filter((stage) => stage !== 'drift');
  expect(chains).toEqual([...stagesInOrder('grow'), ...stagesInOrder('destroy')]);
});

it('reconcile-cluster has a state for each rung of the rollback', () => {
  expect(slotsOf('undo')).toEqual(Object.keys(undoRungs));
});
