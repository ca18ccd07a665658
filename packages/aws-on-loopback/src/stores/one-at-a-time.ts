/** Work on one key in the order it came, work on different keys side by side. */

export type OneAtATime = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function oneAtATime(): OneAtATime {
  const tails = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const result = (tails.get(key) ?? Promise.resolve()).then(work);
    const tail = result
      .catch(() => {})
      .then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
    tails.set(key, tail);
    return result;
  };
}
