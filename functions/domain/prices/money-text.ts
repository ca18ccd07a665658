/** An amount of money for people. */
import type { Money } from './money.ts';

const signs: Readonly<Record<string, string>> = { USD: '$', EUR: '€' };

/** `$17.50`, `12.00 CHF`. */
export function moneyText({ currency, amount }: Money): string {
  const sign = signs[currency];
  return sign === undefined ? `${amount.toFixed(2)} ${currency}` : `${sign}${amount.toFixed(2)}`;
}
