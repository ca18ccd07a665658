/** What the demo and the end-to-end test prove about real machines; each proof throws when it does not hold. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ClusterDescription } from '#contracts/api-bodies.ts';
import type { Machines } from './machines.ts';

const run = promisify(execFile);

/** Every node pings every other over its WireGuard address. Returns how many directions answered. */
export async function proveMesh(machines: Machines, cluster: ClusterDescription): Promise<number> {
  const results = await Promise.all(
    cluster.nodes.map(async (from) => {
      const others = cluster.nodes.filter((node) => node.name !== from.name);
      const script = others
        .map((node) => `ping -c1 -W3 -q ${node.privateAddress} >/dev/null || echo ${node.name}`)
        .join('; ');
      const silent = await machines.ask(from, script);
      if (silent) throw new Error(`${from.name} does not reach ${silent.split('\n').join(', ')} over WireGuard`);
      return others.length;
    }),
  );
  return results.reduce((sum, count) => sum + count, 0);
}

export interface KubernetesNode {
  readonly name: string;
  readonly ready: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly providerId: string;
}

/** `kubectl get nodes` with the delivered kubeconfig, exactly as a user would; throws unless all of `expected` are Ready. */
export async function proveKubectl(
  kubeconfigFile: string,
  expected: readonly string[],
): Promise<readonly KubernetesNode[]> {
  const { stdout } = await run('kubectl', ['--kubeconfig', kubeconfigFile, 'get', 'nodes', '-o', 'json'], {
    timeout: 60_000,
  });
  const { items } = JSON.parse(stdout) as {
    items: readonly {
      metadata: { name: string; labels?: Record<string, string> };
      spec: { providerID?: string };
      status: { conditions?: readonly { type: string; status: string }[] };
    }[];
  };
  const nodes = items.map((item) => ({
    name: item.metadata.name,
    ready:
      item.status.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false,
    labels: item.metadata.labels ?? {},
    providerId: item.spec.providerID ?? '',
  }));
  const names = nodes.map((node) => node.name).toSorted();
  if (JSON.stringify(names) !== JSON.stringify([...expected].toSorted())) {
    throw new Error(`kubectl lists ${names.join(', ')}; expected ${[...expected].toSorted().join(', ')}`);
  }
  const unready = nodes.filter((node) => !node.ready);
  if (unready.length > 0) throw new Error(`not Ready: ${unready.map((node) => node.name).join(', ')}`);
  return nodes;
}

/** Server address in a kubeconfig. */
export async function serverOf(kubeconfigFile: string): Promise<string> {
  const { stdout } = await run('kubectl', [
    '--kubeconfig',
    kubeconfigFile,
    'config',
    'view',
    '-o',
    'jsonpath={.clusters[0].cluster.server}',
  ]);
  return stdout.trim();
}

/** Asks the application role until every one of `expected` nodes has answered. Returns answers by node. */
export async function proveApplication(
  url: string,
  expected: readonly string[],
  tries = 100,
): Promise<ReadonlyMap<string, number>> {
  const answers = new Map<string, number>();
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const text = await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(5000) })
      .then((response) => response.text())
      .catch(() => '');
    const node = expected.find((name) => text.includes(name));
    if (node) answers.set(node, (answers.get(node) ?? 0) + 1);
    if (answers.size === expected.length) return answers;
    // The proxy checks the health of a target before it sends requests there.
    await pause(100);
  }
  throw new Error(`${url}: only ${[...answers.keys()].join(', ') || 'none'} answered of ${expected.join(', ')}`);
}

/** Same machines, not restarted: every boot id of `before` is unchanged in `after`. */
export function proveUntouched(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): number {
  for (const [node, id] of before) {
    if (after.get(node) !== id)
      throw new Error(`${node} was replaced or restarted: boot id ${id} became ${after.get(node) ?? 'nothing'}`);
  }
  return before.size;
}

/** What is on this machine of hosts below `hostsDirectory`, and of their network devices that were not there `before`. */
export async function findLeftovers(hostsDirectory: string, before: MachineInventory): Promise<MachineInventory> {
  const now = await takeInventory(hostsDirectory);
  const fresh = (list: readonly string[], known: readonly string[]): string[] =>
    list.filter((item) => !known.includes(item));
  return { ...now, namespaces: fresh(now.namespaces, before.namespaces), links: fresh(now.links, before.links) };
}

export interface MachineInventory {
  readonly hosts: readonly string[];
  readonly namespaces: readonly string[];
  readonly links: readonly string[];
  /** Tables of the packet filter. */
  readonly tables: readonly string[];
  readonly mounts: readonly string[];
  readonly processes: readonly string[];
}

export async function takeInventory(hostsDirectory: string): Promise<MachineInventory> {
  const list = async (command: string, args: readonly string[]): Promise<string[]> =>
    (await run(command, [...args]).catch(() => ({ stdout: '' }))).stdout.split('\n').filter(Boolean);
  const prefix = await namePrefix(hostsDirectory);
  const isOurs = (name: string): boolean => name.startsWith(prefix);
  const status = await run(new URL('../local/hosts/kubeloom-host', import.meta.url).pathname, ['status'], {
    env: { ...process.env, KUBELOOM_HOSTS_DIR: hostsDirectory },
  });
  const hosts = JSON.parse(status.stdout || '[]') as readonly { host?: string; name?: string }[];
  const mounts = (await readFile('/proc/self/mounts', 'utf8'))
    .split('\n')
    .filter((line) => line.includes(hostsDirectory));
  return {
    hosts: hosts.map((host) => host.host ?? host.name ?? '?'),
    namespaces: (await list('ip', ['netns', 'list'])).map((line) => line.split(' ')[0] ?? line).filter(isOurs),
    links: (await list('ip', ['-br', 'link']))
      .map((line) => (line.split(' ')[0] ?? line).replace(/@.*/, ''))
      .filter(isOurs),
    tables: (await list('nft', ['list', 'tables'])).map((line) => line.split(' ')[2] ?? line).filter(isOurs),
    mounts,
    processes: await processesOf(hostsDirectory),
  };
}

/** First letters of all names that a hosts directory gives to namespaces and links, as the helper itself makes them. */
async function namePrefix(hostsDirectory: string): Promise<string> {
  const libraries = new URL('../local/hosts/lib/', import.meta.url).pathname;
  const script = '. "$1/common.sh"; . "$1/names.sh"; all_unit';
  const { stdout } = await run('bash', ['-c', script, '-', libraries], {
    env: { ...process.env, KUBELOOM_HOSTS_DIR: hostsDirectory },
  });
  return stdout.trim();
}

/** Processes whose command line names the hosts' directory: launchers, nspawn, helpers. */
async function processesOf(hostsDirectory: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid);
  const lines = await Promise.all(
    pids.map(async (pid) => (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ')),
  );
  return lines.filter((line) => line.includes(hostsDirectory) && /nspawn|kubeloom-host|unshare/.test(line));
}
