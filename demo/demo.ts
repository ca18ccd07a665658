/** `npm run demo`: the main use case from the first manifest to the deletion, on real machines where that is possible, with proofs. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { askForCode, consoleAddress } from '#cli/commands/console.ts';
import { type CliClient, cliClient } from '#cli/connection/api-client.ts';
import { examineMachine } from '#cli/doctor/examine-machine.ts';
import { type Followed, follow } from '#cli/follow/watch.ts';
import { describeManifest } from '#cli/print/describe-manifest.ts';
import { paint, print, printWrapped } from '#cli/print/output.ts';
import { duration } from '#cli/print/times.ts';
import { readDocuments } from '#cli/submission/documents.ts';
import type { ClusterDescription, ManifestDescription } from '#contracts/api-bodies.ts';
import { removeAllHosts } from '#local/hosts-helper.ts';
import { kubernetesKind } from '#local/kubernetes/available.ts';
import { minorBefore, newest } from '#local/kubernetes/versions.ts';
import { startPlatform } from '#local/platform.ts';
import { accessKeyOf } from '#local/rights/access-key.ts';
import { status } from '#local/supervisor.ts';
import { proveNetwork, runApplication } from './application.ts';
import { bootIds, type Machines, openMachines } from './machines.ts';
import {
  findLeftovers,
  proveApplication,
  proveKubectl,
  proveMesh,
  proveUntouched,
  serverOf,
  takeInventory,
} from './proofs.ts';
import { askApplication, requests } from './requests.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = join(root, '.kubeloom', 'demo');
const hostsDirectory = join(home, 'hosts');
const first = join(root, 'examples', 'local-two-providers.yaml');
const grown = join(root, 'examples', 'local-two-providers-grown.yaml');
const application = join(root, 'demo', 'application.yaml');

let kindOfKubernetes: ReturnType<typeof kubernetesKind>;

type Platform = Awaited<ReturnType<typeof startPlatform>>;

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: { kubernetes: { type: 'string' }, keep: { type: 'boolean', default: false } },
  });
  kindOfKubernetes = kubernetesKind(options.kubernetes ?? process.env.KUBELOOM_KUBERNETES);
  const real = await canBeReal();
  if (!real) kindOfKubernetes = 'simulated';
  title(
    real
      ? 'Kubeloom demo: real machines on this machine'
      : 'Kubeloom demo with the sim runner: nothing real is created',
  );
  const running = await status(home);
  if (running) throw new Error(`another demo runs here (process ${running.pid}); wait for its end`);
  if (real) await removeAllHosts(hostsDirectory);
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true, mode: 0o700 });
  const before = real ? await takeInventory(hostsDirectory) : undefined;
  process.env.KUBELOOM_HOSTS_DIR = hostsDirectory;
  process.env.KUBELOOM_LOG = 'errors';
  process.env.KUBELOOM_KUBERNETES = kindOfKubernetes;
  const platform = await startPlatform({ dataDir: home, apiPort: 0, runner: real ? 'real' : 'sim' });
  const interrupt = (): void => {
    print('\ninterrupted: stopping the platform and removing what was created');
    void platform
      .stop()
      .then(() => (real ? removeAllHosts(hostsDirectory) : undefined))
      .finally(() => process.exit(130));
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    await story(platform, real, options.keep);
    if (options.keep) await keepUntilInterrupted(platform);
  } finally {
    await platform.stop();
  }
  if (before) {
    const left = Object.entries(await findLeftovers(hostsDirectory, before)).filter(([, items]) => items.length > 0);
    if (left.length > 0) throw new Error(`left behind: ${JSON.stringify(Object.fromEntries(left))}`);
    proof('no host, network namespace, bridge, mount or process is left');
  }
  await rm(home, { recursive: true, force: true });
  title(
    !real
      ? 'simulated: no machine, network or cluster was created'
      : kindOfKubernetes === 'real'
        ? 'All of it was real: machines, networks, Kubernetes, and the application on it'
        : 'All of it was real, except: simulated control plane (a small API server stands in for Kubernetes)',
  );
}

/** Until Ctrl-C, which stops the platform and removes what was created. */
async function keepUntilInterrupted({ apiUrl, token }: Platform): Promise<never> {
  const { code } = await askForCode(apiUrl, token);
  title(`Web console: ${consoleAddress(apiUrl, code)}`);
  print(`  once, within two minutes; then: KUBELOOM_HOME=${relative(home)} npx kubeloom console`);
  print('  Ctrl-C stops the platform and removes everything that was created');
  return new Promise(() => {});
}

