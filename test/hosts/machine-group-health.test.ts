/** Kadende's sample on real hosts: a service with a load balancer is rolled, an unhealthy and a killed machine are replaced; hours pass at once. */
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ManifestDescription, NodeRow } from '#contracts/api-bodies.ts';
import { parseDocuments } from '#documents/parse-documents.ts';
import { accessKeyOf } from '#local/rights/access-key.ts';
import { type Machines, openMachines } from '../../demo/machines.ts';
import { ClockedInstallation } from './clocked-installation.ts';
import { isRoot } from './host-workshop.ts';
import { clusterOf, nodesOf } from './installation.ts';

const name = 'basic-cluster';
const sample = readFileSync(new URL('../machine-groups/kadende-sample.yaml', import.meta.url), 'utf8');

/** Answers after a moment with its version, and 500 while the machine has a file `broken`. */
const service = `
import http.server, os, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
  def do_GET(self):
    time.sleep(0.1)
    self.send_response(500 if os.path.exists("/root/broken") else 200)
    self.end_headers()
    self.wfile.write(("version " + sys.argv[1]).encode())
  def log_message(self, *words): pass
http.server.ThreadingHTTPServer(("", 8080), Handler).serve_forever()`;
/** It cuts the service off, as a careless script would. */
const boot = (version: string) => [
  'systemctl kill --signal=KILL shop.service 2>/dev/null || true',
  'systemctl reset-failed shop.service 2>/dev/null || true',
  `echo ${Buffer.from(service).toString('base64')} | base64 -d >/root/shop.py`,
  'sleep 1',
  `systemd-run --quiet --collect --unit=shop python3 /root/shop.py ${version}`,
  'date +%s%N >/root/ended',
];

function withService(version: string, { size = 2, image = 'debian' } = {}): object {
  const health = [{ http: { port: 8080, path: '/', body: 'version' }, unhealthyAfter: 2, pause: '1s' }];
  const repair = { onUnhealthy: 'replace', after: '10m', startAfter: '20m' };
  const machine = (count: number, instanceType = 't2.small', of = 'debian') => ({
    size: count,
    resourcePlugin: { name: 'local' },
    resourceProperties: { instanceType, image: of },
  });
  const role = { name: 'shop', protocol: 'tcp', port: 8088, targetPort: 8080 };
  const dns = { dnsZone: 'shop.test', provider: 'local', hostname: 'shop' };
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'MachineGroups',
    metadata: { name },
    spec: {
      groups: {
        group1: { ...machine(size, 't2.small', image), boot: boot(version), health, repair },
        group2: { 'sub-group1': machine(2, 't2.micro', 'amazonlinux'), 'sub-group2': machine(3, 'standard') },
        front: machine(1),
      },
      driftChecks: { interval: '30m' },
      loadBalancers: {
        roles: [{ ...role, targetPools: ['group1'], settings: { proxyProtocol: false } }],
        clusters: [{ name: 'entry', roles: ['shop'], dns, pools: ['front'] }],
      },
    },
  };
}

