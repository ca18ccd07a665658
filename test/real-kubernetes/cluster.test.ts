/** Real Kubernetes through the product: two providers, an application under requests, grow, upgrades, shrink, delete. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  proveUntouched,
  takeInventory,
} from '../../demo/proofs.ts';
import { requests } from './requests.ts';

const example = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
const two = example('local-two-providers.yaml');
const grown = example('local-two-providers-grown.yaml');
const application = fileURLToPath(new URL('../../demo/application.yaml', import.meta.url));
const key = { namespace: 'default', name: 'local-two-providers' };

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
  const created = await apply(two, '1.33.4');
  machines = await openMachines({
    ssmEndpoint: platform.endpoints.ssm ?? '',
    accessKey: accessKeyOf(platform.token),
    keyPrefix: `ssh/default/${key.name}/${clusterOf(created).cluster}`,
  });
});

afterAll(async () => {
  await machines?.close();
  await down(home);
  await removeAllHosts(hostsDirectory);
  await rm(home, { recursive: true, force: true });
});

async function apply(file: string, version: string): Promise<ManifestDescription> {
  const document = parse((await readFile(file, 'utf8')).replace(/version: "[\d.]+"/, `version: "${version}"`));
  const { runId } = await api.putManifest(key, document);
  const { manifest } = await follow(api, key, { runId, quiet: true });
  if (!manifest) throw new Error('the manifest is gone');
  expect(manifest.status, JSON.stringify(manifest.clusters.map((cluster) => cluster.failure))).toBe('Done');
  await writeFile(kubeconfig, await api.getKubeconfig({ ...key, cluster: clusterOf(manifest).name ?? '' }));
  return manifest;
}

function clusterOf(manifest: ManifestDescription): ClusterDescription {
  const [cluster] = manifest.clusters;
  if (!cluster) throw new Error(`${manifest.name} has no cluster`);
  return cluster;
}

const current = () => api.getManifest(key);
const namesOf = (cluster: ClusterDescription, ...roles: readonly string[]): string[] =>
  cluster.nodes.filter(({ role }) => roles.includes(role)).map(({ name }) => name);

/** Every node is ready, pods reach each other, and the load balancer reaches every pod. */
async function proveCluster(): Promise<void> {
  const cluster = clusterOf(await current());
  await proveKubectl(kubeconfig, namesOf(cluster, 'control', 'compute'));
  const pods = await runApplication(kubeconfig, application, namesOf(cluster, 'compute').length);
  expect(new Set(pods.map(({ node }) => node)).size).toBeGreaterThan(1);
  await proveNetwork(kubeconfig, pods);
  const names = (await podsOf(kubeconfig)).map(({ name }) => name);
  await proveApplication(`${addressOf(cluster)}/hostname`, names);
}

function addressOf(cluster: ClusterDescription): string {
  return `http://${cluster.loadBalancers[0]?.endpoint}`;
}

describe('real Kubernetes on local hosts', () => {
  it('a new cluster over two providers runs an application that the load balancer reaches, and nothing of it is simulated', async () => {
    const manifest = await current();
    expect(manifest.simulated).toEqual([]);
    await proveCluster();
  });

  it('an upgrade by a minor version keeps the application reachable and every machine as it was', async () => {
    const cluster = clusterOf(await current());
    const ids = await bootIds(machines, cluster);
    const load = requests(`${addressOf(cluster)}/hostname`);
    await apply(two, '1.34.3');
    const { sent, failed } = await load.stop();
    expect(failed.length, `${failed.length} of ${sent} failed: ${failed.slice(0, 5).join(', ')}`).toBeLessThanOrEqual(
      sent / 1000,
    );
    proveUntouched(ids, await bootIds(machines, clusterOf(await current())));
    await proveCluster();
  });

  it('a pool in the second provider joins while requests go on', async () => {
    const load = requests(`${addressOf(clusterOf(await current()))}/hostname`);
    await apply(grown, '1.34.3');
    const { sent, failed } = await load.stop();
    expect(failed.length, `of ${sent}: ${failed.slice(0, 5).join(', ')}`).toBeLessThanOrEqual(sent / 1000);
    await proveCluster();
  });

  it('an upgrade to the next patch reaches every node', async () => {
    await apply(grown, '1.34.4');
    await proveCluster();
  });

  it('a shrink drains the node first, so the budget of the application is kept', async () => {
    const load = requests(`${addressOf(clusterOf(await current()))}/hostname`);
    await apply(two, '1.34.4');
    const { sent, failed } = await load.stop();
    expect(failed.length, `of ${sent}: ${failed.slice(0, 5).join(', ')}`).toBeLessThanOrEqual(sent / 1000);
    await proveCluster();
  });

  it('a delete leaves no host, namespace, link, mount or process behind', async () => {
    const { runId } = await api.deleteManifest(key);
    expect((await follow(api, key, { runId, quiet: true })).manifest).toBeUndefined();
    const left = await findLeftovers(hostsDirectory, before);
    expect(Object.values(left).flat()).toEqual([]);
  });
});
