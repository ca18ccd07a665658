/** The nodes stage with a kubectl that plays a small API server: four nodes, two of them members of etcd. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterState } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { fakeKubectl } from './fake-kubectl.ts';
import { aDocument, stageWorld } from './stage-world.ts';

export const nodesStage = (patch: string[], remove: string[] = [], maxUnavailable = 1): StagePlan => ({
  stage: 'nodes',
  reasons: [],
  work: { patch, remove, maxUnavailable },
});
export const kubeconfigKey = 'kubeconfigs/team/shop/shop-1234567';
export const controlNodes = ['control-aaaaaaa-01', 'control-aaaaaaa-02'];

export type KubectlWorld = Awaited<ReturnType<typeof kubectlWorld>>;

export async function kubectlWorld() {
  const world = stageWorld();
  const cluster = join(world.directory, 'cluster');
  const calls = () =>
    existsSync(join(cluster, 'calls')) ? readFileSync(join(cluster, 'calls'), 'utf8').trim().split('\n') : [];
  const fail = (command: string, node: string, words: string) =>
    writeFileSync(join(cluster, `fail-${command}-${node}`), words);
  /** A node of the cluster, by its name. */
  function live(name: string, change: LiveChange = {}): void {
    writeFileSync(join(cluster, 'nodes', name), nodeText(name, change));
  }
  /** From the first `command` on, this node no longer answers. */
  function dies(name: string, command: 'drain'): void {
    writeFileSync(join(cluster, `after-${command}-${name}`), nodeText(name, { ready: 'Unknown' }));
  }

  async function shrink(
    target: ClusterState,
    remove: string[],
    waitsSince: Record<string, string> = {},
  ): Promise<void> {
    const before = twoProviderState();
    await world.put(
      aDocument([nodesStage([], remove)], { direction: 'shrink', before, target, waitsSince }),
      twoProviderFacts,
    );
  }

  mkdirSync(join(cluster, 'nodes'), { recursive: true });
  world.set('KUBELOOM_TEST_CLUSTER', cluster);
  world.set('KUBELOOM_KUBECTL', world.script('kubectl', fakeKubectl));
  await world.ports.artifacts.putText(kubeconfigKey, kubeconfigTo());
  for (const name of [...controlNodes, 'workers-bbbbbbb-01', 'basement-01']) live(name);
  writeFileSync(
    join(cluster, 'members'),
    JSON.stringify({
      members: [
        { ID: 'a1', name: controlNodes[0] },
        { ID: 'b2', name: controlNodes[1] },
      ],
    }),
  );
  return { ...world, cluster, calls, fail, live, dies, shrink };
}

interface LiveChange {
  readonly ready?: string;
  readonly labels?: Record<string, string>;
  readonly taints?: readonly object[];
  readonly deleting?: boolean;
}

function nodeText(name: string, { ready = 'True', labels = {}, taints = [], deleting = false }: LiveChange): string {
  const deletion = deleting && { deletionTimestamp: '2026-11-23T02:00:00Z' };
  const metadata = { name, resourceVersion: '5', labels, ...deletion };
  return JSON.stringify({ metadata, spec: { taints }, status: { conditions: [{ type: 'Ready', status: ready }] } });
}
