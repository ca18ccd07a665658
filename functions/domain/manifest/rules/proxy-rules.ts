/** Rules of `installationProxy`: whose host the nodes of a cluster download through. */
import { claudieProxy, unwrittenProxy } from '../../installation-proxy.ts';
import { providerTypeFacts } from '../../provider-types.ts';
import { error, type Fault, warning } from '../faults/fault.ts';
import { proxyFault, StoredProxyEndpoint } from '../schema/proxy-endpoint.ts';
import { type ManifestIndex, named, poolNamed } from './manifest-index.ts';
import type { PartialCluster } from './partial-manifest.ts';

/** A proxy that is on has an endpoint that all programs of nodes accept, and one of others is written. */
export function* proxyRules(index: ManifestIndex): Iterable<Fault> {
  const { installationProxy: ofInstallation } = index.context;
  for (const { thing: cluster, path } of index.clusters) {
    const { mode, endpoint } = cluster.installationProxy;
    if (endpoint !== undefined) {
      const fault = StoredProxyEndpoint.safeParse(endpoint).success ? proxyFault(endpoint) : undefined;
      if (fault) yield error([...path, 'installationProxy', 'endpoint'], fault.reason, fault.fix);
      continue;
    }
    const unwritten = unwrittenProxy(index, mode, ofInstallation ?? '');
    const place = [...path, 'installationProxy'];
    if (mode === 'on' && unwritten === undefined && ofInstallation !== undefined) {
      const fix = 'add it, such as "http://proxy.example.com:3128"; or write `mode: off`';
      yield error([...place, 'endpoint'], 'is missing, and this installation has no proxy of its own', fix);
    }
    if (unwritten === claudieProxy && (mode === 'on' || hasProxied(index, cluster))) {
      yield warning(
        'foreign-proxy',
        place,
        `all downloads of the nodes go through ${claudieProxy}, a host of Claudie's makers`,
        'write `installationProxy: { mode: "off" }`, or the endpoint of a proxy of your own',
      );
    }
  }
}

function hasProxied(index: ManifestIndex, { pools }: PartialCluster): boolean {
  return [...pools.control, ...pools.compute].some((name) => {
    const pool = poolNamed(index, name);
    if (pool?.kind !== 'dynamic') return false;
    const provider = named(index.providers, pool.thing.providerSpec?.name);
    return providerTypeFacts(provider?.thing.providerType ?? '')?.proxied === true;
  });
}
