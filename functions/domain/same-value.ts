/** True when two plain values are equal, part for part and in the same order; a field that is undefined is not there. */
export function sameValue(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => sameValue(item, right[index]));
  }
  const [one, other] = [left, right] as readonly [Fields, Fields];
  return (
    Object.keys(one).every((key) => sameValue(one[key], other[key])) &&
    Object.keys(other).every((key) => key in one || other[key] === undefined)
  );
}

type Fields = Readonly<Record<string, unknown>>;
