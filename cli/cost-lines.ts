/** What machines cost a month before and after a plan, for people. */
import type { PlanReport } from '#contracts/api-bodies.ts';
import { counted } from '#domain/planning/text/words.ts';
import { moneyText } from '#domain/prices/money-text.ts';
import { notInPrices } from '#domain/prices/not-in-prices.ts';

type CostOfMonth = NonNullable<PlanReport['costOfMonth']>;
type MachineCost = CostOfMonth['machines'][number];
type Money = CostOfMonth['before'][number];

/** The first line is the sum; then what changes, and what has no known price. */
export function costLines({ after, difference, machines, lists }: CostOfMonth): readonly string[] {
  const unknown = machines.filter(({ each }) => each === null);
  const changed = machines.filter(({ each, before, after }) => each !== null && before !== after);
  const sum = sumLine(after, difference, unknown.length > 0);
  const dates = [...new Set(lists.map(({ provider, date, source }) => listText(provider, date, source)))].join(', ');
  return [
    ...(lists.length > 0 ? [`${sum} (list prices, ${notInPrices}: ${dates})`] : []),
    ...changed.map((one) => `  ${placeText(one)}: ${changeText(one)}, ${moneyText(one.each as Money)} each`),
    ...unknown.map((one) => `  price not known: ${placeText(one)}, ${changeText(one)}`),
  ];
}

function sumLine(after: readonly Money[], difference: readonly Money[], more: boolean): string {
  const least = more ? 'at least ' : '';
  const changes = difference.filter(({ amount }) => amount !== 0);
  const change = changes.map(({ currency, amount }) => {
    return `${moneyText({ currency, amount: Math.abs(amount) })} ${amount > 0 ? 'more' : 'less'}`;
  });
  const text = after.map(moneyText).join(' and ');
  return `machines cost ${least}${text} a month, ${change.length === 0 ? 'as now' : `${change.join(' and ')} than now`}`;
}

function listText(provider: string, date: string, source: string): string {
  return source === 'simulated' ? `${provider}: simulated` : `${provider} of ${date}`;
}

function placeText({ pool, provider, region, serverType, spot }: MachineCost): string {
  return `${pool} (${spot ? 'spot machines ' : ''}${serverType} of ${provider}, ${region})`;
}

function changeText({ before, after }: MachineCost): string {
  return before === after ? counted(after, 'machine') : `${counted(before, 'machine')} now, ${after} then`;
}
