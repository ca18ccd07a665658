/** Load balancers of a manifest: roles (what is forwarded) and clusters (the machines that do it). */
import { z } from 'zod';
import { DnsHostName, DnsZone, FurtherDnsName } from './dns-name.ts';
import { ClusterName, RoleName, shown, Text } from './names.ts';

/** The port of the Kubernetes API: a role that targets it serves the API. */
export const apiPort = 6443;
/** The port of WireGuard on the machine itself: a provider may map another one to it. */
export const wireguardPort = 51820;
/** Ports from here on are the load balancer's own (health checks, metrics). */
export const firstReservedPort = 64512;
const maxRolesOfLoadBalancer = 1018;

export const Port = z
  .int()
  .min(1, { error: (issue) => `${shown(issue.input)} is not a port; use 1 to 65535` })
  .max(65535, { error: (issue) => `${shown(issue.input)} is not a port; use 1 to 65535` });

const RoleSettings = z.strictObject({
  proxyProtocol: z.boolean().optional().describe('Send the PROXY protocol to targets (TCP, never the API).'),
  stickySessions: z.boolean().optional().describe('One client always reaches the same node (never the API).'),
});

export const RoleTarget = z.enum(['k8sControlPlane', 'k8sComputeNodes', 'k8sAllNodes']);

/** The fields as they are written; `Role` is what the program works with. */
export const RoleFields = z.strictObject({
  name: RoleName.describe('Name of the role, unique among all roles.'),
  protocol: z.enum(['tcp', 'udp']).describe('What is forwarded.'),
  port: Port.describe('Port on the load balancer.'),
  targetPort: Port.describe('Port on the nodes; 6443 makes it the role that serves the Kubernetes API.'),
  targetPools: z.array(Text).optional().describe('Node pools that receive the traffic.'),
  target: RoleTarget.optional().describe('Older form of `targetPools`.'),
  settings: RoleSettings.optional().describe(
    'Default: proxyProtocol is on for tcp. If settings are given, all that are not listed are off.',
  ),
});

/** Without `settings` the PROXY protocol is on, except for UDP and the API, which cannot have it. */
export const Role = RoleFields.transform(({ name, protocol, port, targetPort, targetPools, target, settings }) => ({
  name,
  protocol,
  port,
  targetPort,
  targetPools: targetPools ?? [],
  ...(target === undefined ? {} : { target }),
  settings: {
    proxyProtocol: settings ? (settings.proxyProtocol ?? false) : protocol === 'tcp' && targetPort !== apiPort,
    stickySessions: settings?.stickySessions ?? false,
  },
}));
export type Role = z.infer<typeof Role>;

const Dns = z.strictObject({
  dnsZone: DnsZone.describe('Public DNS zone in which the names are created.'),
  provider: Text.describe('Name of the provider that serves the zone.'),
  hostname: DnsHostName.optional().describe(
    'Host name in the zone; without one, Kubeloom chooses a random one and keeps it.',
  ),
  alternativeNames: z
    .array(FurtherDnsName)
    .default([])
    .describe('More host names (not for the API); `*` or `*.apps` for many.'),
});

export const LoadBalancer = z.strictObject({
  name: ClusterName.describe('Name of the load balancer, unique among load balancers and Kubernetes clusters.'),
  roles: z
    .array(Text)
    .max(maxRolesOfLoadBalancer, {
      error: `has more than ${maxRolesOfLoadBalancer} roles; spread them over two load balancers`,
    })
    .default([])
    .describe('Names of roles.'),
  dns: Dns.describe('Names of the load balancer.'),
  targetedK8s: Text.describe('The Kubernetes cluster it serves.'),
  pools: z.array(Text).default([]).describe('Node pools it runs on.'),
});
export type LoadBalancer = z.infer<typeof LoadBalancer>;

/** True for a role that serves the Kubernetes API. */
export function servesApi(role: { readonly targetPort?: number | undefined }): boolean {
  return role.targetPort === apiPort;
}

/**
 * Names of the pools a role targets in a cluster: its `targetPools`, or what the older `target` means there.
 * A pool that is both control and compute appears once.
 */
export function targetPoolsOf(
  role: Pick<Role, 'targetPools' | 'target'>,
  pools: { readonly control: readonly string[]; readonly compute: readonly string[] },
): readonly string[] {
  switch (role.target) {
    case undefined:
      return role.targetPools;
    case 'k8sControlPlane':
      return pools.control;
    case 'k8sComputeNodes':
      return pools.compute;
    case 'k8sAllNodes':
      return [...new Set([...pools.control, ...pools.compute])];
    default:
      return role.target satisfies never;
  }
}
