/** What the nodes stage of a move does inside the cluster. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { StagePlan } from '#domain/plan.ts';
import { adminAuthority, kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from '../stage-world.ts';

const kubeconfig = 'kubeconfigs/team/shop/shop-1234567';
const plan: StagePlan = { stage: 'nodes', reasons: [], work: { patch: [], remove: [], maxUnavailable: 1 } };

let world: StageWorld;
let cluster: string;
const calls = () => readFileSync(join(cluster, 'calls'), { encoding: 'utf8', flag: 'a+' }).trim().split('\n');

describe('move of the API endpoint', () => {
  /** Has the three ConfigMaps, unless `empty` is there. */
  const withConfigMaps = `#!/bin/bash
cluster=$KUBELOOM_TEST_CLUSTER
shift
echo "$*" >> "$cluster/calls"
[ ! -e "$cluster/empty" ] || { echo "Error from server (NotFound): $3 not found" >&2; exit 1; }
[ "$1" = get ] && cat "$cluster/$3"
exit 0
`;
  const configMap = (name: string, key: string, text: string) =>
    writeFileSync(
      join(cluster, name),
      JSON.stringify({ metadata: { resourceVersion: '7' }, data: { [key]: text, other: 'stays' } }),
    );
  const patches = () =>
    calls().flatMap((call) => {
      const patch = /^patch configmap (\S+) .* -p (.*)$/.exec(call);
      return patch === null ? [] : [[patch[1], JSON.parse(patch[2] ?? '')] as const];
    });

  beforeEach(async () => {
    world = stageWorld();
    cluster = join(world.directory, 'cluster');
    mkdirSync(cluster);
    world.set('KUBELOOM_TEST_CLUSTER', cluster);
    world.set('KUBELOOM_KUBECTL', world.script('kubectl-maps', withConfigMaps));
    await world.ports.artifacts.putText(kubeconfig, kubeconfigTo());
    configMap(
      'cluster-info',
      'kubeconfig',
      'clusters:\n- name: ""\n  cluster: { server: "https://198.51.100.1:6443", certificate-authority-data: b2xk }\n',
    );
    configMap(
      'kubeadm-config',
      'ClusterConfiguration',
      'kind: ClusterConfiguration\ncontrolPlaneEndpoint: 198.51.100.1:6443\n',
    );
    configMap(
      'kube-proxy',
      'kubeconfig.conf',
      'clusters:\n- name: default\n  cluster: { certificate-authority: /ca.crt, server: "https://198.51.100.1:6443" }\n',
    );
    const before = twoProviderState({ apiEndpoint: { kind: 'node', node: 'control-aaaaaaa-01' } });
    await world.put(aDocument([plan], { direction: 'move', before }), twoProviderFacts);
  });

  afterEach(() => world.close());

  it('the new endpoint is written wherever the cluster names the old one, and all else stays', async () => {
    expect((await world.run('nodes')).ok).toBe(true);
    const [info, kubeadm, kubeProxy] = patches();
    expect(info?.[0]).toBe('cluster-info');
    expect(parse(info?.[1].data.kubeconfig).clusters).toEqual([
      { name: '', cluster: { server: 'https://shop.example.com:6443', 'certificate-authority-data': adminAuthority } },
    ]);
    expect(parse(kubeadm?.[1].data.ClusterConfiguration)).toEqual({
      kind: 'ClusterConfiguration',
      controlPlaneEndpoint: 'shop.example.com:6443',
      apiServer: { certSANs: ['shop.example.com', 'www.example.com', '198.51.100.1', '198.51.100.2'] },
    });
    expect(kubeadm?.[1]).toMatchObject({ metadata: { resourceVersion: '7' } });
    expect(parse(kubeProxy?.[1].data['kubeconfig.conf']).clusters).toEqual([
      { name: 'default', cluster: { 'certificate-authority': '/ca.crt', server: 'https://shop.example.com:6443' } },
    ]);
    expect(
      calls()
        .slice(-2)
        .map((call) => call.split(' ').slice(0, 4).join(' ')),
    ).toEqual(['rollout restart daemonset kube-proxy', 'rollout restart daemonset cilium']);
  });

  it('kubeadm learns the names of control nodes that came or went, and nothing else changes', async () => {
    const target = twoProviderState();
    const pools = target.pools.map((pool) =>
      pool.role === 'control' ? { ...pool, nodes: pool.nodes.slice(1) } : pool,
    );
    for (const states of [
      { direction: 'grow', before: twoProviderState({ pools }), target },
      { direction: 'shrink', before: target, target: twoProviderState({ pools }) },
    ] as const) {
      await world.put(aDocument([plan], states), twoProviderFacts);
      expect((await world.run('nodes')).ok).toBe(true);
    }
    const [grown, shrunk] = patches();
    expect(patches().map(([name]) => name)).toEqual(['kubeadm-config', 'kubeadm-config']);
    const named = { kind: 'ClusterConfiguration', controlPlaneEndpoint: '198.51.100.1:6443' };
    const names = ['shop.example.com', 'www.example.com', '198.51.100.1', '198.51.100.2'];
    expect(parse(grown?.[1].data.ClusterConfiguration)).toEqual({ ...named, apiServer: { certSANs: names } });
    const left = names.filter((name) => name !== '198.51.100.1');
    expect(parse(shrunk?.[1].data.ClusterConfiguration)).toEqual({ ...named, apiServer: { certSANs: left } });
  });

  it('a stage that changes no control node asks for no ConfigMap', async () => {
    await world.put(aDocument([plan], { direction: 'grow', before: twoProviderState() }), twoProviderFacts);
    expect((await world.run('nodes')).ok).toBe(true);
    expect(patches()).toEqual([]);
  });

  it('a cluster without those ConfigMaps is no error', async () => {
    writeFileSync(join(cluster, 'empty'), '');
    expect((await world.run('nodes')).ok).toBe(true);
    expect(patches()).toEqual([]);
  });
});
