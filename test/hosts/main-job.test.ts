/** The main job end to end on real hosts, through the daemon, the API, and what a user would check. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliClient, cliClient } from '#cli/connection/api-client.ts';
import { follow } from '#cli/follow/watch.ts';
import { readDocuments } from '#cli/submission/documents.ts';
import type { ClusterDescription, ManifestDescription } from '#contracts/api-bodies.ts';
import { removeAllHosts } from '#local/hosts-helper.ts';
import { accessKeyOf } from '#local/rights/access-key.ts';
import { down, up } from '#local/supervisor.ts';
import { bootIds, type Machines, openMachines } from '../../demo/machines.ts';
import {
  findLeftovers,
  type MachineInventory,
  proveApplication,
  proveKubectl,
  proveMesh,
  proveUntouched,
  serverOf,
  takeInventory,
} from '../../demo/proofs.ts';
import { at } from '../local/clients.ts';
import { PlantedKeys } from './planted-keys.ts';

const example = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
const two = example('local-two-providers.yaml');
const grown = example('local-two-providers-grown.yaml');
const key = { namespace: 'default', name: 'local-two-providers' };

let home: string;
let hostsDirectory: string;
let before: MachineInventory;
let api: CliClient;
let platform: Awaited<ReturnType<typeof up>>;
let machines: Machines;
const keys = new PlantedKeys();

async function start(): Promise<void> {
  platform = await up({ dataDir: home, apiPort: 0, runner: 'real' });
  api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
}

async function submit(file: string): Promise<string> {
  const { documents } = await readDocuments([file]);
  const accepted = await api.putManifest(key, documents[0]?.document);
  return accepted.runId;
}

async function apply(file: string): Promise<ManifestDescription> {
  const { manifest } = await follow(api, key, { runId: await submit(file), quiet: true, pollMs: 1000 });
  if (!manifest) throw new Error('the manifest is gone');
  return manifest;
}

function clusterOf(manifest: ManifestDescription): ClusterDescription {
  const [cluster] = manifest.clusters;
  if (!cluster) throw new Error(`${manifest.name} has no cluster: ${JSON.stringify(manifest)}`);
  return cluster;
}

async function provedCluster(manifest: ManifestDescription): Promise<ReadonlyMap<string, string>> {
  expect(manifest.status, JSON.stringify(manifest.clusters.map((cluster) => cluster.failure))).toBe('Done');
  const cluster = clusterOf(manifest);
  const count = cluster.nodes.length;
  expect(await proveMesh(machines, cluster)).toBe(count * (count - 1));
  const file = join(home, 'kubeconfig');
  await writeFile(file, await api.getKubeconfig({ ...key, cluster: cluster.name ?? '' }), { mode: 0o600 });
  const kubernetes = cluster.nodes.filter((node) => node.role !== 'loadBalancer').map((node) => node.name);
  await proveKubectl(file, kubernetes);
  const balancer = cluster.loadBalancers[0];
  expect(await serverOf(file)).toBe(`https://${balancer?.endpoint}:6443`);
  const compute = cluster.nodes.filter((node) => node.role === 'compute').map((node) => node.name);
  await proveApplication(`http://${balancer?.endpoint}/`, compute);
  expect(manifest.simulated).toEqual(['control plane']);
  return bootIds(machines, cluster);
}

const plantKeys = async (manifest: ManifestDescription): Promise<number> =>
  keys.add(
    new SSMClient(at(platform.endpoints.ssm ?? '', platform.token)),
    await api.getKubeconfig({ ...key, cluster: clusterOf(manifest).name ?? '' }),
  );

const hostNames = async (): Promise<readonly string[]> => (await takeInventory(hostsDirectory)).hosts.toSorted();
const nodeNames = (manifest: ManifestDescription): string[] =>
  clusterOf(manifest)
    .nodes.map((node) => node.name)
    .toSorted();

describe('the main job on real hosts', () => {
  let created: ManifestDescription;
  let ids: ReadonlyMap<string, string>;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'kubeloom-e2e-'));
    hostsDirectory = join(home, 'hosts');
    before = await takeInventory(hostsDirectory);
    await start();
  });

  afterAll(async () => {
    await machines?.close();
    await down(home);
    await removeAllHosts(hostsDirectory);
    await rm(home, { recursive: true, force: true });
  });

  it('a cluster over two providers meshes, answers kubectl and serves the application', async () => {
    created = await apply(two);
    const ssm = platform.endpoints.ssm ?? '';
    machines = await openMachines({
      ssmEndpoint: ssm,
      accessKey: accessKeyOf(platform.token),
      keyPrefix: `ssh/default/${key.name}/${clusterOf(created).cluster}`,
    });
    ids = await provedCluster(created);
    expect(await hostNames()).toEqual(nodeNames(created));
    expect(new Set(clusterOf(created).nodes.map((node) => node.provider))).toEqual(new Set(['local-1', 'local-2']));
  });

  it("keys are in no kept log, event, state, history or answer, and the kubeconfig is the owner's", async () => {
    // One for each pool, and that of the kubeconfig.
    expect(await plantKeys(created)).toBe(new Set(clusterOf(created).nodes.map((node) => node.pool)).size + 1);
    // `kubeconfig` is the copy that this test was given.
    expect(await keys.placesIn(home)).toEqual(['kubeconfig: kubeconfig', 's3: kubeconfig']);
  });

  it('a grow whose host does not come up is rolled back, and succeeds without the fault', async () => {
    const fault = join(hostsDirectory, 'faults', 'compute-2-*');
    await mkdir(join(hostsDirectory, 'faults'), { recursive: true });
    await writeFile(fault, 'the disk of this host is broken');
    const more = join(home, 'more.yaml');
    const text = await readFile(two, 'utf8');
    await writeFile(more, text.replace(/(name: compute-2\n(?:.*\n)*?\s+count:) 1/, '$1 2'));
    const failed = await apply(more);
    const cluster = clusterOf(failed);
    expect(failed.status).toBe('Failed');
    expect(cluster.status).toBe('RolledBack');
    expect(cluster.failure).toMatchObject({ stage: 'infrastructure' });
    expect(cluster.failure?.resource).toMatch(/compute-2-/);
    expect(cluster.failure?.message).toContain('the disk of this host is broken');
    expect(cluster.failure?.hint).not.toBe('');
    expect(await hostNames()).toEqual(nodeNames(created));
    proveUntouched(ids, await bootIds(machines, cluster));

    await rm(fault);
    const second = await apply(grown);
    const grownIds = await provedCluster(second);
    proveUntouched(ids, grownIds);
    expect(await hostNames()).toEqual(nodeNames(second));
    expect(nodeNames(second).length).toBeGreaterThan(nodeNames(created).length);
  });

  it('nodes that a smaller manifest no longer has are drained and removed', async () => {
    const smaller = await apply(two);
    proveUntouched(ids, await provedCluster(smaller));
    expect(await hostNames()).toEqual(nodeNames(created));
  });

  it('a run converges after kill -9 of the platform in Terraform, with no host lost or doubled', async () => {
    await writeFile(join(hostsDirectory, 'faults', 'compute-3-*'), 'slow 8');
    await submit(grown);
    await untilTerraformWorks();
    process.kill(platform.pid, 'SIGKILL');
    await rm(join(hostsDirectory, 'faults', 'compute-3-*'));
    await start();
    const manifest = await untilSettled();
    proveUntouched(ids, await provedCluster(manifest));
    expect(await hostNames()).toEqual(nodeNames(manifest));
    await plantKeys(manifest);
    expect(await keys.placesIn(home)).toEqual(['kubeconfig: kubeconfig', 's3: kubeconfig']);
  });

  it('a deletion leaves no host, namespace, link, mount, process or state', async () => {
    const accepted = await api.deleteManifest(key);
    const { manifest } = await follow(api, key, { runId: accepted.runId, quiet: true, pollMs: 1000 });
    expect(manifest).toBeUndefined();
    const left = await findLeftovers(hostsDirectory, before);
    expect(left).toEqual({ hosts: [], namespaces: [], links: [], mounts: [], processes: [], tables: [] });
    expect(await keys.placesIn(home)).toEqual(['kubeconfig: kubeconfig']);
  });
});

/** Until a `compute-3` host is being made. */
async function untilTerraformWorks(): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const { processes } = await takeInventory(hostsDirectory);
    if (processes.some((line) => line.includes('compute-3-'))) return;
    await sleep(100);
  }
  throw new Error('Terraform did not begin to make compute-3 within 30 s');
}

async function untilSettled(): Promise<ManifestDescription> {
  for (let tries = 0; tries < 600; tries += 1) {
    const manifest = await api.getManifest(key);
    if (manifest.status === 'Done') return manifest;
    if (manifest.status === 'Failed' && manifest.lastRun?.status === 'Failed') return manifest;
    await sleep(250);
  }
  throw new Error('the manifest did not settle within 150 s');
}
