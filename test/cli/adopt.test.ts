/** `kubeloom adopt`: what Claudie has, as kubectl prints it, becomes files for Kubeloom; it connects to nothing. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readObjects } from '#documents/read-objects.ts';
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { kubeloom } from './kubeloom.ts';

let folder: string;
let out: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeloom-adopt-'));
  out = join(folder, 'out');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const pool = (name: string, count: number) => ({
  name,
  count,
  serverType: 'cpx22',
  image: 'ubuntu-24.04',
  labels: null,
  taints: null,
  providerSpec: { name: 'hetzner-1', region: 'nbg1', zone: 'nbg1-dc3' },
});
const cluster = (name: string, control: string[], compute: string[]) => ({
  name,
  version: 'v1.34.0',
  network: '192.168.2.0/24',
  pools: { control, compute },
});

const manifest = {
  apiVersion: 'claudie.io/v1beta1',
  kind: 'InputManifest',
  metadata: {
    name: 'shop',
    namespace: 'team',
    resourceVersion: '12',
    uid: 'x',
    finalizers: ['claudie.io/finalizer'],
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
  },
  spec: {
    providers: [
      {
        name: 'hetzner-1',
        providerType: 'hetzner',
        secretRef: { name: 'hetzner', namespace: 'secrets' },
        templatesRef: { name: 'claudie-default-templates' },
      },
    ],
    nodePools: {
      dynamic: [pool('ctrl', 1), pool('cmpt', 2), pool('lb', 1), pool('spare', 1)],
      static: [
        { name: 'metal', nodes: [{ endpoint: '203.0.113.9', secretRef: { name: 'metal', namespace: 'secrets' } }] },
        { name: 'metal-lb', nodes: [{ endpoint: '203.0.113.10', secretRef: { name: 'metal', namespace: 'secrets' } }] },
      ],
    },
    kubernetes: {
      clusters: [cluster('one', ['ctrl'], ['cmpt', 'metal']), cluster('two', ['metal-lb'], ['spare'])],
    },
    loadBalancers: {
      roles: [
        { name: 'API', protocol: 'tcp', port: 6443, targetPort: 6443, targetPools: ['ctrl'] },
        { name: 'web', protocol: 'tcp', port: 443, targetPort: 30443, targetPools: ['cmpt', 'metal'] },
      ],
      clusters: [
        {
          name: 'front',
          roles: ['API'],
          targetedK8s: 'one',
          pools: ['lb'],
          dns: { dnsZone: 'example.com', provider: 'hetzner-1', hostname: 'api' },
        },
        {
          name: 'shops',
          roles: ['web'],
          targetedK8s: 'one',
          pools: ['lb'],
          dns: { dnsZone: 'example.com', provider: 'hetzner-1', hostname: '', alternativeNames: ['www'] },
        },
      ],
    },
  },
  status: { state: 'DONE' },
};
const secret = (name: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'secrets', resourceVersion: '7' },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
});
const metadata = {
  dynamic_nodepools: {
    'ctrl-aaaaaaa': {
      node_ips: { 'ctrl-aaaaaaa-01': { public_ip: '198.51.100.1', private_ip: '192.168.2.1' } },
      nodepool_private_key: 'KEY-OF-CTRL',
    },
  },
  static_nodepools: {
    metal: { node_info: { 'metal-01': { endpoint: '203.0.113.9', node_private_key: 'KEY-OF-METAL' } } },
  },
  dynamic_load_balancer_nodepools: {
    front: {
      'lb-bbbbbbb': {
        node_ips: { 'lb-bbbbbbb-01': { public_ip: '198.51.100.2', private_ip: '192.168.2.9' } },
        nodepool_private_key: 'KEY-OF-LB',
      },
    },
  },
  static_load_balancer_nodepools: null,
};
const output = (kind: string, text: string, id = 'one-ccccccc') => ({
  apiVersion: 'v1',
  kind: 'Secret',
  data: { [kind]: base64(text) },
  metadata: {
    name: `${id}-${kind}`,
    namespace: 'claudie',
    labels: {
      'claudie.io/output': kind,
      'claudie.io/cluster': 'one',
      'claudie.io/cluster-id': id,
      'claudie.io/project': 'team-shop',
    },
  },
});
const everything = [
  manifest,
  secret('hetzner', { credentials: 'a'.repeat(64) }),
  secret('metal', { privatekey: 'KEY' }),
  secret('unrelated', { password: 'unrelated' }),
  output('kubeconfig', kubeconfigTo()),
  output('metadata', JSON.stringify(metadata)),
];

const adopt = (items: readonly unknown[], ...more: readonly string[]) => {
  const file = join(folder, 'claudie.yaml');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  return kubeloom(['adopt', file, '--out', out, ...more]);
};
const read = (path: string): string => readFileSync(join(out, path), 'utf8');
const documentsIn = (path: string) => parseAllDocuments(read(path)).map((one) => one.toJS());

describe('kubeloom adopt', () => {
  it('what Claudie has becomes a manifest that is accepted, its Secrets, kubeconfigs and SSH keys', async () => {
    const { code, stdout } = await adopt(everything);
    expect([code, stdout]).toEqual([0, expect.stringContaining('static pools metal, metal-lb are left out')]);
    const files = readdirSync(out, { recursive: true })
      .map(String)
      .filter((path) => statSync(join(out, path)).isFile());
    expect(files.sort()).toEqual([
      'clusters/one-ccccccc/ctrl-aaaaaaa.key',
      'clusters/one-ccccccc/kubeconfig',
      'clusters/one-ccccccc/lb-bbbbbbb.key',
      'clusters/one-ccccccc/metal-01.key',
      'manifests/team/shop/manifest.yaml',
      'manifests/team/shop/static-pools.yaml',
      'secrets-and-templates.yaml',
    ]);
    expect(files.map((path) => statSync(join(out, path)).mode & 0o077)).toEqual(files.map(() => 0));
    expect(read('clusters/one-ccccccc/ctrl-aaaaaaa.key')).toBe('KEY-OF-CTRL');
    const [document] = documentsIn('manifests/team/shop/manifest.yaml');
    const { faults, manifest: accepted } = validateManifest(document, { readObjects });
    expect(faults).toEqual([]);
    expect(InputManifest.parse(accepted).spec.kubernetes.clusters.map(({ name, pools }) => [name, pools])).toEqual([
      ['one', { control: ['ctrl'], compute: ['cmpt'] }],
    ]);
    expect(documentsIn('secrets-and-templates.yaml').map(({ metadata: { name } }) => name)).toEqual(['hetzner']);
  });

  it('adopt leaves out what only one of both installations can have, and lists it: machines, and DNS names', async () => {
    const { stdout } = await adopt(everything, '--json');
    const { changes, machines } = JSON.parse(stdout);
    const printed = [
      'cluster two is left out: all its control nodes are static machines',
      'pool spare is left out: nothing that remains uses it',
      'static pools metal, metal-lb are left out',
      'load balancer front: the names api are left out',
      'load balancer shops: the names www are left out',
    ];
    expect(changes).toEqual(printed.map((text) => expect.stringContaining(text)));
    expect(read('manifests/team/shop/manifest.yaml')).not.toMatch(
      /hostname|alternativeNames|metal|spare|status|uid|finalizers/,
    );
    expect(read('manifests/team/shop/static-pools.yaml')).toContain('203.0.113.10');
    expect(machines).toEqual([
      expect.objectContaining({ node: 'ctrl-aaaaaaa-01', address: '198.51.100.1', privateAddress: '192.168.2.1' }),
      expect.objectContaining({ node: 'metal-01', kind: 'static' }),
      expect.objectContaining({ node: 'lb-bbbbbbb-01', loadBalancer: 'front' }),
    ]);
  });

  it('a role whose targets are all static machines is left out, and one in the older words for targets stays', async () => {
    const older = structuredClone(manifest);
    const roles: object[] = older.spec.loadBalancers.roles;
    roles.push({ name: 'old', protocol: 'tcp', port: 80, targetPort: 30080, target: 'k8sComputePlane' });
    roles.push({ name: 'metal', protocol: 'tcp', port: 81, targetPort: 30081, targetPools: ['metal'] });
    older.spec.loadBalancers.clusters[1]?.roles.push('old', 'metal');
    const { stdout } = await adopt([older], '--json');
    expect(JSON.parse(stdout).changes).toContainEqual(
      expect.stringContaining('role metal is left out: all its targets are static machines'),
    );
    const [{ spec }] = documentsIn('manifests/team/shop/manifest.yaml');
    expect(spec.loadBalancers.clusters[1].roles).toEqual(['web', 'old']);
  });

  it('manifests whose namespace and name read alike have a folder each', async () => {
    const named = (namespace: string, name: string) => ({ ...manifest, metadata: { namespace, name } });
    await adopt([named('a-b', 'c'), named('a', 'b-c')]);
    expect(documentsIn('manifests/a-b/c/manifest.yaml')).toHaveLength(1);
    expect(documentsIn('manifests/a/b-c/manifest.yaml')).toHaveLength(1);
  });

  it('no value of a Secret is printed', async () => {
    const texts = [await adopt(everything)];
    rmSync(out, { recursive: true });
    texts.push(await adopt(everything, '--json'));
    for (const { stdout, stderr } of texts)
      expect(stdout + stderr).not.toMatch(/KEY-OF|a{64}|client-key-data|unrelated/);
  });

  it('adopt names what is missing: Secrets, kubeconfigs, and machines that cannot be read', async () => {
    const { stdout } = await adopt([manifest, output('metadata', 'no JSON')], '--json');
    expect(JSON.parse(stdout).missing).toEqual([
      'Secret secrets/hetzner: is not among the files; store it before you apply',
      expect.stringContaining('Secret one-ccccccc-kubeconfig'),
      expect.stringContaining('Secret one-ccccccc-metadata'),
    ]);
  });

  it('faults of a manifest are reported with exit 3, and its files are still written', async () => {
    const faulty = structuredClone(manifest);
    Object.assign(faulty.spec.kubernetes.clusters[0] ?? {}, { version: '1.20.0' });
    const { code, stdout } = await adopt([faulty, ...everything.slice(1)]);
    expect([code, stdout]).toEqual([
      3,
      expect.stringContaining('InputManifest shop: spec.kubernetes.clusters[0].version'),
    ]);
    expect(existsSync(join(out, 'manifests/team/shop/manifest.yaml'))).toBe(true);
  });

  it('a kubeconfig of Claudie that runs a program is not written, and the report names the key', async () => {
    const prepared = kubeconfigTo().replace('  user:\n', '  user:\n    exec: { command: sh }\n');
    const { stdout } = await adopt([manifest, output('kubeconfig', prepared)], '--json');
    expect(JSON.parse(stdout).missing).toContain(
      'cluster one-ccccccc: its kubeconfig is not written: it has users[0].user.exec, which is not accepted',
    );
    expect(existsSync(join(out, 'clusters/one-ccccccc/kubeconfig'))).toBe(false);
  });

  it('no name leads out of the folder, a folder that exists is refused, and so are files without anything of Claudie', async () => {
    const { code } = await adopt([output('kubeconfig', kubeconfigTo(), '../../elsewhere')]);
    expect([code, readdirSync(join(out, 'clusters'))]).toEqual([0, ['--..-elsewhere']]);
    expect(await adopt(everything)).toMatchObject({ code: 2, stderr: expect.stringContaining('name another folder') });
    rmSync(out, { recursive: true });
    expect(await adopt([secret('unrelated', {})])).toMatchObject({ code: 3, stdout: '' });
    expect(existsSync(out)).toBe(false);
  });
});
