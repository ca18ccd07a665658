/** A real cluster of the product on local hosts, for the tests of one file: platform, API, kubeconfig, proofs. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from 'vitest';
import { parse } from 'yaml';
import { issueKubeconfig } from '#cli/access/issued-kubeconfig.ts';
import { type CliClient, cliClient } from '#cli/connection/api-client.ts';
import { eventFeed } from '#cli/follow/event-feed.ts';
import { follow } from '#cli/follow/watch.ts';
import type { ClusterDescription, ManifestDescription, NodeRow } from '#contracts/api-bodies.ts';
import { hostsHelper, removeAllHosts } from '#local/hosts-helper.ts';
import { accessKeyOf } from '#local/rights/access-key.ts';
import { down, up } from '#local/supervisor.ts';
import { proveNetwork, runApplication } from '../../demo/application.ts';
import { bootIds, type Machines, openMachines } from '../../demo/machines.ts';
import {
  findLeftovers,
  type MachineInventory,
  proveApplication,
  proveKubectl,
  takeInventory,
} from '../../demo/proofs.ts';
import { askApplication, requests } from '../../demo/requests.ts';
import { killDuringApply, type Moment } from './kill-runner.ts';
import { nodesRequest } from './nodes-request.ts';
import { type S3Access, storeKubeconfig } from './store-kubeconfig.ts';

const run = promisify(execFile);
const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const application = file('demo/application.yaml');

/** What tests change of an example. */
export interface Manifest {
  readonly spec: {
    readonly nodePools: { dynamic: Pool[] };
    readonly kubernetes: {
      readonly clusters: readonly [
        { pools: { control: string[]; compute: string[] }; installationProxy?: { mode: string; endpoint: string } },
      ];
    };
    readonly loadBalancers: {
      readonly roles: readonly { readonly name: string; targetPools: string[] }[];
      readonly clusters: [Balancer, ...Balancer[]];
    };
  };
}
interface Balancer {
  name: string;
  roles: string[];
  readonly dns: { readonly dnsZone: string; readonly provider: string; hostname: string };
  readonly targetedK8s: string;
  pools: string[];
}
interface Pool {
  readonly name: string;
  count: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  taints?: { key: string; value: string; effect: string }[];
}

export interface Kills {
  readonly killed: readonly string[];
  readonly retries: number;
}

const manifestOf =
  (path: string) =>
  async (version: string): Promise<Manifest> =>
    parse((await readFile(file(path), 'utf8')).replace(/version: "[\d.]+"/, `version: "${version}"`));
export const two = manifestOf('examples/local-two-providers.yaml');
export const grown = manifestOf('examples/local-two-providers-grown.yaml');
const key = { namespace: 'default', name: 'local-two-providers' };

