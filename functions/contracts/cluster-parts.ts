/** What a description shows of a cluster in addition to its nodes: providers, the mesh, load balancers with their targets. */
import { z } from 'zod';
import { CertificateEnds } from './cluster-remarks.ts';

export const LoadBalancerRow = z
  .object({
    name: z.string(),
    endpoint: z.string().optional().describe('host name or address, once known'),
    dnsName: z.string(),
    servesApi: z.boolean(),
    pools: z.array(z.string()).optional().describe('names of the node pools of its own machines'),
    roles: z.array(
      z.object({
        name: z.string(),
        protocol: z.string(),
        port: z.number().int(),
        targetPort: z.number().int(),
        targetPools: z.array(z.string()).optional().describe('names of its target node pools'),
        targets: z.array(z.string()).optional().describe('names of the target nodes in these pools'),
      }),
    ),
  })
  .meta({ id: 'LoadBalancerRow' });
export type LoadBalancerRow = z.infer<typeof LoadBalancerRow>;

/** All but the load balancers are absent in answers of older releases. */
export const clusterParts = {
  providers: z
    .array(z.object({ name: z.string(), type: z.string() }))
    .optional()
    .describe('provider instances that have nodes or DNS names of it'),
  mesh: z
    .object({
      nodes: z.number().int().describe('each node is connected with every other node'),
      faults: z
        .array(z.object({ node: z.string().optional(), message: z.string() }))
        .describe('findings of the last check about connections'),
    })
    .optional()
    .describe('the WireGuard network; absent if the cluster has none'),
  loadBalancers: z.array(LoadBalancerRow),
  downloads: z.string().optional().describe('proxy through which nodes download, in words; absent: none'),
  certificates: CertificateEnds.optional().describe('absent where nothing is known of them'),
};