/** The version that answered; undefined when the request failed. */
function ask(host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get({ host, port: 8088, agent: false, timeout: 10_000 }, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('error', () => resolve(undefined));
      response.on('end', () => resolve(response.statusCode === 200 ? text : undefined));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}

/** 25 requests a second until `during` has ended. */
async function answersWhile(host: string, during: () => Promise<unknown>): Promise<readonly (string | undefined)[]> {
  const answers: Promise<string | undefined>[] = [];
  const timer = setInterval(() => answers.push(ask(host)), 40);
  try {
    await during();
  } finally {
    clearInterval(timer);
  }
  return Promise.all(answers);
}

describe.runIf(isRoot)("Kadende's sample on real hosts", () => {
  let installation: ClockedInstallation;
  let machines: Machines;
  let manifest: ManifestDescription;

  const group = (pool: string): readonly NodeRow[] => clusterOf(manifest).nodes.filter((row) => row.pool === pool);
  const entry = () => group('front')[0]?.publicAddress ?? '';
  const apply = async (document: unknown) => {
    manifest = await installation.apply(document);
    expect(manifest.status, JSON.stringify(clusterOf(manifest).failure)).toBe('Done');
  };
  const first = (pool: string): NodeRow => {
    const [row] = group(pool);
    if (row === undefined) throw new Error(`group ${pool} is empty: ${nodesOf(manifest).join(', ')}`);
    return row;
  };

  beforeAll(async () => {
    vi.stubEnv('KUBELOOM_SECOND_LOOK_SECONDS', '1');
    vi.stubEnv('KUBELOOM_STAGE_RETRY_SECONDS', '0.2');
    vi.stubEnv('KUBELOOM_LOG', 'none');
    installation = await ClockedInstallation.open(name);
    await apply(parseDocuments(sample).documents[0]);
    machines = await openMachines({
      ssmEndpoint: installation.platform.endpoints.ssm,
      accessKey: accessKeyOf(installation.platform.token),
      keyPrefix: `ssh/default/${name}/${clusterOf(manifest).cluster}`,
    });
  });
  afterAll(async () => {
    await machines?.close();
    await installation?.close();
    vi.unstubAllEnvs();
  });

  it('KA-2, KA-3: the unchanged sample document creates its three groups of machines', () => {
    expect(
      [...Map.groupBy(clusterOf(manifest).nodes, ({ pool }) => pool)].map(([pool, rows]) => [pool, rows.length]),
    ).toEqual([
      ['group1', 2],
      ['group2-sub-group1', 2],
      ['group2-sub-group2', 3],
    ]);
    expect(clusterOf(manifest)).toMatchObject({ status: 'Converged', apiEndpoint: null, simulated: [] });
  });

  it('KA-8: a service with health checks and a load balancer is added, and serves', async () => {
    const before = nodesOf(manifest);
    await apply(withService('one'));
    expect(nodesOf(manifest)).toEqual(expect.arrayContaining([...before]));
    expect(await ask(entry())).toBe('version one');
  });

  it('KA-8: a changed boot script is rolled, one machine after the other, without one failed request', async () => {
    const answers = await answersWhile(entry(), () => apply(withService('two')));
    expect(answers.length).toBeGreaterThan(50);
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(0);
    expect(new Set(answers)).toEqual(new Set(['version one', 'version two']));
    process.stderr.write(`${answers.length} requests while rolling, none failed\n`);
    expect(await ask(entry())).toBe('version two');
  });

  it('KA-9: a machine whose health check fails is reported by the first check, and replaced by the second', async () => {
    const bad = first('group1');
    await machines.ask(bad, 'touch /root/broken');
    manifest = await installation.pass(35);
    expect(group('group1').map((row) => [row.name, row.status, row.health?.state])).toContainEqual([
      ...[bad.name, 'Unhealthy', 'unhealthy'],
    ]);
    const [noticed] = await installation.reported('NodeUnhealthy');
    expect(noticed).toMatch(
      new RegExp(`^${bad.name} is unhealthy, since .*: http :8080/: answered 500, expected 200$`),
    );
    manifest = await installation.pass(11);
    expect(manifest.status, JSON.stringify(clusterOf(manifest).failure)).toBe('Done');
    expect(group('group1').map(({ name }) => name)).not.toContain(bad.name);
    expect(group('group1').map(({ status }) => status)).toEqual(['Ready', 'Ready']);
    expect(await ask(entry())).toBe('version two');
  });

  it('KA-10: a machine that is killed is replaced within its grace', async () => {
    const lost = first('group1');
    await installation.kill(manifest, [lost]);
    manifest = await installation.pass(35);
    expect(group('group1').find(({ name }) => name === lost.name)).toMatchObject({ status: 'Gone' });
    manifest = await installation.pass(11);
    expect(manifest.status, JSON.stringify(clusterOf(manifest).failure)).toBe('Done');
    expect(group('group1').map(({ name }) => name)).not.toContain(lost.name);
    expect(group('group1')).toHaveLength(2);
    expect(await installation.reported('NodeReplaced')).toHaveLength(2);
  });

  it('a group grows and shrinks without a failed request', async () => {
    const answers = await answersWhile(entry(), async () => {
      await apply(withService('two', { size: 3 }));
      expect(group('group1')).toHaveLength(3);
      await apply(withService('two'));
    });
    expect(group('group1')).toHaveLength(2);
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(0);
    process.stderr.write(`${answers.length} requests while growing and shrinking, none failed\n`);
  });

  it('KA-8: another image makes new machines without a failed request', async () => {
    const before = group('group1').map(({ name }) => name);
    const answers = await answersWhile(entry(), () => apply(withService('two', { image: 'amazonlinux' })));
    const after = group('group1').map(({ name }) => name);
    expect(after).toHaveLength(2);
    expect(after.filter((name) => before.includes(name))).toEqual([]);
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(0);
    process.stderr.write(`${answers.length} requests while the image is changed, none failed\n`);
  });

  it('a deletion leaves none of its machines, and its receipt names each and says that nothing is left', async () => {
    const machines = nodesOf(manifest);
    expect(await installation.hosts()).not.toEqual([]);
    await installation.remove();
    expect(await installation.hosts()).toEqual([]);
    const { items } = await installation.api.listAllEvents({ manifest: name, kind: ['DeletionReceipt'] });
    const receipt = items.map(({ message }) => message).join('\n');
    for (const machine of machines) expect(receipt).toContain(machine);
    expect(receipt).toContain('nothing with the tags of the cluster is left');
  });
});
