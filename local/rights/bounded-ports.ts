/** The ports of a runner that refuse what its session in AWS does not allow: for runners that work in this process. */
import { eventPartition } from '#adapters/table-keys.ts';
import type { ManifestKey } from '#contracts/records.ts';
import type { Deps } from '#functions/ports.ts';
import { actionsOf } from '#functions/rights/uses.ts';
import { sessionMay } from './session-rights.ts';
import type { ToolSession } from './session-token.ts';

/** As S3 names it. */
class AccessDenied extends Error {
  constructor({ tool }: ToolSession, action: string, key: string) {
    super(deniedSentence(`the runner ${tool}`, action, key));
    this.name = 'AccessDenied';
  }
}

/** The message of AWS, in its order: principal, action, resource. */
export function deniedSentence(who: string, action: string, key: string): string {
  return `${who} is not authorized to perform: ${action} on resource: ${key} because no identity-based policy allows the ${action} action`;
}

/** The same ports; a call beyond the rights of the session fails with `AccessDenied` before it does anything. */
export function boundedPorts<Ports extends Pick<Deps, 'artifacts' | 'secrets' | 'events'>>(
  ports: Ports,
  session: ToolSession,
): Ports {
  const bounded = <Port extends 'artifacts' | 'secrets' | 'events'>(
    port: Port,
    keyOf: (first: never) => string,
  ): Ports[Port] =>
    new Proxy(ports[port], {
      get: (adapter, method: string) => {
        const work: unknown = Reflect.get(adapter, method);
        if (typeof work !== 'function') return work;
        return async (...given: readonly unknown[]) => {
          const key = keyOf(given[0] as never);
          const actions = actionsOf([`${port}.${method}`]);
          // To read an object that does not exist needs the right to list, whatever its key is.
          const isRead = actions.includes('s3:GetObject');
          for (const action of actions)
            if (!(isRead && action === 's3:ListBucket') && !sessionMay(session, action, key))
              throw new AccessDenied(session, action, key);
          return Reflect.apply(work, adapter, given);
        };
      },
    });
  return {
    ...ports,
    artifacts: bounded('artifacts', (key: string) => key),
    secrets: bounded('secrets', (path: string) => path),
    events: bounded('events', (key: ManifestKey) => eventPartition(key)),
  };
}
