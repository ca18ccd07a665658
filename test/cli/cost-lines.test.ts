/** What people read about the cost of machines. */
import { describe, expect, it } from 'vitest';
import { costLines, sumOfCostLines } from '#cli/print/cost-lines.ts';
import type { CostOfMonth, MachineCost } from '#domain/prices/cost-of-month.ts';

const machine = (part: Partial<MachineCost>): MachineCost => ({
  cluster: 'shop',
  pool: 'web',
  provider: 'hetzner-1',
  region: 'fsn1',
  serverType: 'cx23',
  spot: false,
  before: 2,
  after: 3,
  each: { currency: 'EUR', amount: 5.99 },
  ...part,
});
const euros = (amount: number) => ({ currency: 'EUR', amount });
const hetzner = { provider: 'hetzner', date: '2026-08-17', source: 'its API' };

const cost = (part: Partial<CostOfMonth>): CostOfMonth => ({
  before: [euros(11.98)],
  after: [euros(17.97)],
  difference: [euros(5.99)],
  machines: [machine({})],
  lists: [hetzner],
  ...part,
});

describe('the cost of a plan', () => {
  it('the sum comes first, with the date of its prices, then each pool that changes', () => {
    expect(costLines(cost({}))).toEqual([
      'machines cost €17.97 a month, €5.99 more than now (list prices, without disks, traffic, taxes and public addresses (Hetzner Cloud: with those): hetzner of 2026-08-17)',
      '  web (cx23 of hetzner-1, fsn1): 2 machines now, 3 then, €5.99 each',
    ]);
  });

  it('a plan that changes no machine costs as now', () => {
    const [sum, ...rest] = costLines(cost({ difference: [euros(0)], machines: [machine({ before: 3 })] }));
    expect(sum).toContain('€17.97 a month, as now');
    expect(rest).toEqual([]);
  });

  it('currencies are not added up', () => {
    const [sum] = costLines(cost({ after: [euros(5), { currency: 'USD', amount: 7 }], difference: [euros(-5)] }));
    expect(sum).toContain('€5.00 and $7.00 a month, €5.00 less than now');
  });

  it('prices that are not known are named, and the sum is a least one', () => {
    const odd = machine({ pool: 'odd', serverType: 'gx1', spot: true, before: 0, after: 1, each: null });
    const [sum, , last] = costLines(cost({ machines: [machine({}), odd] }));
    expect(sum).toContain('machines cost at least €17.97 a month');
    expect(last).toBe('  price not known: odd (spot machines gx1 of hetzner-1, fsn1), 0 machines now, 1 then');
  });

  it('there is no sum where no price is known', () => {
    const lines = costLines(
      cost({ after: [], before: [], difference: [], lists: [], machines: [machine({ each: null })] }),
    );
    expect(lines).toEqual(['  price not known: web (cx23 of hetzner-1, fsn1), 2 machines now, 3 then']);
  });

  it('prices of the simulation are printed as simulated', () => {
    const lists = [{ provider: 'sim', date: '2026-11-23', source: 'simulated' }];
    expect(costLines(cost({ lists }))[0]).toContain('those): sim: simulated)');
  });
});

describe('the cost of several plans', () => {
  const sum = { before: [euros(12)], after: [euros(18)], difference: [euros(6)], lists: [hetzner] };

  it('the cost of several plans is summed up in one line', () => {
    const [line, ...rest] = sumOfCostLines({ ...sum, notKnown: { before: 0, after: 0 } });
    expect(line).toMatch(
      /^machines cost €18\.00 a month, €6\.00 more than now \(list prices, .*hetzner of 2026-08-17\)$/,
    );
    expect(rest).toEqual([]);
  });

  it('machines without a known price are counted, and the sum is a least one', () => {
    const [line, unknown] = sumOfCostLines({ ...sum, notKnown: { before: 1, after: 2 } });
    expect(line).toContain('machines cost at least €18.00 a month');
    expect(unknown).toBe('price not known: 1 machine now, 2 then');
    const none = { before: [], after: [], difference: [], lists: [] };
    expect(sumOfCostLines({ ...none, notKnown: { before: 0, after: 3 } })).toEqual([
      'price not known: 0 machines now, 3 then',
    ]);
  });
});
