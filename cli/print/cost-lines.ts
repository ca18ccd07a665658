/** What machines cost a month before and after a plan, for people. */
import type { PlanReport } from '#contracts/api-bodies.ts';
import type { InventoryPlan } from '#contracts/inventory.ts';
import { moneyText } from '#domain/prices/money-text.ts';
import { notInPrices } from '#domain/prices/not-in-prices.ts';
import { counted } from '#domain/words.ts';

type SumOfCosts = NonNullable<InventoryPlan['costOfMonth']>;
type CostOfMonth = NonNullable<PlanReport['costOfMonth']>;
type MachineCost = CostOfMonth['machines'][number];
type Money = CostOfMonth['before'][number];

/** The first line is the sum; then what changes, and what has no known price. */
export function costLines(cost: CostOfMonth): readonly string[] {
  const unknown = cost.machines.filter(({ each }) => each === null);
  const changed = cost.machines.filter(({ each, before, after }) => each !== null && before !== after);
  return [
    ...sumLines(cost, unknown.length > 0),
    ...changed.map((one) => `  ${placeText(one)}: ${changeText(one)}, ${moneyText(one.each as Money)} each`),
    ...unknown.map((one) => `  price not known: ${placeText(one)}, ${changeText(one)}`),
  ];
}

/** The total cost of several plans, and how many machines are not counted. */
export function sumOfCostLines(cost: SumOfCosts): readonly string[] {
  const { before, after } = cost.notKnown;
  const unknown = Math.max(before, after) > 0;
  return [...sumLines(cost, unknown), ...(unknown ? [`price not known: ${changeText(cost.notKnown)}`] : [])];
}

/** Nothing where no price is known. */
function sumLines({ after, difference, lists }: Omit<CostOfMonth, 'machines'>, more: boolean): readonly string[] {
  if (lists.length === 0) return [];
  const dates = [...new Set(lists.map(({ provider, date, source }) => listText(provider, date, source)))].join(', ');
  const least = more ? 'at least ' : '';
  const changes = difference.filter(({ amount }) => amount !== 0);
  const change = changes.map(({ currency, amount }) => {
    return `${moneyText({ currency, amount: Math.abs(amount) })} ${amount > 0 ? 'more' : 'less'}`;
  });
  const text = after.map(moneyText).join(' and ');
  const sum = `machines cost ${least}${text} a month, ${change.length === 0 ? 'as now' : `${change.join(' and ')} than now`}`;
  return [`${sum} (list prices, ${notInPrices}: ${dates})`];
}

function listText(provider: string, date: string, source: string): string {
  return source === 'simulated' ? `${provider}: simulated` : `${provider} of ${date}`;
}

function placeText({ pool, provider, region, serverType, spot }: MachineCost): string {
  return `${pool} (${spot ? 'spot machines ' : ''}${serverType} of ${provider}, ${region})`;
}

function changeText({ before, after }: Pick<MachineCost, 'before' | 'after'>): string {
  return before === after ? counted(after, 'machine') : `${counted(before, 'machine')} now, ${after} then`;
}