/** `keep`: the cluster is not deleted. */
async function story(platform: Platform, real: boolean, keep: boolean): Promise<void> {
  const api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
  const { step, times } = steps();
  // The newest version is reached by an upgrade, which a small API server would only count.
  const version = kindOfKubernetes === 'real' ? minorBefore : newest;
  const created = await step(
    'create',
    `Submit ${relative(first)}: two providers, 1 control and 2 compute nodes, a load balancer`,
    () => applyAndFollow(api, first, version),
  );
  const cluster = onlyCluster(created);
  const machines = real
    ? await openMachines({
        ssmEndpoint: platform.endpoints.ssm,
        accessKey: accessKeyOf(platform.token),
        keyPrefix: `ssh/default/${created.name}/${cluster.cluster}`,
      })
    : undefined;
  try {
    const idsBefore = machines ? await bootIds(machines, cluster) : undefined;
    /** All that is asked of it holds, on the machines of before. */
    const prove = async (manifest: ManifestDescription): Promise<void> => {
      if (machines === undefined || idsBefore === undefined) return;
      const count = proveUntouched(idsBefore, await bootIds(machines, onlyCluster(manifest)));
      if (manifest !== created) proof(`all ${count} machines that existed before have the same boot id: untouched`);
      await proveCluster(api, machines, manifest);
    };
    await prove(created);

    const bigger = await underRequests(cluster, () =>
      step('grow', `Grow: ${relative(grown)} adds a pool in the second provider`, () =>
        applyAndFollow(api, grown, version),
      ),
    );
    await prove(bigger);

    if (version !== newest) {
      const upgraded = await underRequests(cluster, () =>
        step('upgrade', `Upgrade: from Kubernetes ${version} to ${newest}`, () => applyAndFollow(api, grown, newest)),
      );
      await prove(upgraded);
    }

    const smaller = await underRequests(cluster, () =>
      step(
        'shrink',
        'Shrink: back to the first manifest; the node is drained within the budget of the application, then removed',
        () => applyAndFollow(api, first, newest),
      ),
    );
    await prove(smaller);

    if (keep) return title(`Wall times: ${times.join(', ')}`);
    const key = { namespace: 'default', name: created.name };
    await step('delete', 'Delete', async () => {
      const accepted = await api.deleteManifest(key);
      const gone = await follow(api, key, { runId: accepted.runId });
      if (gone.manifest) throw new Error(`delete ended ${gone.manifest.status}\n${describeManifest(gone.manifest)}`);
      proof(`manifest and clusters are gone after ${duration(gone.elapsedMs)}`);
    });
    const states = await platform.objects('terraform/');
    if (states.length > 0) throw new Error(`Terraform state is left: ${states.join(', ')}`);
    proof('no Terraform state is left');
    title(`Wall times: ${times.join(', ')}`);
  } finally {
    await machines?.close();
  }
}

/** Numbers the steps, and keeps how long each took, without its proofs. */
function steps() {
  const times: string[] = [];
  const step = async <Found>(name: string, text: string, work: () => Promise<Found>): Promise<Found> => {
    title(`${times.length + 1}. ${text}`);
    const started = performance.now();
    const found = await work();
    times.push(`${name} ${duration(performance.now() - started)}`);
    return found;
  };
  return { step, times };
}

/** Works while the application on real Kubernetes is asked through the load balancer: at most one request in a thousand may fail. */
async function underRequests<Found>(cluster: ClusterDescription, work: () => Promise<Found>): Promise<Found> {
  const url = applicationOf(cluster)?.url;
  if (kindOfKubernetes !== 'real' || url === undefined) return work();
  const load = requests(() => askApplication(url));
  const found = await work().catch(async (cause: unknown) => {
    await load.stop().catch(() => undefined);
    throw cause;
  });
  proof(`the application answered meanwhile, asked 20 times a second: ${await load.stop()} requests`);
  return found;
}

/** The role of the application, and where it answers. */
function applicationOf({ loadBalancers: [balancer] }: ClusterDescription) {
  const role = balancer?.roles.find(({ port }) => port !== 6443);
  return balancer?.endpoint && role ? { role, url: `http://${balancer.endpoint}:${role.port}/hostname` } : undefined;
}

