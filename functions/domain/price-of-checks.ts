/** What the checks for drift of a cluster cost in AWS, for plans: `npm run cost` computes it, docs/aws/cost.md has it. */

/** Price of one check in dollars: its build on Lambda compute, or in a container of CodeBuild. */
export const dollarsOfCheck = { container: 0.0078, lambda: 0.0021 } as const;

const minutesOfMonth = 30 * 24 * 60;

export type CheckPrice = { readonly [compute in keyof typeof dollarsOfCheck]: number };

/** Dollars a month for a check each so many minutes. */
export function priceOfChecks(everyMinutes: number): CheckPrice {
  const dollars = (one: number) => Math.round((one * minutesOfMonth * 100) / everyMinutes) / 100;
  return { container: dollars(dollarsOfCheck.container), lambda: dollars(dollarsOfCheck.lambda) };
}
