/** An installation of its own on real hosts for one test file: platform, API, the machines' names, and what is left. */
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type CliClient, cliClient } from '#cli/connection/api-client.ts';
import { follow } from '#cli/follow/watch.ts';
import type { ClusterDescription, ManifestDescription } from '#contracts/api-bodies.ts';
import { hostsHelper, removeAllHosts } from '#local/hosts-helper.ts';
import { down, up } from '#local/supervisor.ts';
import { findLeftovers, type MachineInventory, takeInventory } from '../../demo/proofs.ts';
import { bundleRunner } from '../../runner-images/bundle-runner.ts';

type Platform = Awaited<ReturnType<typeof up>>;

/** Runs on real hosts take many seconds; each answer costs the platform CPU time that they need. */
const quietly = { quiet: true, pollMs: 1000 };
/** The runner of these sources, bundled once for all test files. */
const bundles = join(import.meta.dirname, '../../node_modules/.cache/kubeloom-runner');

export class Installation {
  readonly home: string;
  readonly platform: Platform;
  readonly api: CliClient;
  readonly before: MachineInventory;

  private constructor(home: string, platform: Platform, before: MachineInventory) {
    this.home = home;
    this.platform = platform;
    this.before = before;
    this.api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
  }

  /** `tickSeconds`: between two ticks of the scheduler, as of the platform. */
  static async open(options: { readonly tickSeconds?: number } = {}): Promise<Installation> {
    // Faults that are meant to last are not waited for.
    process.env.KUBELOOM_STAGE_RETRY_SECONDS ??= '0.2';
    const home = await mkdtemp(join(tmpdir(), 'kubeloom-e2e-'));
    const before = await takeInventory(join(home, 'hosts'));
    const bundle = await bundleRunner(bundles);
    await mkdir(join(home, 'runner'), { mode: 0o700 });
    await copyFile(bundle, join(home, 'runner', basename(bundle)));
    return new Installation(home, await up({ dataDir: home, apiPort: 0, runner: 'real', ...options }), before);
  }

  get hostsDirectory(): string {
    return join(this.home, 'hosts');
  }

  /** Applies it and waits for its end, whatever that is. */
  async apply(name: string, document: unknown): Promise<ManifestDescription> {
    const key = { namespace: 'default', name };
    const { runId } = await this.api.putManifest(key, document);
    return this.#end(name, runId);
  }

  async retry(name: string): Promise<ManifestDescription> {
    const { runId } = await this.api.retryManifest({ namespace: 'default', name });
    return this.#end(name, runId);
  }

  /** Deletes it. Throws when it stays. */
  async remove(name: string): Promise<void> {
    const key = { namespace: 'default', name };
    const { runId } = await this.api.deleteManifest(key);
    const { manifest } = await follow(this.api, key, { runId, ...quietly });
    if (manifest) throw new Error(`the manifest ${name} is still there: ${JSON.stringify(manifest.clusters)}`);
  }

  async #end(name: string, runId: string): Promise<ManifestDescription> {
    const { manifest } = await follow(this.api, { namespace: 'default', name }, { runId, ...quietly });
    if (!manifest) throw new Error(`the manifest ${name} is gone`);
    return manifest;
  }

  /** Writes the kubeconfig of the one cluster; returns its file. */
  async kubeconfig(name: string, cluster: ClusterDescription): Promise<string> {
    const file = join(this.home, 'kubeconfig');
    const text = await this.api.getKubeconfig({ namespace: 'default', name, cluster: cluster.name });
    await writeFile(file, text, { mode: 0o600 });
    return file;
  }

  async hosts(): Promise<readonly string[]> {
    return (await takeInventory(this.hostsDirectory)).hosts.toSorted();
  }

  /** Regions for which a site is kept, as `provider/region`. */
  async regions(cluster: string): Promise<readonly string[]> {
    const sites = join(this.hostsDirectory, 'sites');
    const files = await readdir(sites, { recursive: true });
    return files
      .filter((path) => path.includes(`/${cluster}/`) && /\/regions\/[^/]+$/.test(path))
      .map((path) => path.replace(/^.*\/([^/]+)\/regions\//, '$1/'))
      .toSorted();
  }

  /** Every host whose name fits fails to come up, with these words; the function takes it back. */
  async fault(hosts: string, words: string): Promise<() => Promise<void>> {
    const file = join(this.hostsDirectory, 'faults', hosts);
    await mkdir(join(this.hostsDirectory, 'faults'), { recursive: true });
    await writeFile(file, words);
    return () => rm(file);
  }

  /** What is left of this installation; others on the machine may be at work at the same time. */
  async leftovers(): Promise<readonly string[]> {
    const script = '. "$1/lib/common.sh"; . "$1/lib/names.sh"; all_unit';
    const environment = { ...process.env, KUBELOOM_HOSTS_DIR: this.hostsDirectory };
    const prefix = execFileSync('bash', ['-c', script, '-', dirname(hostsHelper)], { env: environment });
    const { hosts, namespaces, links, mounts, processes } = await findLeftovers(this.hostsDirectory, this.before);
    const ours = (name: string) => name.startsWith(prefix.toString().trim());
    return [...hosts, ...namespaces.filter(ours), ...links.filter(ours), ...mounts, ...processes];
  }

  async close(): Promise<void> {
    await down(this.home);
    await removeAllHosts(this.hostsDirectory);
    await rm(this.home, { recursive: true, force: true });
  }
}

/** Its one cluster. */
export function clusterOf(manifest: ManifestDescription): ClusterDescription {
  const [cluster] = manifest.clusters;
  if (!cluster) throw new Error(`${manifest.name} has no cluster: ${JSON.stringify(manifest)}`);
  return cluster;
}

/** Names of the nodes of its one cluster. */
export function nodesOf(manifest: ManifestDescription): readonly string[] {
  return clusterOf(manifest)
    .nodes.map((node) => node.name)
    .toSorted();
}