/** Makes the cluster before the tests of the file, and removes all of it after them. `prepare`: what has to be stored before it. */
export function realCluster(
  first: () => Promise<Manifest>,
  prepare: (api: CliClient) => Promise<void> = async () => {},
) {
  let home: string;
  let hostsDirectory: string;
  let kubeconfig: string;
  let before: MachineInventory;
  let api: CliClient;
  let machines: Machines;
  let apiUrl: string;
  let s3: S3Access;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'kubeloom-real-'));
    hostsDirectory = join(home, 'hosts');
    kubeconfig = join(home, 'kubeconfig');
    before = await takeInventory(hostsDirectory);
    const platform = await up({ dataDir: home, apiPort: 0, runner: 'real' });
    api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
    apiUrl = platform.apiUrl;
    const accessKey = accessKeyOf(platform.token);
    s3 = { endpoint: platform.endpoints.s3 ?? '', accessKey };
    await prepare(api);
    await apply(await first());
    machines = await openMachines({
      ssmEndpoint: platform.endpoints.ssm ?? '',
      accessKey,
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
  async function apply(document: Manifest): Promise<void> {
    await done((await api.putManifest(key, document)).runId);
  }

  /** At once: requests of a test read it meanwhile. */
  const replaceKubeconfig = (text: string): Promise<void> =>
    writeFile(`${kubeconfig}.new`, text).then(() => rename(`${kubeconfig}.new`, kubeconfig));

  const ended = async (runId: string) => (await follow(api, key, { runId, quiet: true })).manifest;

  async function done(runId: string): Promise<void> {
    const now = await ended(runId);
    expect(now?.status, JSON.stringify(now?.clusters.map(({ failure }) => failure))).toBe('Done');
    await replaceKubeconfig(await api.getKubeconfig({ ...key, cluster: (await cluster()).name ?? '' }));
  }

  /** Meanwhile at most one request in a thousand fails. */
  async function under(ask: () => Promise<void>, work: () => Promise<void>): Promise<void> {
    const load = requests(ask);
    await work().catch(async (cause: Error) => {
      await load.stop().catch(() => undefined);
      throw cause;
    });
    await load.stop();
  }

  const namesOf = ({ nodes }: ClusterDescription, ...roles: readonly string[]): string[] =>
    nodes.filter(({ role }) => roles.includes(role)).map(({ name }) => name);
  const urlOf = ({ loadBalancers }: ClusterDescription) =>
    `http://${loadBalancers.find(({ roles }) => roles.some(({ port }) => port === 80))?.endpoint}/hostname`;

  return {
    manifest,
    cluster,
    apply,
    bootIds: async () => bootIds(machines, await cluster()),
    /** Events of the manifest, as text. */
    events: async () => (await api.listEvents(key, { limit: 200 })).items.map(({ message }) => message),

    /** Asks for a kubeconfig of one's own; returns kubectl with it, and when it ends. */
    async issued(role: 'view' | 'edit' | 'admin', seconds: number) {
      const { cluster: id, name } = await cluster();
      const { text, until } = await issueKubeconfig(api, { ...key, cluster: id, title: name ?? id, role, seconds });
      const own = join(home, `kubeconfig-${role}`);
      await writeFile(own, text, { mode: 0o600 });
      // A refusal is an answer, too.
      const kubectl = async (...args: string[]): Promise<string> =>
        (await run('kubectl', ['--kubeconfig', own, ...args]).catch(({ stdout }) => ({ stdout }))).stdout.trim();
      return { kubectl, until };
    },

    /**
     * Applies, and kills the runner at each of these moments, one after the other, each in another `kubeone apply`. A person retries what
     * has stopped, at most once for each kill. Returns the last output of KubeOne at each kill (an apply may end before), and the retries.
     */
    async applyWithKills(document: Manifest, moments: readonly Moment[]): Promise<Kills> {
      const ending = { ended: false };
      const kills = (async () => {
        const killed: string[] = [];
        for (const moment of moments) killed.push((await killDuringApply(home, moment, ending)) ?? 'not killed');
        return killed;
      })();
      let retries = 0;
      try {
        let { runId } = await api.putManifest(key, document);
        for (; (await ended(runId))?.status !== 'Done' && retries < moments.length; retries += 1)
          ({ runId } = await api.retryManifest(key));
        await done(runId);
      } finally {
        ending.ended = true;
      }
      return { killed: await kills, retries };
    },

    /** Applies while requests go to the application. */
    async applyUnderRequests(document: Manifest): Promise<void> {
      const url = urlOf(await cluster());
      await under(
        () => askApplication(url),
        () => apply(document),
      );
    },

    /** Works while requests go to the Kubernetes API, under the endpoint that the kubeconfig names. */
    async underApiRequests(work: () => Promise<void>): Promise<void> {
      await under(await nodesRequest(kubeconfig), work);
    },

    /** Output of kubectl, as a user of the kubeconfig. */
    async kubectl(...args: readonly string[]): Promise<string> {
      const { stdout } = await run('kubectl', ['--kubeconfig', kubeconfig, ...args], {
        timeout: 300_000,
        maxBuffer: 64 << 20,
      });
      return stdout.trim();
    },

    ask: (node: NodeRow, command: string) => machines.ask(node, command),
    /** A port of the node's loopback leads to one of this machine, until the end. */
    forward: (node: NodeRow, port: number, to: number) => machines.forward(node, port, to),
    apiUrl: () => apiUrl,
    hostsDirectory: () => hostsDirectory,
    eventList: async () => (await api.listEvents(key, { limit: 200 })).items,

    /** Applies objects of Kubernetes as a user of the kubeconfig. */
    async applyObjects(objects: object): Promise<void> {
      const path = join(home, 'objects.json');
      await writeFile(path, JSON.stringify(objects));
      await run('kubectl', ['--kubeconfig', kubeconfig, 'apply', '-f', path]);
    },

    /** `kill` cuts its power, `down` takes the machine away. */
    async power(action: 'kill' | 'down', node: NodeRow): Promise<void> {
      const { installation } = await api.getVersion();
      const scope = [
        '--installation',
        installation,
        '--cluster',
        (await cluster()).cluster,
        '--provider',
        node.provider,
      ];
      const env = { ...process.env, KUBELOOM_HOSTS_DIR: hostsDirectory };
      await run(hostsHelper, [action, ...scope, '--host', node.name], { env });
    },

    /** Waits for an event with these words. */
    async reported(words: string): Promise<void> {
      const feed = eventFeed(api, key);
      while (!(await feed.read()).some(({ message }) => message.includes(words))) await pause(500);
    },

    /** Checks for drift and repairs what it finds. */
    async repair(): Promise<void> {
      await done((await api.driftManifest(key, { repair: true })).runId);
    },

    /** Checks for drift as the manifest says. */
    async check(): Promise<void> {
      await done((await api.driftManifest(key, {})).runId);
    },

    /** Asks the Kubernetes API with the kubeconfig that was fetched after the last run. */
    askNodes: async (): Promise<void> => (await nodesRequest(kubeconfig))(),

    /** What Kubeloom keeps is this one from now on. */
    async keepKubeconfig(text: string): Promise<void> {
      await storeKubeconfig(s3, `kubeconfigs/default/${key.name}/${(await cluster()).cluster}`, text);
      await replaceKubeconfig(text);
    },

    /** Every node is ready, pods reach each other, and the load balancer reaches every pod. */
    async prove(): Promise<void> {
      const now = await cluster();
      await proveKubectl(kubeconfig, namesOf(now, 'control', 'compute'));
      const computes = namesOf(now, 'compute').length;
      const pods = await runApplication(kubeconfig, application, computes);
      expect(new Set(pods.map(({ node }) => node)).size).toBeGreaterThan(Math.min(computes, 2) - 1);
      await proveNetwork(kubeconfig, pods);
      const names = pods.map(({ name }) => name);
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
