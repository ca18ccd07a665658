/** The ports of a runner in this process that was killed: it continues, but nothing that it does has an effect. */
import type { Deps } from '#functions/ports.ts';

/** The same ports; after `killed` no call does anything, or ever returns. */
export function disconnected<Ports extends Pick<Deps, 'artifacts' | 'secrets' | 'events'>>(
  ports: Ports,
  killed: AbortSignal,
): Ports {
  const until = <Port extends 'artifacts' | 'secrets' | 'events'>(port: Port): Ports[Port] =>
    new Proxy(ports[port], {
      get(adapter, method: string) {
        const work: unknown = Reflect.get(adapter, method);
        if (typeof work !== 'function') return work;
        return (...given: readonly unknown[]) =>
          killed.aborted ? new Promise(() => undefined) : Reflect.apply(work, adapter, given);
      },
    });
  return { ...ports, artifacts: until('artifacts'), secrets: until('secrets'), events: until('events') };
}
