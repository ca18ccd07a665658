/** Ports that refuse a function what its role in AWS does not allow: objects and Secrets outside of its bounds. */
import type { Deps } from '#functions/ports.ts';
import { functionMay } from '#functions/rights/function-rights.ts';
import { actionsOf } from '#functions/rights/uses.ts';
import { deniedSentence } from '#local/rights/bounded-ports.ts';
import { functionAtWork } from '#local/rights/function-at-work.ts';

/** The same ports, bounded for what is called by a function; a port that a test replaces later is another one here, too. */
export function boundedFunctions<Ports extends Pick<Deps, 'artifacts' | 'secrets'>>(ports: Ports): Ports {
  return new Proxy(ports, {
    get: (target, port) => {
      const found: unknown = Reflect.get(target, port);
      return port === 'artifacts' || port === 'secrets' ? bounded(port, Object(found)) : found;
    },
  });
}

function bounded(port: string, adapter: object): object {
  return new Proxy(adapter, {
    get(target, method: string) {
      const work: unknown = Reflect.get(target, method);
      if (typeof work !== 'function') return work;
      return (...given: readonly unknown[]) => {
        refuseBeyond(`${port}.${method}`, String(given[0]));
        return Reflect.apply(work, target, given);
      };
    },
  });
}

/** Throws as AWS does when the function at work may not do this to this key. */
export function refuseBeyond(use: string, key: string): void {
  const name = functionAtWork();
  if (name === undefined) return;
  for (const action of actionsOf([use]))
    if (!functionMay(name, action, key)) throw new Error(deniedSentence(name, action, key));
}
