/** Keys in the byte order of UTF-8, which is the order S3 lists them in; found by halving. */

export interface SortedKeys {
  add(key: string): void;
  remove(key: string): void;
  /** Those greater than `after` that start with the prefix, in order. */
  after(after: string, prefix: string): Generator<string>;
}

export function sortedKeys(initial: Iterable<string>): SortedKeys {
  const keys = [...initial].sort(compareBytes);
  /** Place of the first key that is not below. */
  const placeOf = (key: string): number => {
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(keys[middle] ?? '', key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    add: (key) => void keys.splice(placeOf(key), 0, key),
    remove(key) {
      const place = placeOf(key);
      if (keys[place] === key) keys.splice(place, 1);
    },
    *after(after, prefix) {
      const from = compareBytes(after, prefix) > 0 ? after : prefix;
      for (let place = placeOf(from); place < keys.length; place += 1) {
        const key = keys[place] ?? '';
        if (!key.startsWith(prefix)) return;
        if (key !== after || after === '') yield key;
      }
    },
  };
}

/** JavaScript compares UTF-16 units, which differs from bytes beyond the basic plane only. */
function compareBytes(one: string, other: string): number {
  if (one === other) return 0;
  if (!/[\ud800-\udfff]/.test(one + other)) return one < other ? -1 : 1;
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
