/** The kubernetes stage after a machine was lost: what is removed and reset before KubeOne joins the new one, and what never is. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WaypointDocument } from '#contracts/stage.ts';
import type { ClusterState } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { adminAuthority, kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { calls, closeKubeOne, hosts, key, openKubeOne, recordings, world } from '../recorded-kubeone.ts';
import { aDocument } from '../stage-world.ts';

beforeEach(openKubeOne);
afterEach(closeKubeOne);

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
    await world.ports.artifacts.putText(key, kubeconfigTo());
  });

  it('the etcd member and the node of a lost machine are removed before KubeOne joins the new machine', async () => {
    expect(await run()).toEqual(removed);
    expect(calls()[4]).toMatch(/member remove b2$/);
    expect((await world.facts()).nodes['workers-bbbbbbb-01']).toMatchObject({ joined: false });
  });

  it('a machine that was recreated on the way to another change is joined, too', async () => {
    expect(await run({ direction: 'grow', before: threeControls({ loadBalancers: [] }) })).toEqual(removed);
  });

  it('a node is never removed while its machine runs Kubernetes, even if it is recorded as gone', async () => {
    writeFileSync(`${recordings}.bare`, '');
    expect(await run()).toEqual(['version', 'apply -m kubeone.yaml -y']);
  });

  it('a node is not removed when its machine does not answer', async () => {
    writeFileSync(`${recordings}.deaf`, lost.join('\n'));
    expect(await run()).toEqual(['version', 'apply -m kubeone.yaml -y']);
  });

  it('a node is not removed when the user cannot run the check on its machine', async () => {
    world.script('sudo', '#!/bin/bash\necho "sudo: a password is required" >&2\nexit 1\n');
    // It runs the given command, as the machine would.
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

  it('a machine on which a join was interrupted is reset before KubeOne joins it again', async () => {
    writeFileSync(`${recordings}.bare`, '');
    writeFileSync(`${recordings}.authority`, adminAuthority);
    await world.ports.artifacts.putText(key, kubeconfigTo());
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

  it('KubeOne is not run while a machine on which a join was interrupted cannot be reset', async () => {
    writeFileSync(`${recordings}.bare`, '');
    writeFileSync(`${recordings}.authority`, adminAuthority);
    writeFileSync(`${recordings}.unreset`, '');
    await world.ports.artifacts.putText(key, kubeconfigTo());
    writeFileSync(`${recordings}.nodes`, JSON.stringify({ items: [{ metadata: { name: lost[0] } }] }));
    const state = threeControls();
    await world.put(aDocument([apply], { before: state, target: state }), facts());
    expect((await world.run('kubernetes')).error).toMatchObject({
      class: 'transient',
      code: 'NodeNotReset',
      resource: 'workers-bbbbbbb-01',
      message: expect.stringContaining('the kubelet does not stop'),
    });
    expect((await world.reported()).join()).not.toContain('HalfJoinedReset');
    expect(calls().some((call) => call.startsWith('apply'))).toBe(false);
  });

  it('a machine with Kubernetes of another cluster is never reset', async () => {
    writeFileSync(`${recordings}.bare`, '');
    writeFileSync(`${recordings}.authority`, 'dGhlaXJz');
    await world.ports.artifacts.putText(key, kubeconfigTo());
    expect(await run({ direction: 'grow' })).toEqual(['version', 'apply -m kubeone.yaml -y']);
  });

  it('kubectl asks the control node that is the endpoint now, wherever the stored kubeconfig leads', async () => {
    await world.ports.artifacts.putText(key, kubeconfigTo('https://192.0.2.9:6443'));
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
