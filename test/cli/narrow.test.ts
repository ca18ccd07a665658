/** Tables and descriptions as they look on terminals of 80 and 40 columns: nothing wider, ids in one piece. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { manifestTable } from '#cli/commands/get.ts';
import { historyTable } from '#cli/commands/inspect.ts';
import { describeManifest } from '#cli/print/describe-manifest.ts';
import { faultLines } from '#cli/print/faults.ts';
import type { ClusterDescription, ManifestSummary, NodeRow } from '#contracts/api-bodies.ts';
import { described } from './watched-api.ts';

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000 - 1000).toISOString();

const summary = (change: Partial<ManifestSummary> = {}): ManifestSummary => ({
  namespace: 'default',
  name: 'local-two-providers',
  generation: 12,
  attempt: 1,
  status: 'Done',
  deleting: false,
  paused: false,
  runId: 'local-two-providers-jkplk-g12-a1',
  progress: null,
  createdAt: minutesAgo(9),
  updatedAt: minutesAgo(3),
  clusters: [{ cluster: 'two-clouds-1a2b3c4', name: 'two-clouds', status: 'Converged', nodes: 4 }],
  ...change,
});

const node = (name: string, role: NodeRow['role'], number: number): NodeRow => ({
  name,
  role,
  pool: name.slice(0, 7),
  provider: 'sim-1',
  region: 'anywhere',
  status: 'Ready',
  publicAddress: `198.19.253.23${number}`,
  privateAddress: `192.168.2.${number}`,
});

const cluster: ClusterDescription = {
  cluster: 'two-clouds-1a2b3c4',
  name: 'two-clouds',
  status: 'Converged',
  kubernetesVersion: '1.36.0',
  network: '192.168.2.0/24',
  apiEndpoint: 'https://198.19.198.29:6443',
  progress: null,
  failure: null,
  heldPools: [],
  demand: null,
  drift: null,
  simulated: [],
  kubeconfigPath: null,
  nodes: [node('control-wq5pbpq-01', 'control', 1), node('compute-t9rq39i-01', 'compute', 2)],
  loadBalancers: [
    {
      name: 'edge',
      endpoint: 'web-1a2b3c4.example.com',
      dnsName: '',
      servesApi: true,
      roles: [{ name: 'api', protocol: 'tcp', port: 6443, targetPort: 6443 }],
    },
  ],
};

const plain = (lines: readonly string[]): string => lines.map((line) => stripVTControlCharacters(line)).join('\n');
const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

describe('kubeloom get', () => {
  it('get leaves out the least important columns at 80 columns, and breaks no word', () => {
    expect(plain(manifestTable([summary()], { width: 80 }))).toMatchInlineSnapshot(`
      "NAMESPACE  NAME                 STATUS  CHANGED    CLUSTERS
      default    local-two-providers  Done    3 min ago  two-clouds (4 nodes)"
    `);
  });

  it('get keeps names, states and the progress of a run at 40 columns', () => {
    const running = summary({ name: 'shop', status: 'Running', progress: { step: 1, steps: 4, percent: 25 } });
    expect(plain(manifestTable([summary(), running], { width: 40 }))).toMatchInlineSnapshot(`
      "NAME                 STATUS   PROGRESS
      local-two-providers  Done     -
      shop                 Running  25 %"
    `);
  });

  it('get keeps the namespaces of manifests that are in several', () => {
    const rows = plain(manifestTable([summary(), summary({ namespace: 'team' })], { width: 50 }));
    expect(rows).toMatch(/^default .*\nteam /m);
    expect(widest(rows)).toBeLessThanOrEqual(50);
  });
});

describe('kubeloom history', () => {
  const items = [
    {
      generation: 2,
      current: true,
      at: minutesAgo(3),
      by: 'local',
      reason: 'changed',
      changes: ['nodePools.dynamic "compute".count 2 → 3'],
    },
    { generation: 1, current: false, at: minutesAgo(5), by: 'local', reason: 'created', changes: null },
  ];

  it('history fits 80 columns', () => {
    expect(plain(historyTable(items, { width: 80 }))).toMatchInlineSnapshot(`
      "GENERATION  WHEN       BY     REASON   CHANGES
      g2 current  3 min ago  local  changed  nodePools.dynamic "compute".count 2 → 3
      g1          5 min ago  local  created  -"
    `);
  });

  it('history prints a block for each generation at 40 columns', () => {
    expect(plain(historyTable(items, { width: 40 }))).toMatchInlineSnapshot(`
      "generation g2 current
        when     3 min ago
        by       local
        reason   changed
        changes  nodePools.dynamic
                 "compute".count 2 → 3
      generation g1
        when     5 min ago
        by       local
        reason   created
        changes  -"
    `);
  });
});

describe('kubeloom describe', () => {
  const manifest = described({ ...summary(), clusters: [cluster], simulated: ['control plane', 'machines'] });

  it('describe fits 80 columns', () => {
    const text = stripVTControlCharacters(describeManifest(manifest, { width: 80 }));
    expect(widest(text)).toBeLessThanOrEqual(80);
    expect(text).toMatchInlineSnapshot(`
      "default/local-two-providers  Done
      generation 12, attempt 1, changed 3 min ago, run
        local-two-providers-jkplk-g12-a1 (changed)
      simulated: control plane, machines

      cluster two-clouds  Converged  two-clouds-1a2b3c4
        Kubernetes 1.36.0 · network 192.168.2.0/24 · API https://198.19.198.29:6443
        NODE                ROLE     PROVIDER  ADDRESS         WIREGUARD    STATUS
        control-wq5pbpq-01  control  sim-1     198.19.253.231  192.168.2.1  Ready
        compute-t9rq39i-01  compute  sim-1     198.19.253.232  192.168.2.2  Ready
        LOAD BALANCER  ENDPOINT                 ROLES
        edge           web-1a2b3c4.example.com  api tcp/6443→6443"
    `);
  });

  it('describe can be read at 40 columns: nodes with their states, ids in one piece', () => {
    const text = stripVTControlCharacters(describeManifest(manifest, { width: 40 }));
    expect(widest(text)).toBeLessThanOrEqual(40);
    expect(text).toMatchInlineSnapshot(`
      "default/local-two-providers  Done
      generation 12, attempt 1, changed 3 min
        ago, run
        local-two-providers-jkplk-g12-a1
        (changed)
      simulated: control plane, machines

      cluster two-clouds  Converged
        two-clouds-1a2b3c4
        Kubernetes 1.36.0 · network
        192.168.2.0/24 · API
        https://198.19.198.29:6443
        NODE                STATUS
        control-wq5pbpq-01  Ready
        compute-t9rq39i-01  Ready
        load balancer edge
          endpoint  web-1a2b3c4.example.com
          roles     api tcp/6443→6443"
    `);
  });
});

describe('warnings', () => {
  it('the first line of a warning with a long path fits 80 columns', () => {
    const place = 'kubernetes.clusters "minimal".pools.control';
    const warning = {
      path: '',
      reason: 'there is one',
      line: 30,
      column: 11,
      file: 'first.yaml',
      place,
      id: 'one-node',
    };
    const text = plain(faultLines([warning], 'warning', 80));
    expect(widest(text)).toBeLessThanOrEqual(80);
    expect(text).toContain(place);
  });
});
