/** A platform on real hosts in the process of the test, whose functions have the clock of the test: hours pass at once. */
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { vi } from 'vitest';
import { type CliClient, cliClient } from '#cli/connection/api-client.ts';
import { eventFeed } from '#cli/follow/event-feed.ts';
import type { ManifestDescription, NodeRow } from '#contracts/api-bodies.ts';
import { useDeps, wire } from '#functions/wire.ts';
import { hostsHelper, removeAllHosts } from '#local/hosts-helper.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { takeInventory } from '../../demo/proofs.ts';
import { bundleRunner } from '../../runner-images/bundle-runner.ts';
import { clusterOf } from './installation.ts';

const bundles = join(import.meta.dirname, '../../node_modules/.cache/kubeloom-runner');
/** The tests tick themselves. */
const never = 24 * 3600;

export class ClockedInstallation {
  readonly home: string;
  readonly platform: Platform;
  readonly api: CliClient;
  readonly #key: { readonly namespace: string; readonly name: string };
  #aheadMs = 0;

  private constructor(home: string, platform: Platform, name: string) {
    this.home = home;
    this.platform = platform;
    this.#key = { namespace: 'default', name };
    this.api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
    useDeps({ ...wire(), clock: { now: () => new Date(Date.now() + this.#aheadMs) } });
  }

  /** For one manifest of this name. */
  static async open(name: string): Promise<ClockedInstallation> {
    const home = await mkdtemp(join(tmpdir(), 'kubeloom-e2e-'));
    const bundle = await bundleRunner(bundles);
    await mkdir(join(home, 'runner'), { mode: 0o700 });
    await copyFile(bundle, join(home, 'runner', basename(bundle)));
    const platform = await startPlatform({ dataDir: home, apiPort: 0, runner: 'real', tickSeconds: never });
    return new ClockedInstallation(home, platform, name);
  }

  async apply(document: unknown): Promise<ManifestDescription> {
    await this.api.putManifest(this.#key, document);
    return this.#ended();
  }

  /** Time passes for the functions, then the scheduler ticks; returns the manifest when nothing is at work any more. */
  async pass(minutes: number): Promise<ManifestDescription> {
    this.#aheadMs += minutes * 60_000;
    await this.platform.tick();
    return this.#ended();
  }

  /** Deletes the manifest and waits until it is gone. */
  async remove(): Promise<void> {
    await this.api.deleteManifest(this.#key);
    const gone = async () => {
      const { items } = await this.api.listManifests({});
      return items.every(({ name }) => name !== this.#key.name);
    };
    await vi.waitUntil(gone, { timeout: 200_000, interval: 1000 });
  }

  /** Names of the hosts that run. */
  async hosts(): Promise<readonly string[]> {
    return (await takeInventory(join(this.home, 'hosts'))).hosts;
  }

  /** A check that starts a replacement is followed by its run without a moment in between. */
  #ended(): Promise<ManifestDescription> {
    const ended = async () => {
      const manifest = await this.api.getManifest(this.#key);
      return manifest.status === 'Done' || manifest.status === 'Failed' ? manifest : undefined;
    };
    return vi.waitUntil(ended, { timeout: 500_000, interval: 1000 });
  }

  /** What was reported of these kinds until now. */
  async reported(...kinds: readonly string[]): Promise<readonly string[]> {
    const events = await eventFeed(this.api, this.#key).read();
    return events.filter(({ kind }) => kinds.includes(kind)).map(({ message }) => message);
  }

  /** Cuts the power of these machines. */
  async kill(manifest: ManifestDescription, nodes: readonly NodeRow[]): Promise<void> {
    const { cluster } = clusterOf(manifest);
    const { installation } = await this.api.getVersion();
    for (const node of nodes) {
      const place = ['--cluster', cluster, '--provider', node.provider, '--host', node.name];
      execFileSync(hostsHelper, ['kill', '--installation', installation, ...place], {
        env: { ...process.env, KUBELOOM_HOSTS_DIR: join(this.home, 'hosts') },
      });
    }
  }

  /** Cuts the power of these nodes, and waits until Kubernetes calls their kubelets silent. */
  async powerOff(manifest: ManifestDescription, nodes: readonly NodeRow[]): Promise<void> {
    const { name } = clusterOf(manifest);
    await this.kill(manifest, nodes);
    const file = join(this.home, 'kubeconfig');
    await writeFile(file, await this.api.getKubeconfig({ ...this.#key, cluster: name }), { mode: 0o600 });
    const status = '{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
    const silent = () =>
      execFileSync('kubectl', ['--kubeconfig', file, 'get', 'nodes', '-o', `jsonpath=${status}`])
        .toString()
        .split('\n')
        .flatMap((line) => (line.endsWith(' Unknown') ? [line.split(' ')[0]] : []));
    await vi.waitUntil(() => nodes.every((node) => silent().includes(node.name)), { timeout: 120_000, interval: 1000 });
  }

  async close(): Promise<void> {
    await this.platform.stop();
    useDeps(undefined);
    await removeAllHosts(join(this.home, 'hosts'));
    await rm(this.home, { recursive: true, force: true });
  }
}
