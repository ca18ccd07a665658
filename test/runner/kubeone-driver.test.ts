/** The kubernetes stage with a KubeOne that leaves what it was told to leave. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { WaypointDocument } from '#contracts/stage.ts';
import type { ClusterFacts, ClusterState } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import { type AnsweringHosts, answeringHosts } from './answering-hosts.ts';
import { aDocument, type StageWorld, stageWorld } from './stage-world.ts';

const fakeKubeOne = `#!/bin/bash
out=$KUBELOOM_TEST_RECORDINGS
echo "$*" >> "$out.calls"
[ "$1" = version ] && { cat "$out.version" 2>/dev/null || echo '{"kubeone":{"gitVersion":"v1.14.1"}}'; exit 0; }
cp kubeone.yaml "$out.manifest"
echo 'INFO Installing prerequisites'
[ -e "$out.fail" ] && { cat "$out.fail" >&2; exit 1; }
[ "$1" = apply ] && [ ! -e "$out.nothing" ] && { echo 'kind: Config' > shop-kubeconfig; echo pki > shop.tar.gz; }
exit 0
`;

const kubernetes = (action: 'apply' | 'reset'): StagePlan => ({ stage: 'kubernetes', reasons: [], work: { action } });
const key = 'kubeconfigs/team/shop/shop-1234567';

let world: StageWorld;
let recordings: string;
let hosts: AnsweringHosts;
const calls = () => readFileSync(`${recordings}.calls`, 'utf8').trim().split('\n');

beforeEach(async () => {
  hosts = await answeringHosts();
  world = stageWorld();
  recordings = join(world.directory, 'recording');
  world.set('KUBELOOM_TEST_RECORDINGS', recordings);
  world.set('KUBELOOM_KUBEONE', world.script('kubeone', fakeKubeOne));
  for (const pool of ['control-aaaaaaa', 'workers-bbbbbbb']) {
    const { privateKey } = makeSshKeyPair(pool);
    await world.ports.secrets.put(`ssh/team/shop/shop-1234567/${pool}`, { privatekey: privateKey, publickey: '' });
  }
  await world.ports.secrets.put('user/team/basement-key', { privatekey: makeSshKeyPair('static').privateKey });
  await world.put(aDocument([kubernetes('apply')], { target: hosts.state() }), hosts.facts);
});
afterEach(async () => {
  world.close();
  await hosts.close();
});

describe('KubeOne apply', () => {
  it('the kubeconfig and the backup of the certificate authority are stored', async () => {
    const result = await world.run('kubernetes');
    expect(result).toMatchObject({ ok: true, summary: { kubernetesVersion: '1.34.2' } });
    expect(calls()).toEqual(['version', 'apply -m kubeone.yaml -y']);
    expect((await world.facts()).kubeconfigKey).toBe(key);
    expect(await world.ports.artifacts.getText(key)).toBe('kind: Config\n');
    expect(await world.ports.artifacts.getText('pki/team/shop/shop-1234567.tar.gz')).toBe('pki\n');
    expect((await world.facts()).simulated).toEqual([]);
  });

  it('a backup of the certificate authority that 0.1.0 kept next to the kubeconfig is moved', async () => {
    const former = `${key}.pki.tar.gz`;
    await world.ports.artifacts.putText(former, 'old');
    expect((await world.run('kubernetes')).ok).toBe(true);
    expect(await world.ports.artifacts.getText(former)).toBeUndefined();
  });

  it('a simulated control plane is recorded when the program reports one', async () => {
    writeFileSync(`${recordings}.version`, '{"kubeone":{"gitVersion":"v1.14.1","simulated":true}}');
    await world.run('kubernetes');
    expect((await world.facts()).simulated).toEqual(['control plane']);
    expect(await world.reported()).toEqual(['KubernetesInstalled: Kubernetes 1.34.2 runs (simulated control plane)']);
  });

  it('a KubeOne failure is reported with its last lines of output', async () => {
    writeFileSync(
      `${recordings}.fail`,
      'Error: workers-bbbbbbb-01: dial tcp 198.18.0.3:2222: connect: no route to host\n',
    );
    expect((await world.run('kubernetes')).error).toMatchObject({
      class: 'transient',
      code: 'HostUnreachable',
      resource: 'workers-bbbbbbb-01',
    });
  });

  it('add-ons are found in KUBELOOM_ADDONS and in the templates, and one that is nowhere stops the stage before KubeOne', async () => {
    const target = hosts.state({ kubernetesOptions: { addons: 'site' } });
    await world.put(aDocument([kubernetes('apply')], { target }), hosts.facts);
    expect((await world.run('kubernetes')).error).toMatchObject({ class: 'user', code: 'AddonsMissing' });
    expect(existsSync(`${recordings}.manifest`)).toBe(false);
    for (const place of [join(world.templates, 'addons'), join(world.directory, 'own')]) {
      mkdirSync(join(place, 'site'), { recursive: true });
      writeFileSync(join(place, 'site', 'network.yaml'), '');
      if (place.endsWith('own')) world.set('KUBELOOM_ADDONS', `/nowhere:${place}`);
      expect((await world.run('kubernetes')).ok).toBe(true);
      const { addons } = parse(readFileSync(`${recordings}.manifest`, 'utf8'));
      expect(addons).toEqual({ enable: true, path: join(place, 'site') });
    }
  });

  it('a missing kubeconfig fails the stage', async () => {
    writeFileSync(`${recordings}.nothing`, '');
    expect((await world.run('kubernetes')).error?.code).toBe('KubeconfigMissing');
  });

  it('the KubeOne release that supports the Kubernetes version is used when it is installed', async () => {
    world.set('KUBELOOM_KUBEONE', '');
    world.script('kubeone-1.14.1', fakeKubeOne);
    world.set('PATH', `${world.directory}:${process.env.PATH}`);
    expect((await world.run('kubernetes')).ok).toBe(true);
  });

  it('a kubeone of an earlier directory of the PATH comes before releases of a later one', async () => {
    world.set('KUBELOOM_KUBEONE', '');
    const later = join(world.directory, 'later');
    mkdirSync(later);
    world.script('later/kubeone-1.14.1', '#!/bin/bash\nexit 1\n');
    world.set('PATH', `${world.directory}:${later}:${process.env.PATH}`);
    expect((await world.run('kubernetes')).ok).toBe(true);
  });
});

describe('a machine that was lost and recreated', () => {
  /** Notes its calls; nodes are those of the files, etcd has the members b1, b2 of both control nodes. */
  const fakeKubectl = `#!/bin/bash
out=$KUBELOOM_TEST_RECORDINGS
cp "\${1#--kubeconfig=}" "$out.kubeconfig"
shift
echo "kubectl $*" >> "$out.calls"
case "$*" in
  get*) cat "$out.nodes";;
  version*) echo '{"serverVersion":{"gitVersion":"v1.33.7"}}';;
  *member\\ list*) echo '{"members":[{"ID":"b1","name":"control-aaaaaaa-01"},{"ID":"b2","name":"control-aaaaaaa-02"}]}';;
esac
`;
  /** Machines that are named in the file `bare` answer that kubeadm never ran on them, those in `deaf` not at all. */
  const fakeSsh = `#!/bin/bash
out=$KUBELOOM_TEST_RECORDINGS
node=$(grep -o 'known_hosts-[^ ]*' <<< "$*" | head -1); node=\${node#known_hosts-}
grep -qx "$node" "$out.deaf" 2>/dev/null && exit 255
case "$*" in
  *ca.crt) cat "$out.authority"; exit;;
  *reset*) [ ! -e "$out.unreset" ] || { echo 'the kubelet does not stop' >&2; exit 1; }
    echo "reset on $node" >> "$out.calls"; exit;;
esac
grep -qx "$node" "$out.bare" && echo kubeloom-joined-1 || echo kubeloom-joined-0
`;
  const lost = ['control-aaaaaaa-02', 'workers-bbbbbbb-01'];
  /** All have joined, apart from those of which Terraform has forgotten what was known. */
  const facts = (forgotten: readonly string[] = lost) => {
    const nodes = Object.entries(hosts.facts.nodes).map(([name, known]) => [
      name,
      forgotten.includes(name) ? known : { ...known, joined: true },
    ]);
    return { ...hosts.facts, kubeconfigKey: key, nodes: Object.fromEntries(nodes) };
  };
  const apply: StagePlan = { stage: 'kubernetes', reasons: [], work: { action: 'apply' } };
  /** So many that etcd keeps its quorum without one. */
  const threeControls = (change: Partial<ClusterState> = {}) => {
    const { pools } = hosts.state();
    const third = { name: 'control-aaaaaaa-03', privateAddress: '192.168.2.6' };
    return hosts.state({
      pools: pools.map((pool) => (pool.role === 'control' ? { ...pool, nodes: [...pool.nodes, third] } : pool)),
      ...change,
    });
  };
  const run = async (change: Partial<WaypointDocument> = {}, known = facts()) => {
    const state = threeControls();
    const document = { direction: 'repair', before: state, target: state, ...change } as const;
    await world.put(aDocument([apply], document), known);
    expect((await world.run('kubernetes')).error).toBeUndefined();
    return calls().map((call) => call.replace(/ --.*/, ''));
  };
  const removed = [
    'version',
    'kubectl get nodes -o json',
    'kubectl get pod -n kube-system etcd-control-aaaaaaa-01 -o jsonpath={.spec.containers[0].env[*].name}',
    'kubectl exec -n kube-system etcd-control-aaaaaaa-01',
    'kubectl exec -n kube-system etcd-control-aaaaaaa-01',
    'kubectl delete node control-aaaaaaa-02',
    'kubectl delete node workers-bbbbbbb-01',
    'apply -m kubeone.yaml -y',
  ];

  beforeEach(async () => {
    world.set('KUBELOOM_KUBECTL', world.script('kubectl', fakeKubectl));
    world.set('KUBELOOM_SSH', world.script('ssh', fakeSsh));
    writeFileSync(`${recordings}.bare`, lost.join('\n'));
    writeFileSync(`${recordings}.nodes`, JSON.stringify({ items: lost.map((name) => ({ metadata: { name } })) }));
    await world.ports.artifacts.putText(key, 'kind: Config');
  });

  it('the etcd member and the node of a lost machine are removed before KubeOne joins the new machine', async () => {
    expect(await run()).toEqual(removed);
    expect(calls()[4]).toMatch(/member remove b2$/);
    expect((await world.facts()).nodes['workers-bbbbbbb-01']).toMatchObject({ joined: false });
  });

  it('a machine that was recreated on the way to another change is joined, too', async () => {
    expect(await run({ direction: 'grow', before: threeControls({ loadBalancers: [] }) })).toEqual(removed);
  });

  it('a node is never removed while its machine runs Kubernetes, whatever is known of it', async () => {
    writeFileSync(`${recordings}.bare`, '');
    expect(await run()).toEqual(['version', 'apply -m kubeone.yaml -y']);
  });

  it('a node is not removed when its machine does not answer', async () => {
    writeFileSync(`${recordings}.deaf`, lost.join('\n'));
    expect(await run()).toEqual(['version', 'apply -m kubeone.yaml -y']);
  });

  it('a node is not removed when its machine does not let its user ask', async () => {
    world.script('sudo', '#!/bin/bash\necho "sudo: a password is required" >&2\nexit 1\n');
    // It runs what it is told to, as the machine would.
    world.set('KUBELOOM_SSH', world.script('ssh', `#!/bin/bash\nPATH=${world.directory}:$PATH bash -c "\${@: -1}"\n`));
    writeFileSync(`${recordings}.nodes`, JSON.stringify({ items: [{ metadata: { name: 'basement-01' } }] }));
    await run({}, facts(['basement-01']));
    expect(calls().filter((call) => call.includes('delete'))).toEqual([]);
  });

  it('a static machine that was reinstalled is joined by a repair that sets it up again', async () => {
    writeFileSync(`${recordings}.bare`, 'basement-01');
    const install: StagePlan = {
      stage: 'configuration',
      reasons: [],
      work: { install: ['basement-01'], peers: [], uninstall: [], loadBalancers: [], proxy: [] },
    };
    writeFileSync(`${recordings}.nodes`, JSON.stringify({ items: [{ metadata: { name: 'basement-01' } }] }));
    await run({ stages: [install, apply] }, facts([]));
    expect(calls().filter((call) => call.includes('delete'))).toEqual([
      expect.stringContaining('delete node basement-01'),
    ]);
  });

  it('a machine on which a join was cut off is reset before KubeOne joins it again', async () => {
    writeFileSync(`${recordings}.bare`, '');
    writeFileSync(`${recordings}.authority`, 'b3Vycw==');
    const kubeconfig =
      'clusters: [{ name: shop, cluster: { server: "https://x", certificate-authority-data: b3Vycw== } }]';
    await world.ports.artifacts.putText(key, kubeconfig);
    // The first has become a node all the same.
    writeFileSync(`${recordings}.nodes`, JSON.stringify({ items: [{ metadata: { name: lost[0] } }] }));
    expect(await run({ direction: 'grow' })).toEqual([
      'version',
      'kubectl get nodes -o json',
      'reset on workers-bbbbbbb-01',
      'apply -m kubeone.yaml -y',
    ]);
    expect((await world.reported()).join()).toContain('HalfJoinedReset: workers-bbbbbbb-01');
  });

  it('KubeOne is not run while a machine on which a join was cut off cannot be reset', async () => {
    writeFileSync(`${recordings}.bare`, '');
    writeFileSync(`${recordings}.authority`, 'b3Vycw==');
    writeFileSync(`${recordings}.unreset`, '');
    const kubeconfig =
      'clusters: [{ name: shop, cluster: { server: "https://x", certificate-authority-data: b3Vycw== } }]';
    await world.ports.artifacts.putText(key, kubeconfig);
    writeFileSync(`${recordings}.nodes`, JSON.stringify({ items: [{ metadata: { name: lost[0] } }] }));
    const state = threeControls();
    await world.put(aDocument([apply], { before: state, target: state }), facts());
    expect((await world.run('kubernetes')).error).toMatchObject({
      ...{ class: 'transient', code: 'NodeNotReset', resource: 'workers-bbbbbbb-01' },
      message: expect.stringContaining('the kubelet does not stop'),
    });
    expect((await world.reported()).join()).not.toContain('HalfJoinedReset');
    expect(calls().some((call) => call.startsWith('apply'))).toBe(false);
  });

  it('a machine with Kubernetes of another cluster is never reset', async () => {
    writeFileSync(`${recordings}.bare`, '');
    writeFileSync(`${recordings}.authority`, 'dGhlaXJz');
    const kubeconfig =
      'clusters: [{ name: shop, cluster: { server: "https://x", certificate-authority-data: b3Vycw== } }]';
    await world.ports.artifacts.putText(key, kubeconfig);
    expect(await run({ direction: 'grow' })).toEqual(['version', 'apply -m kubeone.yaml -y']);
  });

  it('kubectl asks the control node that is the endpoint now, wherever the stored kubeconfig leads', async () => {
    await world.ports.artifacts.putText(key, 'clusters:\n- cluster:\n    server: https://192.0.2.9:6443\n');
    const endpoint = threeControls({ apiEndpoint: { kind: 'node', node: 'control-aaaaaaa-01' } });
    await run({ before: endpoint, target: endpoint });
    expect(readFileSync(`${recordings}.kubeconfig`, 'utf8')).toContain('server: https://127.0.0.1:6443\n');
  });

  it('KubeOne is not run when the quorum of etcd was lost: it would make an empty cluster', async () => {
    writeFileSync(`${recordings}.bare`, ['control-aaaaaaa-01', ...lost].join('\n'));
    const state = threeControls();
    const known = facts(['control-aaaaaaa-01', ...lost]);
    await world.put(aDocument([apply], { direction: 'repair', before: state, target: state }), known);
    const { error } = await world.run('kubernetes');
    expect(error).toMatchObject({ class: 'user', code: 'ControlPlaneLost', resource: 'control-aaaaaaa-01' });
    expect(calls()).toEqual(['version']);
  });

  it('an upgrade removes nothing: KubeOne joins no node then', async () => {
    expect(await run({ direction: 'upgrade', before: threeControls({ kubernetesVersion: '1.33.7' }) })).toEqual([
      'version',
      'kubectl get nodes -o json',
      'kubectl version -o json',
      'apply -m kubeone.yaml -y',
    ]);
  });
});

