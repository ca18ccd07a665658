/** What `kubeloom inventory plan` prints of a plan. */
import { expect, it } from 'vitest';
import { planLines } from '#cli/print/inventory-lines.ts';
import type { InventoryPlan } from '#contracts/inventory.ts';
import { planTotals } from '#domain/planning/text/plan-totals.ts';

type Row = InventoryPlan['clusters'][number];

const plan = (clusters: readonly (readonly [string, Row['impact']])[]): InventoryPlan => ({
  namespace: 'fleet',
  id: 'p1',
  depend: clusters.length,
  changes: clusters.filter(([, impact]) => impact === 'changes').length,
  overrides: clusters.filter(([, impact]) => impact === 'overrides').length,
  same: clusters.filter(([, impact]) => impact === 'same').length,
  refused: 0,
  removed: clusters.filter(([, impact]) => impact === 'removed').length,
  totals: planTotals([]),
  budgets: [],
  needsApproval: false,
  faults: [],
  clusters: clusters.map(([cluster, impact]) => ({
    cluster,
    impact,
    waypoints: 0,
    changes: [],
    totals: null,
    faults: [],
  })),
});

it('a plan without details names the clusters that change, and those that have a value of their own or are removed', () => {
  const lines = planLines(
    plan([
      ['ams', 'changes'],
      ['fra', 'changes'],
      ['ber', 'overrides'],
      ['par', 'same'],
      ['old', 'removed'],
    ]),
    false,
  );
  expect(lines).toContain('to change: ams, fra');
  expect(lines).toContain('with a value of their own: ber');
  expect(lines).toContain('without an InventoryCluster: old');
  expect(lines.join('\n')).not.toContain('par');
});

it('many clusters are named as far as a person reads, and one is one', () => {
  const many = plan(Array.from({ length: 30 }, (_, index) => [`site-${index}`, 'changes'] as const));
  expect(planLines(many, false)).toContain(
    'to change: site-0, site-1, site-2, site-3, site-4, site-5, site-6, site-7 and 22 more',
  );
  expect(planLines(plan([['ams', 'changes']]), false)[0]).toBe('1 cluster depends on it: 1 change');
});
