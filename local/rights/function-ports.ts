/**
 * Functions share a process here. Each of them signs what it asks of the services with an access key of its own, so that they hold it to
 * its role in AWS.
 */
import type { Deps } from '#functions/ports.ts';
import { portsOf } from '#functions/wire.ts';
import { functionKeyOf } from './access-key.ts';
import { functionAtWork } from './function-at-work.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Ports for this environment that sign as the function which calls them, and otherwise as the platform. */
export function portsByFunction(environment: Environment): Deps {
  const own = portsOf(environment);
  const ofFunction = new Map<string, Deps>();
  const current = (): Deps => {
    const name = functionAtWork();
    if (name === undefined) return own;
    const found = ofFunction.get(name) ?? signedAs(name, environment);
    ofFunction.set(name, found);
    return found;
  };
  const shared: readonly string[] = ['clock', 'ids', 'config'] satisfies (keyof Deps)[];
  const ports = Object.keys(own).map((port) => {
    const of = (deps: Deps): object => Object(Reflect.get(deps, port));
    return [port, shared.includes(port) ? of(own) : dispatched(of(own), () => of(current()))];
  });
  return Object.fromEntries(ports);
}

function signedAs(name: string, environment: Environment): Deps {
  const accessKeyId = functionKeyOf(environment.AWS_ACCESS_KEY_ID ?? '', name);
  const secretAccessKey = environment.AWS_SECRET_ACCESS_KEY ?? '';
  return portsOf({ ...environment, AWS_ACCESS_KEY_ID: accessKeyId }, { credentials: { accessKeyId, secretAccessKey } });
}

/** One port: who calls is known when a method is called, not when the port is taken. */
function dispatched(port: object, current: () => object): object {
  return new Proxy(port, {
    get(target, method) {
      if (typeof Reflect.get(target, method) !== 'function') return Reflect.get(target, method);
      return (...given: readonly unknown[]) => {
        const adapter = current();
        return Reflect.apply(Reflect.get(adapter, method), adapter, given);
      };
    },
  });
}