describe('an upgrade that was cut off', () => {
  const fakeKubectl = `#!/bin/bash
out=$KUBELOOM_TEST_RECORDINGS
shift
echo "kubectl $*" >> "$out.calls"
case "$*" in
  get*) [ ! -e "$out.away" ] || { rm "$out.away"; echo 'The connection to the server was refused' >&2; exit 1; }
    cat "$out.nodes";;
  version*) cat "$out.server";;
esac
`;
  const label = 'kubeone.io/upgrade-in-progress';
  const node = (name: string, version: string, labels = {}) => ({
    metadata: { name, labels },
    status: { nodeInfo: { kubeletVersion: `v${version}` } },
  });
  const upgrade = async (server: string, nodes: readonly object[]) => {
    writeFileSync(`${recordings}.nodes`, JSON.stringify({ items: nodes }));
    writeFileSync(`${recordings}.server`, JSON.stringify({ serverVersion: { gitVersion: `v${server}` } }));
    const before = hosts.state({ kubernetesVersion: '1.34.1' });
    await world.put(aDocument([kubernetes('apply')], { direction: 'upgrade', before, target: hosts.state() }), {
      ...hosts.facts,
      kubeconfigKey: key,
    });
    expect((await world.run('kubernetes')).ok).toBe(true);
    return calls().map((call) => call.replace(/ --request.*/, ''));
  };

  beforeEach(async () => {
    world.set('KUBELOOM_KUBECTL', world.script('kubectl', fakeKubectl));
    await world.ports.artifacts.putText(key, 'kind: Config');
  });

  it('an upgrade waits while a user holds a node that is not upgraded yet', async () => {
    const lock = { 'kubeloom.dev/upgrade-lock': '' };
    const held = node('workers-bbbbbbb-01', '1.34.1', lock);
    await expect(upgrade('1.34.1', [held])).rejects.toThrow();
    expect(calls().some((call) => call.startsWith('apply'))).toBe(false);
    const { error } = await world.run('kubernetes');
    expect(error).toMatchObject({ class: 'conflict', code: 'NodeLocked', resource: 'workers-bbbbbbb-01' });
    expect(error?.hint).toContain('once the node may be upgraded');
    const made = await upgrade('1.34.1', [node('workers-bbbbbbb-01', '1.34.2', lock)]);
    expect(made.at(-1)).toMatch(/^apply/);
  });

  it('an upgrade that starts is left to KubeOne', async () => {
    const made = await upgrade('1.34.1', [node('control-aaaaaaa-01', '1.34.1')]);
    expect(made.at(-1)).toBe('apply -m kubeone.yaml -y');
  });

  it('a node at which KubeOne was killed is uncordoned and loses its label, and the upgrade is forced', async () => {
    const nodes = [node('control-aaaaaaa-01', '1.34.2', { [label]: '' }), node('workers-bbbbbbb-01', '1.34.2')];
    expect(await upgrade('1.34.2', nodes)).toEqual([
      'version',
      'kubectl get nodes -o json',
      'kubectl uncordon control-aaaaaaa-01',
      `kubectl label node control-aaaaaaa-01 ${label}-`,
      'apply -m kubeone.yaml -y --force-upgrade',
    ]);
    expect((await world.reported()).join()).toContain(
      'UpgradeResumed: an earlier upgrade to 1.34.2 was cut off at control',
    );
  });

  it('an API server that is restarted by what the killed KubeOne has started is waited for', async () => {
    writeFileSync(`${recordings}.away`, '');
    const made = await upgrade('1.34.2', [node('control-aaaaaaa-01', '1.34.1')]);
    expect(made.filter((call) => call.startsWith('kubectl get'))).toHaveLength(2);
    expect(made.at(-1)).toBe('apply -m kubeone.yaml -y --force-upgrade');
  });

  it('the upgrade is forced when the API server is upgraded and a kubelet is not', async () => {
    const made = await upgrade('1.34.2', [node('control-aaaaaaa-01', '1.34.2'), node('workers-bbbbbbb-01', '1.34.1')]);
    expect(made.at(-1)).toBe('apply -m kubeone.yaml -y --force-upgrade');
  });
});

