/** Clusters over several accounts of one cloud, planned by the real planner. */
import type { ClusterState } from '#domain/cluster-state.ts';
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { buildDesiredState } from '#domain/planning/desired/build-desired-state.ts';
import { countingIds } from '#test/planning/arbitraries.ts';
import type { ProviderCase } from './provider-cases.ts';

/** One use of a provider instance: where, and what it makes. */
export interface PoolSpec {
  readonly name: string;
  readonly role: 'control' | 'compute' | 'loadBalancer';
  /** Name of the provider instance. */
  readonly instance: string;
  readonly region: string;
  readonly count: number;
}

export interface RoleSpec {
  readonly name: string;
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  readonly targetPort: number;
}

export interface FleetSpec {
  readonly pools: readonly PoolSpec[];
  /** Roles of the load balancers; each load balancer pool is a load balancer. @default web on 443 */
  readonly roles?: readonly RoleSpec[];
}

const web: RoleSpec = { name: 'web', protocol: 'tcp', port: 443, targetPort: 30443 };

/** The state of the spec; ids of what `current` has stay. */
export function fleetState({ type, place }: ProviderCase, spec: FleetSpec, current: ClusterState | null): ClusterState {
  const { pools, roles = [web] } = spec;
  const namesOf = (role: PoolSpec['role']) => pools.filter((pool) => pool.role === role).map(({ name }) => name);
  const instances = [...new Set(pools.map(({ instance }) => instance))];
  const manifest = InputManifest.parse({
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name: 'fleet', namespace: 'team' },
    spec: {
      providers: [
        ...instances.map((name) => ({ name, providerType: type, secretRef: { name, namespace: 'team' } })),
        { name: 'names', providerType: 'cloudflare', secretRef: { name: 'names', namespace: 'team' } },
      ],
      nodePools: {
        dynamic: pools.map(({ name, instance, region, count }) => ({
          name,
          count,
          serverType: place.serverType,
          image: place.image,
          providerSpec: { name: instance, region, ...(type === 'openstack' && { externalNetworkName: 'outside' }) },
        })),
      },
      kubernetes: {
        clusters: [
          {
            name: 'fleet',
            version: '1.36.0',
            network: '192.168.2.0/24',
            pools: { control: namesOf('control'), compute: namesOf('compute') },
          },
        ],
      },
      loadBalancers: {
        roles: roles.map((role) => ({
          ...role,
          targetPools: role.targetPort === 6443 ? namesOf('control') : namesOf('compute'),
        })),
        clusters: namesOf('loadBalancer').map((name) => ({
          name: `lb-${name}`,
          roles: roles.map((role) => role.name),
          dns: { dnsZone: 'example.com', provider: 'names' },
          targetedK8s: 'fleet',
          pools: [name],
        })),
      },
    },
  });
  const ids = countingIds(current === null ? 'x' : 'y');
  const state = buildDesiredState({ manifest, cluster: 'fleet', current, attempted: null, templates: {}, ids });
  if (state === null) throw new Error('the manifest has no cluster');
  return state;
}
