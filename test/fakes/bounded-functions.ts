/** Ports that refuse a function what its role in AWS does not allow: objects and Secrets outside of its bounds. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Deps } from '#functions/ports.ts';
import { functionMay } from '#functions/rights/function-rights.ts';
import { actionsOf } from '#functions/rights/uses.ts';
import { deniedSentence } from '#local/rights/bounded-ports.ts';

const within = new AsyncLocalStorage<string>();

/** Does the work as the function of that name (`plan-cluster`); what it calls of `boundedFunctions` is within its bounds, or fails. */
export function asFunction<Result>(name: string, work: () => Result): Result {
  return within.run(name, work);
}

/** The same ports, bounded for what is called by a function. */
export function boundedFunctions<Ports extends Pick<Deps, 'artifacts' | 'secrets'>>(ports: Ports): Ports {
  const bounded = <Port extends 'artifacts' | 'secrets'>(port: Port): Ports[Port] =>
    new Proxy(ports[port], {
      get(adapter, method: string) {
        const work: unknown = Reflect.get(adapter, method);
        if (typeof work !== 'function') return work;
        return (...given: readonly unknown[]) => {
          refuseBeyond(`${port}.${method}`, String(given[0]));
          return Reflect.apply(work, adapter, given);
        };
      },
    });
  return { ...ports, artifacts: bounded('artifacts'), secrets: bounded('secrets') };
}

function refuseBeyond(use: string, key: string): void {
  const name = within.getStore();
  if (name === undefined) return;
  for (const action of actionsOf([use]))
    if (!functionMay(name, action, key)) throw new Error(deniedSentence(name, action, key));
}