describe('KubeOne reset', () => {
  const reset = (nodes: ClusterFacts['nodes'] = {}) =>
    world.put(aDocument([kubernetes('reset')], { before: hosts.state(), target: null }), {
      ...{ ...hosts.facts, nodes: { ...hosts.facts.nodes, ...nodes } },
      kubeconfigKey: key,
    });
  beforeEach(() => reset());

  it('a reset deletes the backup of the certificate authority, also where 0.1.0 kept it', async () => {
    const backups = ['pki/team/shop/shop-1234567.tar.gz', `${key}.pki.tar.gz`];
    for (const backup of backups) await world.ports.artifacts.putText(backup, 'pki');
    expect((await world.run('kubernetes')).ok).toBe(true);
    expect(await Promise.all(backups.map((backup) => world.ports.artifacts.getText(backup)))).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('a reset deletes the kubeconfig', async () => {
    await world.ports.artifacts.putText(key, 'kind: Config');
    expect((await world.run('kubernetes')).ok).toBe(true);
    const unasked = ['destroy-workers', 'remove-volumes', 'remove-lb-services'].map((option) => `--${option}=false`);
    expect(calls()[0]).toBe(`reset -m kubeone.yaml -y --remove-binaries ${unasked.join(' ')}`);
    expect(await world.ports.artifacts.list('kubeconfigs/')).toEqual([]);
    expect(await world.facts()).not.toHaveProperty('kubeconfigKey');
  });

  it('a reset goes on when a node could not be reset', async () => {
    writeFileSync(`${recordings}.fail`, 'Error: no route to host\n');
    expect((await world.run('kubernetes')).ok).toBe(true);
    expect((await world.reported()).join()).toContain('ResetIncomplete');
  });

  it('a reset works without nodes that do not answer', async () => {
    await reset({ 'workers-bbbbbbb-01': hosts.dead });
    expect((await world.run('kubernetes')).summary).toEqual({ nodesReset: 3 });
    expect(readFileSync(`${recordings}.manifest`, 'utf8')).not.toContain('workers-bbbbbbb-01');
  });

  it('KubeOne is not run for a reset when no control node answers', async () => {
    await reset({ 'control-aaaaaaa-01': hosts.dead, 'control-aaaaaaa-02': hosts.dead });
    expect((await world.run('kubernetes')).ok).toBe(true);
    expect(existsSync(`${recordings}.calls`)).toBe(false);
    expect((await world.reported()).join()).toContain('ResetIncomplete: no control node answers');
  });
});
