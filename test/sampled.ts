/**
 * Rows of a matrix in which each row takes long: all of them on CI or with MATRICES=all; elsewhere one of so many, counted from `from`,
 * so that matrices over the same types try different ones.
 */
export function sampled<Row>(rows: readonly Row[], { oneOf, from }: { oneOf: number; from: number }): readonly Row[] {
  if (process.env.CI === 'true' || process.env.MATRICES === 'all') return rows;
  const sample = rows.filter((_, index) => index % oneOf === from % oneOf);
  if (sample.length === 0) throw new Error(`no row is left of ${rows.length}: choose a smaller from than ${from}`);
  return sample;
}
