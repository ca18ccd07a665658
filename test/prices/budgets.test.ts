/** Budgets: how they are written, and which plans they ask an approval for. */
import { describe, expect, it } from 'vitest';
import { BudgetTexts, budgetOf } from '#domain/prices/budget-setting.ts';
import { compareBudget, type ScopeCost } from '#domain/prices/compare-budgets.ts';
import { sumOfCosts } from '#domain/prices/sum-costs.ts';

const budgets = (...texts: string[]) => texts.map(budgetOf);
const usd = (amount: number) => ({ currency: 'USD', amount });
const eur = (amount: number) => ({ currency: 'EUR', amount });
const cost = (part: Partial<ScopeCost>): ScopeCost => ({
  before: [],
  after: [],
  notKnown: { before: 0, after: 0 },
  ...part,
});
const compared = (texts: readonly string[], part: Partial<ScopeCost>) =>
  compareBudget('team', budgets(...texts), cost(part));

describe('the setting', () => {
  it('a budget is a scope, an amount and a currency', () => {
    expect(budgetOf('team=99.50EUR')).toEqual({ of: 'team', amount: 99.5, currency: 'EUR' });
    expect(budgetOf('*=5000USD')).toEqual({ of: '*', amount: 5000, currency: 'USD' });
  });

  it.each([
    ['team', 'is not a budget'],
    ['team=500', 'is not a budget'],
    ['team=-5EUR', 'is not a budget'],
    ['Team=5EUR', 'is not a budget'],
    ['team=5eur', 'is not a budget'],
    ['team=5EUR,team=6EUR', 'two budgets of team in EUR'],
  ])('the setting %s is refused', (text, reason) => {
    const { error } = BudgetTexts.safeParse(text.split(','));
    expect(error?.message).toContain(reason);
  });

  it('a scope can have a budget in each currency', () => {
    expect(BudgetTexts.safeParse(['team=5EUR', 'team=6USD', '*=5EUR']).success).toBe(true);
  });
});

describe('which plans need an approval', () => {
  it.each<[string, boolean, string[], Partial<ScopeCost>]>([
    ['reaches its budget exactly', false, ['team=20USD'], { before: [usd(15)], after: [usd(20)] }],
    ['goes a cent beyond it', true, ['team=20USD'], { before: [usd(15)], after: [usd(20.01)] }],
    ['is the first and beyond it', true, ['team=20USD'], { after: [usd(25)] }],
    ['adds to what is beyond it already', true, ['team=20USD'], { before: [usd(30)], after: [usd(35)] }],
    ['lowers what is beyond it', false, ['team=20USD'], { before: [usd(35)], after: [usd(30)] }],
    ['keeps what is beyond it', false, ['team=20USD'], { before: [usd(35)], after: [usd(35)] }],
    ['adds in a currency that the budget does not name', true, ['team=20USD'], { after: [eur(1)] }],
    ['keeps what it has in such a currency', false, ['team=20USD'], { before: [eur(1)], after: [eur(1)] }],
    [
      'moves to another currency within both budgets',
      false,
      ['team=20USD', 'team=9EUR'],
      { before: [usd(15)], after: [eur(9)] },
    ],
    ['adds a machine without a known price', true, ['team=20USD'], { notKnown: { before: 1, after: 2 } }],
    [
      'keeps machines without a known price',
      false,
      ['team=20USD'],
      { after: [usd(5)], notKnown: { before: 2, after: 2 } },
    ],
    ['removes machines without a known price', false, ['team=20USD'], { notKnown: { before: 2, after: 0 } }],
    ['costs anything where nothing is allowed', true, ['team=0USD'], { after: [usd(5)] }],
  ])('a plan that %s: approval %s', (_, needed, texts, part) => {
    expect(compared(texts, part).needsApproval).toBe(needed);
  });
});

describe('what a budget says', () => {
  it('a budget says what is spent and allowed, and by how much a plan goes beyond it', () => {
    expect(compared(['team=20USD'], { after: [usd(15)] }).text).toBe(
      'budget of namespace team: $15.00 of $20.00 a month',
    );
    expect(compared(['team=20USD'], { after: [usd(25)] }).text).toBe(
      'budget of namespace team: $25.00 a month, $5.00 beyond $20.00',
    );
    expect(compareBudget('*', budgets('*=20USD'), cost({})).text).toBe(
      'budget of the installation: $0.00 of $20.00 a month',
    );
  });

  it('a budget says that a sum is the least, and of how many machines no price is known', () => {
    expect(compared(['team=20USD'], { after: [usd(15)], notKnown: { before: 1, after: 3 } }).text).toBe(
      'budget of namespace team: at least $15.00 of $20.00 a month, 3 machines without a known price, 2 more than now',
    );
  });

  it('a budget reports an excess for each currency', () => {
    expect(compared(['team=20USD'], { after: [usd(5), eur(7)] })).toMatchObject({
      amounts: [
        { currency: 'USD', amount: 20, before: 0, after: 5 },
        { currency: 'EUR', amount: 0, before: 0, after: 7 },
      ],
      text: 'budget of namespace team: $5.00 of $20.00 a month; €7.00 a month, €7.00 beyond €0.00',
    });
  });
});

describe('the sum of several manifests', () => {
  const machines = (each: object | null, before: number, after: number) => ({
    cluster: 'web',
    pool: 'p',
    provider: 'sim-1',
    region: 'r',
    serverType: 's',
    spot: false,
    before,
    after,
    each: each as null,
  });

  it('the sum has each currency once, and counts machines and manifests that no one knows', () => {
    const lists = [{ provider: 'sim', date: '2026-11-23', source: 'simulated' }];
    const one = {
      before: [usd(0.1)],
      after: [usd(0.2)],
      difference: [usd(0.1)],
      lists,
      machines: [machines(null, 1, 2)],
    };
    const other = {
      before: [usd(0.2), eur(1)],
      after: [eur(1)],
      difference: [usd(-0.2), eur(0)],
      lists: [...lists],
      machines: [machines(eur(1), 1, 1)],
    };
    expect(sumOfCosts([one, other], 1)).toEqual({
      before: [usd(0.3), eur(1)],
      after: [usd(0.2), eur(1)],
      difference: [usd(-0.1), eur(0)],
      notKnown: { before: 2, after: 3 },
      lists,
    });
  });
});
