/**
 * How many examples a property test tries: all of them on CI, a tenth elsewhere, or as many as PROPERTY_RUNS says.
 * A failure prints its seed and its smallest example; both repeat it.
 */
export function propertyRuns(onCi: number): number {
  const asked = process.env.PROPERTY_RUNS;
  if (asked) return Number(asked);
  return process.env.CI === 'true' ? onCi : Math.ceil(onCi / 10);
}
