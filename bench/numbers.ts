/** Numbers that benchmarks take from the environment and report. */

export const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

export const round = (value: number): number => Math.round(value * 10) / 10;

export function percentiles(values: readonly number[]): object {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) };
}

/** How often each value is there. */
export function countEach(values: readonly (string | number)[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(values, String)].map(([value, all]) => [value, all.length]));
}
