/** A real cluster of the product on local hosts, for the tests of one file: platform, API, kubeconfig, proofs. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { parse } from 'yaml';
import { type ApiClient, apiClient } from '#cli/api-client.ts';
import { follow } from '#cli/watch.ts';
import type { ClusterDescription, ManifestDescription } from '#contracts/api-bodies.ts';
import { accessKeyOf } from '#local/access-key.ts';
import { removeAllHosts } from '#local/hosts-helper.ts';
import { down, up } from '#local/supervisor.ts';
import { podsOf, proveNetwork, runApplication } from '../../demo/application.ts';
import { bootIds, type Machines, openMachines } from '../../demo/machines.ts';
import {
  findLeftovers,
  type MachineInventory,
  proveApplication,
  proveKubectl,
  takeInventory,
} from '../../demo/proofs.ts';
import { requests } from './requests.ts';

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
export const two = file('examples/local-two-providers.yaml');
export const grown = file('examples/local-two-providers-grown.yaml');
const application = file('demo/application.yaml');
const key = { namespace: 'default', name: 'local-two-providers' };

/** Makes the cluster before the tests of the file, and removes all of it after them. */
export function realCluster(version: string) {
  let home: string;
  let hostsDirectory: string;
  let kubeconfig: string;
  let before: MachineInventory;
  let api: ApiClient;
  let machines: Machines;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'kubeloom-real-'));
    hostsDirectory = join(home, 'hosts');
    kubeconfig = join(home, 'kubeconfig');
    before = await takeInventory(hostsDirectory);
    const platform = await up({ dataDir: home, apiPort: 0, runner: 'real' });
    api = apiClient({ apiUrl: platform.apiUrl, token: platform.token });
    await apply(two, version);
    machines = await openMachines({
      ssmEndpoint: platform.endpoints.ssm ?? '',
      accessKey: accessKeyOf(platform.token),
      keyPrefix: `ssh/default/${key.name}/${(await cluster()).cluster}`,
    });
  });

  afterAll(async () => {
    await machines?.close();
    await down(home);
    await removeAllHosts(hostsDirectory);
    await rm(home, { recursive: true, force: true });
  });

  const manifest = (): Promise<ManifestDescription> => api.getManifest(key);

  async function cluster(): Promise<ClusterDescription> {
    const [found] = (await manifest()).clusters;
    if (!found) throw new Error(`${key.name} has no cluster`);
    return found;
  }

  /** Throws when the run does not end Done. */
  async function apply(path: string, to: string): Promise<void> {
    const document = parse((await readFile(path, 'utf8')).replace(/version: "[\d.]+"/, `version: "${to}"`));
    const { runId } = await api.putManifest(key, document);
    const { manifest: ended } = await follow(api, key, { runId, quiet: true });
    expect(ended?.status, JSON.stringify(ended?.clusters.map(({ failure }) => failure))).toBe('Done');
    await writeFile(kubeconfig, await api.getKubeconfig({ ...key, cluster: (await cluster()).name ?? '' }));
  }

  const namesOf = ({ nodes }: ClusterDescription, ...roles: readonly string[]): string[] =>
    nodes.filter(({ role }) => roles.includes(role)).map(({ name }) => name);
  const urlOf = ({ loadBalancers }: ClusterDescription) => `http://${loadBalancers[0]?.endpoint}/hostname`;

  return {
    manifest,
    apply,
    bootIds: async () => bootIds(machines, await cluster()),

    /** Applies while requests go to the application: at most one in a thousand fails. */
    async applyUnderRequests(path: string, to: string): Promise<void> {
      const load = requests(urlOf(await cluster()));
      await apply(path, to);
      const { sent, failed } = await load.stop();
      expect(failed.length, `of ${sent}: ${failed.slice(0, 5).join(', ')}`).toBeLessThanOrEqual(sent / 1000);
    },

    /** Every node is ready, pods reach each other, and the load balancer reaches every pod. */
    async prove(): Promise<void> {
      const now = await cluster();
      await proveKubectl(kubeconfig, namesOf(now, 'control', 'compute'));
      const pods = await runApplication(kubeconfig, application, namesOf(now, 'compute').length);
      expect(new Set(pods.map(({ node }) => node)).size).toBeGreaterThan(1);
      await proveNetwork(kubeconfig, pods);
      const names = (await podsOf(kubeconfig)).map(({ name }) => name);
      await proveApplication(urlOf(now), names);
    },

    /** Deletes the manifest, and returns what is left of it on this machine. */
    async remove(): Promise<readonly string[]> {
      const { runId } = await api.deleteManifest(key);
      expect((await follow(api, key, { runId, quiet: true })).manifest).toBeUndefined();
      return Object.values(await findLeftovers(hostsDirectory, before)).flat();
    },
  };
}
