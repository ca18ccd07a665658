/** Functions that read what others wrote: each has a thread of its own while it has work, and is ended at its deadline. */
import type { Logger } from '../logger.ts';
import { functionThreads } from './function-threads.ts';
import type { LambdaFunction } from './lambda-host.ts';

export interface ThreadedFunction {
  /** URL of the module that exports its handler. */
  readonly module: string;
  readonly timeoutMs: number;
  /** Asked before each call: a thread is started for work only, and without any the function is called where the platform is. */
  hasWork(): Promise<boolean>;
}

/** The functions, and those of `threaded` in threads; `environmentOf`: what a function has in addition to the platform's variables. */
export function threadedFunctions(
  functions: Readonly<Record<string, LambdaFunction>>,
  threaded: Readonly<Record<string, ThreadedFunction>>,
  around: { readonly logger: Logger; readonly environmentOf: (name: string) => Readonly<Record<string, string>> },
): { readonly functions: Readonly<Record<string, LambdaFunction>>; close(): Promise<void> } {
  const pools = Object.entries(threaded).map(([name, { module, timeoutMs, hasWork }]) => {
    const { logger, environmentOf } = around;
    const pool = functionThreads({ module, logger, environment: environmentOf(name), most: 1, warm: false });
    const work: LambdaFunction = async (event, context) =>
      (await hasWork())
        ? pool.invoke({ name, event, isLarge: true, caller: name, timeoutMs })
        : functions[name]?.(event, context);
    return { name, pool, work };
  });
  return {
    functions: { ...functions, ...Object.fromEntries(pools.map(({ name, work }) => [name, work])) },
    async close() {
      await Promise.all(pools.map(({ pool }) => pool.close()));
    },
  };
}
