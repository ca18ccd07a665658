/** True when two plain values are equal, part for part and in the same order; a field that is undefined is not there. */
export function sameValue(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  return within(left, right) && within(right, left);
}

function within(left: object, right: object): boolean {
  const other = right as Readonly<Record<string, unknown>>;
  for (const [key, value] of Object.entries(left)) {
    if (value !== undefined && !sameValue(value, other[key])) return false;
  }
  return true;
}
