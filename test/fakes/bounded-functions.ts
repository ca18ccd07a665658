/** Ports that refuse a function what its role in AWS does not allow: objects, Secrets, partitions of the table, builds and executions. */
import type { Deps, FreePort } from '#functions/ports.ts';
import { functionActions, functionMay, partitionsOfUse } from '#functions/rights/function-rights.ts';
import { actionsOf } from '#functions/rights/uses.ts';
import { deniedSentence } from '#local/rights/bounded-ports.ts';
import { functionAtWork } from '#local/rights/function-at-work.ts';

const free: readonly string[] = ['clock', 'ids', 'config', 'templateSources', 'receivers'] satisfies FreePort[];

/** The same ports, bounded for what is called by a function; a port that a test replaces later is replaced here, too. */
export function boundedFunctions<Ports extends Partial<Deps>>(ports: Ports): Ports {
  return new Proxy(ports, {
    get: (target, port) => {
      const found: unknown = Reflect.get(target, port);
      const isPort = Object.hasOwn(target, port) && !free.includes(String(port));
      return isPort ? boundedOnce(String(port), Object(found)) : found;
    },
  });
}

/** By adapter, which is that of one port: what the product remembers of a port is found by the port. */
const known = new WeakMap<object, object>();

function boundedOnce(port: string, adapter: object): object {
  const found = known.get(adapter) ?? bounded(port, adapter);
  known.set(adapter, found);
  return found;
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
  for (const action of actionsOf([use])) {
    const keys = touchedBy(use, action, key);
    if (keys.length === 0 && !functionActions(name).includes(action))
      throw new Error(deniedSentence(name, action, '*'));
    for (const touched of keys)
      if (!functionMay(name, action, touched)) throw new Error(deniedSentence(name, action, touched));
  }
}

/** What a call touches with an action. `given`: its first argument, which is the key of an object or Secret. */
function touchedBy(use: string, action: string, given: string): readonly string[] {
  if (/^(artifacts|secrets)\./.test(use)) return [given];
  if (action.startsWith('dynamodb:')) return partitionsOfUse(use);
  // Large documents of a store are objects. Builds here are of one project, and executions have no key.
  return action.startsWith('s3:') ? ['documents/'] : [];
}
