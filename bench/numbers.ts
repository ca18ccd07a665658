/** Numbers that benchmarks take from the environment and report. */

export const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

export const round = (value: number): number => Math.round(value * 10) / 10;

export function percentiles(values: readonly number[]): object {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) };
}

/** For an even count, the greater of the two in the middle; NaN for no values. */
export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

/** How time grows with size, from pairs of both: the slope of the line through the logarithms of all, to two decimals. */
export function growthExponent(pairs: readonly (readonly [size: number, time: number])[]): number {
  const points = pairs.map(([size, time]) => [Math.log(size), Math.log(time)] as const);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(points.map(([size]) => size));
  const y = mean(points.map(([, time]) => time));
  const above = points.reduce((sum, [size, time]) => sum + (size - x) * (time - y), 0);
  const below = points.reduce((sum, [size]) => sum + (size - x) ** 2, 0);
  return Math.round((above / below) * 100) / 100;
}

/** How often each value is there. */
export function countEach(values: readonly (string | number)[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(values, String)].map(([value, all]) => [value, all.length]));
}
