/** kubeone.yaml (v1beta3 and v1beta2) as far as a simulated control plane needs it; KubeOne's own rules on it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

export const HostConfig = z.object({
  publicAddress: z.string().min(1),
  privateAddress: z.string().min(1),
  sshPort: z.number().int().default(22),
  sshUsername: z.string().default('root'),
  sshPrivateKeyFile: z.string().min(1),
  hostname: z.string().min(1),
  isLeader: z.boolean().default(false),
  taints: z.array(z.object({ key: z.string(), value: z.string().optional(), effect: z.string() })).optional(),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
});
export type HostConfig = z.infer<typeof HostConfig>;

export const KubeOneCluster = z
  .object({
    apiVersion: z.enum(['kubeone.k8c.io/v1beta3', 'kubeone.k8c.io/v1beta2']),
    kind: z.literal('KubeOneCluster'),
    name: z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/),
    versions: z.object({ kubernetes: z.string().transform((version) => version.replace(/^v/, '')) }),
    controlPlane: z.object({ hosts: z.array(HostConfig).min(1) }),
    staticWorkers: z.object({ hosts: z.array(HostConfig).default([]) }).default({ hosts: [] }),
    apiEndpoint: z
      .object({
        host: z.string(),
        port: z.number().int().default(6443),
        alternativeNames: z.array(z.string()).default([]),
      })
      .optional(),
  })
  .superRefine((cluster, context) => {
    const hosts = [...cluster.controlPlane.hosts, ...cluster.staticWorkers.hosts];
    for (const key of ['hostname', 'privateAddress'] as const) {
      const seen = new Set<string>();
      for (const host of hosts) {
        if (seen.has(host[key]))
          context.addIssue({ code: 'custom', message: `two hosts have the ${key} ${host[key]}` });
        seen.add(host[key]);
      }
    }
    if (cluster.controlPlane.hosts.filter(({ isLeader }) => isLeader).length > 1) {
      context.addIssue({ code: 'custom', path: ['controlPlane'], message: 'at most one host may have isLeader' });
    }
    if (!/^\d+\.\d+\.\d+/.test(cluster.versions.kubernetes)) {
      context.addIssue({ code: 'custom', path: ['versions', 'kubernetes'], message: 'must be a semantic version' });
    }
  });
export type KubeOneCluster = z.infer<typeof KubeOneCluster>;

export type ReadManifest =
  | { readonly cluster: KubeOneCluster; readonly directory: string }
  | { readonly faults: readonly string[] };

export async function readManifest(file: string): Promise<ReadManifest> {
  let document: unknown;
  try {
    document = parse(await readFile(file, 'utf8'));
  } catch (error) {
    return { faults: [error instanceof Error ? error.message : String(error)] };
  }
  const result = KubeOneCluster.safeParse(document);
  if (!result.success) {
    return { faults: result.error.issues.map(({ path, message }) => `${path.join('.') || 'manifest'}: ${message}`) };
  }
  const directory = dirname(resolve(file));
  const missing = [...result.data.controlPlane.hosts, ...result.data.staticWorkers.hosts]
    .filter(({ sshPrivateKeyFile }) => !existsSync(resolve(directory, sshPrivateKeyFile)))
    .map(({ hostname, sshPrivateKeyFile }) => `${hostname}: no SSH key at ${sshPrivateKeyFile}`);
  return missing.length > 0 ? { faults: missing } : { cluster: result.data, directory };
}

/** Where kubectl reaches the cluster. */
export function endpointOf(cluster: KubeOneCluster): { readonly host: string; readonly port: number } {
  return cluster.apiEndpoint ?? { host: cluster.controlPlane.hosts[0]?.publicAddress ?? '', port: 6443 };
}
