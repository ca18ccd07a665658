/** kubeone.yaml of every cluster state that the examples and the valid test manifests lead to, with invented addresses. */
import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { readObjects } from '#documents/read-objects.ts';
import { allNodes, type ClusterFacts, type ClusterState } from '#domain/cluster-state.ts';
import { type KubeOneRelease, kubeoneReleaseFor, kubeoneReleases } from '#domain/kubernetes-versions.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { buildDesiredState } from '#domain/planning/desired/build-desired-state.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { renderKubeOneManifest } from '#rendering/kubeone-manifest.ts';
import { countingIds } from '#test/planning/arbitraries.ts';

export interface RenderedManifest {
  readonly name: string;
  readonly manifest: string;
  /** The KubeOne that builds its Kubernetes version. */
  readonly release: KubeOneRelease;
}

const root = new URL('../../', import.meta.url);

export function renderedManifests(): readonly RenderedManifest[] {
  return ['examples/', 'test/manifests/valid/'].flatMap((directory) =>
    readdirSync(new URL(directory, root), { encoding: 'utf8' })
      .filter((file) => file.endsWith('.yaml'))
      .flatMap((file) =>
        manifestsIn(`${directory}${file}`).flatMap((manifest) => renderedFrom(`${directory}${file}`, manifest)),
      ),
  );
}

function manifestsIn(file: string): readonly InputManifest[] {
  const documents = parseAllDocuments(readFileSync(new URL(file, root), 'utf8'), { merge: true }).map((document) =>
    document.toJS(),
  );
  return documents
    .filter((document) => document?.kind === 'InputManifest')
    .flatMap((document) => validateManifest(document, { readObjects }).manifest ?? []);
}

function renderedFrom(file: string, manifest: InputManifest): readonly RenderedManifest[] {
  const ids = countingIds('h');
  return manifest.spec.kubernetes.clusters.flatMap(({ name: cluster }) => {
    const none = { cluster, current: null, attempted: null };
    const desired = buildDesiredState({ manifest, ...none, templates: {}, ids });
    const states = planClusterPath({ ...none, desired }).waypoints.flatMap(({ target }) => target ?? []);
    return states.map((state, index) => ({
      name: `${file} ${cluster} waypoint ${index + 1}`,
      manifest: renderKubeOneManifest({ state, facts: factsOf(state), keyDirectory: '/work/keys' }),
      release: kubeoneReleaseFor(state.kubernetesVersion) ?? kubeoneReleases[0],
    }));
  });
}

function factsOf(state: ClusterState): ClusterFacts {
  const nodes = allNodes(state).map(({ node }, index) => [node.name, { publicAddress: `198.51.100.${index + 1}` }]);
  return { nodes: Object.fromEntries(nodes), loadBalancers: {}, simulated: [] };
}
