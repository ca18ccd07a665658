/** The setting of budgets: `team=500EUR,team=300USD,*=5000EUR`, amounts a month; `*` is the whole installation. */
import { z } from 'zod';

export interface Budget {
  /** A namespace, or `*`: the whole installation. */
  readonly of: string;
  /** ISO 4217. */
  readonly currency: string;
  /** A month. */
  readonly amount: number;
}

/** Texts of budgets, each checked, no two of the same scope and currency. */
export const BudgetTexts = z
  .array(
    z
      .string()
      .regex(
        /^(\*|[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)=\d{1,9}(\.\d{1,2})?[A-Z]{3}$/,
        'is not a budget like team=500EUR',
      ),
  )
  .superRefine((texts, context) => {
    const scopes = texts.map((text) => text.replace(/=[\d.]+/, ' in '));
    const again = scopes.find((scope, index) => scopes.indexOf(scope) < index);
    if (again !== undefined) context.addIssue({ code: 'custom', message: `has two budgets of ${again}` });
  });

/** The setting in a text that was already validated. */
export function budgetOf(text: string): Budget {
  const [, of = '', amount = '', currency = ''] = /^([^=]+)=([\d.]+)([A-Z]+)$/.exec(text) ?? [];
  return { of, currency, amount: Number(amount) };
}
