/** Which function is at work: all of them share the process of the platform. */
import { AsyncLocalStorage } from 'node:async_hooks';

const atWork = new AsyncLocalStorage<string>();

/** Does the work as the function of that name (`plan-cluster`). */
export function asFunction<Result>(name: string, work: () => Result): Result {
  return atWork.run(name, work);
}

/** The function that this is called by; undefined for the platform itself. */
export const functionAtWork = (): string | undefined => atWork.getStore();
