/** The whole product where firewalls are in force: the modules of `local` as if they were those of a cloud with one, and without. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { proveApplication, proveKubectl } from '../../demo/proofs.ts';
import { clusterOf, Installation } from './installation.ts';
import { smallManifest } from './small-manifest.ts';

const name = 'walled';
const compute = (count: number) => ({
  'compute-1': { provider: 'local-1', region: 'here' },
  'compute-2': { provider: 'local-2', region: 'there', count },
});
const manifest = (count = 1, servesApi = true) =>
  smallManifest({ name, compute: compute(count), balancer: { servesApi } });

let templates: string;
let installation: Installation;

beforeAll(async () => {
  templates = await mkdtemp(join(tmpdir(), 'kubeloom-templates-'));
  await cp(join(import.meta.dirname, '../../templates'), templates, { recursive: true });
  process.env.KUBELOOM_TEMPLATES = templates;
});
afterAll(async () => {
  delete process.env.KUBELOOM_TEMPLATES;
  await rm(templates, { recursive: true, force: true });
});
beforeEach(async () => {
  installation = await Installation.open();
});
afterEach(() => installation.close());

/** The modules of `local` with this firewall; `cloud`: a file of the provider instance and region stands for it. */
async function declare(firewall: 'cloud' | 'host'): Promise<void> {
  const local = join(templates, 'terraform', 'local');
  const template = JSON.parse(await readFile(join(local, 'provider.json'), 'utf8'));
  await writeFile(join(local, 'provider.json'), JSON.stringify({ ...template, firewall }));
  const rules =
    firewall === 'host'
      ? ''
      : `
resource "terraform_data" "rules" {
  input = { peers = var.peer_cidrs, file = "${templates}/\${var.provider_name}-\${var.region}" }

  provisioner "local-exec" {
    command = "echo '\${join(" ", var.peer_cidrs)}' >>'${templates}/\${var.provider_name}-\${var.region}'"
  }
  triggers_replace = var.peer_cidrs
}
`;
  await writeFile(join(local, 'network', 'rules.tf'), rules);
}

/** What the firewall was set to, in order. */
async function history(site: string): Promise<readonly string[]> {
  return (await readFile(join(templates, site), 'utf8')).trimEnd().split('\n');
}
const addresses = (description: ManifestDescription) =>
  clusterOf(description)
    .nodes.map(({ publicAddress }) => `${publicAddress}/32`)
    .sort()
    .join(' ');

const isOpen = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1500 });
    const end = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });

/** Kubernetes and an application answer. */
async function prove(description: ManifestDescription): Promise<void> {
  const cluster = clusterOf(description);
  expect(description.status, JSON.stringify(cluster.failure)).toBe('Done');
  const nodes = cluster.nodes.filter(({ role }) => role !== 'loadBalancer').map((node) => node.name);
  await proveKubectl(await installation.kubeconfig(name, cluster), nodes);
  const workers = cluster.nodes.filter(({ role }) => role === 'compute').map((node) => node.name);
  await proveApplication(`http://${cluster.loadBalancers[0]?.endpoint}/`, workers);
}

describe('firewalls of clouds', () => {
  it('the firewall of a cloud lists all created nodes, in instances without work too', async () => {
    await declare('cloud');
    const small = await installation.apply(name, manifest());
    await prove(small);
    expect((await history('local-1-here')).at(-1)).toBe(addresses(small));
    expect((await history('local-2-there')).at(-1)).toBe(addresses(small));

    const grown = await installation.apply(name, manifest(2));
    expect(addresses(grown).split(' ')).toHaveLength(addresses(small).split(' ').length + 1);
    // It has no work of its own in this run.
    expect((await history('local-1-here')).at(-1)).toBe(addresses(grown));

    const shrunk = await installation.apply(name, manifest(1));
    expect((await history('local-1-here')).at(-1)).toBe(addresses(shrunk));
    const settled = await history('local-2-there');
    expect(settled.at(-1)).toBe(addresses(shrunk));
    expect(new Set(settled.slice(-2)).size).toBe(2);
  });
});

describe('firewalls of hosts', () => {
  it('the firewall of a host opens only the ports that the cluster needs', async () => {
    await declare('host');
    const description = await installation.apply(name, manifest());
    await prove(description);
    const { nodes } = clusterOf(description);
    for (const { role, publicAddress = '' } of nodes) {
      expect(await isOpen(publicAddress, 22)).toBe(true);
      expect(await isOpen(publicAddress, 6443), role).toBe(role === 'loadBalancer');
    }

    const moved = await installation.apply(name, manifest(2, false));
    await prove(moved);
    expect(clusterOf(moved).nodes).toHaveLength(nodes.length + 1);
    for (const { role, publicAddress = '' } of clusterOf(moved).nodes) {
      expect(await isOpen(publicAddress, 6443), role).toBe(role === 'control');
    }
  });
});