/** Mesh, kubectl through the load balancer, and the application role. */
async function proveCluster(api: CliClient, machines: Machines, manifest: ManifestDescription): Promise<void> {
  const cluster = onlyCluster(manifest);
  const kubernetes = cluster.nodes.filter((node) => node.role !== 'loadBalancer');
  proof(`every node reaches every other over WireGuard: ${await proveMesh(machines, cluster)} directions answered`);
  const file = join(home, 'kubeconfig');
  const name = cluster.name ?? cluster.cluster;
  await writeFile(file, await api.getKubeconfig({ ...manifest, cluster: name }), { mode: 0o600 });
  const nodes = await proveKubectl(
    file,
    kubernetes.map((node) => node.name),
  );
  const note = kindOfKubernetes === 'real' ? '' : `  ${paint('yellow', '[simulated control plane]')}`;
  proof(`kubectl get nodes works through the load balancer (${await serverOf(file)}): ${nodes.length} Ready${note}`);
  const width = Math.max(...nodes.map((node) => node.name.length));
  for (const node of nodes)
    print(
      `      ${node.name.padEnd(width)}  ${paint('dim', `${node.labels['claudie.io/provider-instance'] ?? ''}  ${node.providerId}`)}`,
    );
  const compute = cluster.nodes.filter((node) => node.role === 'compute').map((node) => node.name);
  const where = new Map(compute.map((node) => [node, node]));
  if (kindOfKubernetes === 'real') {
    const pods = await runApplication(file, application, compute.length);
    proof(`${pods.length} pods of an application run on ${new Set(pods.map(({ node }) => node)).size} nodes`);
    proof(`pods reach each other and the service by name: ${await proveNetwork(file, pods)} connections`);
    where.clear();
    for (const pod of pods) where.set(pod.name, pod.node);
  }
  const found = applicationOf(cluster);
  if (found) {
    const answers = await proveApplication(found.url, [...where.keys()]);
    proof(
      `the load balancer's role ${found.role.name} reaches ${[...answers].map(([name, count]) => `${where.get(name)} (${count})`).join(', ')}`,
    );
  }
}

async function applyAndFollow(api: CliClient, file: string, version: string): Promise<ManifestDescription> {
  const { documents } = await readDocuments([file]);
  const manifest = documents.find(({ document }) => (document as { kind?: string }).kind === 'InputManifest')
    ?.document as { metadata: { name: string }; spec: { kubernetes: { clusters: [{ version: string }] } } };
  manifest.spec.kubernetes.clusters[0].version = version;
  const key = { namespace: 'default', name: manifest.metadata.name };
  const accepted = await api.putManifest(key, manifest);
  const followed: Followed = await follow(api, key, { runId: accepted.runId });
  if (followed.manifest?.status !== 'Done') {
    throw new Error(
      `${file} ended ${followed.manifest?.status ?? 'gone'}\n${followed.manifest ? describeManifest(followed.manifest) : ''}`,
    );
  }
  print();
  print(describeManifest(followed.manifest));
  proof(`Done after ${duration(followed.elapsedMs)}`);
  return followed.manifest;
}

function onlyCluster(manifest: ManifestDescription): ClusterDescription {
  const [cluster] = manifest.clusters;
  if (!cluster) throw new Error(`${manifest.name} has no cluster`);
  return cluster;
}

/** Real machines need root and the tools; missing ones are printed. */
async function canBeReal(): Promise<boolean> {
  if (process.env.KUBELOOM_DEMO_RUNNER === 'sim') return false;
  if (process.getuid?.() !== 0) {
    print('not root: real machines need root (systemd-nspawn, network namespaces), so the sim runner is used');
    return false;
  }
  const missing = (await examineMachine()).filter((check) => !check.ok && !check.optional);
  for (const check of missing) print(`missing: ${check.name} (${check.found})${check.fix ? `  → ${check.fix}` : ''}`);
  if (missing.length > 0) print('so real machines cannot be created here, and the sim runner is used');
  return missing.length === 0;
}

const relative = (file: string): string => file.slice(root.length);
const title = (text: string): void => {
  print();
  printWrapped(paint('bold', text), 3);
};
const proof = (text: string): void => printWrapped(`  ${paint('green', '✓')} ${text}`, 4);

await main().catch((error: unknown) => {
  print(`\n${paint('red', 'the demo failed:')} ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
