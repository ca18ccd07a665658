/** Components of Cluster API in the nodes stage: files of releases that an installation has, and a cluster that plays kubectl. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { StageResult, WaypointDocument } from '#contracts/stage.ts';
import type { ComponentState, DocumentState } from '#domain/cluster-documents.ts';
import { type ClusterFacts, noFacts } from '#domain/cluster-state.ts';
import { prepareDocuments } from '#runner/documents/prepare-documents.ts';
import { settleDocuments } from '#runner/documents/settle-documents.ts';
import { Kubectl } from '#runner/kubernetes/kubectl.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from './stage-world.ts';

export const sumOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** A namespace with a Secret whose password is a variable. */
export const objects = (name: string, more = '') =>
  `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${name}-system }\n---\napiVersion: v1\nkind: Secret\nmetadata: { name: login, namespace: ${name}-system }\nstringData: { password: "\${PASSWORD:=none}" }\n${more}`;

/** One more object of a file. */
export const yamlOf = (object: object) => `---\n${JSON.stringify(object)}\n`;

const series = (contract: string) =>
  `kind: Metadata\nreleaseSeries:\n${[10, 11, 12].map((minor) => `- { major: 1, minor: ${minor}, contract: ${contract} }\n`).join('')}`;

/** Versions of gardens, which are stored in the last of these versions. */
export const definition = (versions: readonly string[], annotations: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gardens.demo.example', annotations },
  spec: {
    group: 'demo.example',
    scope: 'Namespaced',
    names: { kind: 'Garden', plural: 'gardens' },
    versions: versions.map((name, index) => ({ name, served: true, storage: index === versions.length - 1 })),
  },
});

export interface ComponentWorld extends StageWorld {
  /** What the cluster has from now on. */
  live(...items: readonly object[]): void;
  /** A file that the installation has, by its sum. */
  kept(text: string): ComponentState['source'];
  component(provider: string, text: string, change?: Partial<ComponentState>, contract?: string): DocumentState;
  /** The nodes stage, from these documents to themselves. `changing`: those that are applied. */
  apply(
    documents: readonly DocumentState[],
    facts?: ClusterFacts,
    changing?: readonly DocumentState[],
  ): Promise<StageResult>;
  /** Without waiting for what does not work yet; `removed`: documents that are not desired any more. */
  settleAtOnce(
    documents: readonly DocumentState[],
    facts?: ClusterFacts,
    removed?: readonly string[],
    change?: Partial<WaypointDocument>,
  ): Promise<{ readonly result: StageResult; readonly facts: ClusterFacts }>;
  /** What kubectl was given. */
  given(name: 'applied' | 'deleted'): string;
}

export async function componentWorld(environment: Readonly<Record<string, string>> = {}): Promise<ComponentWorld> {
  const world = stageWorld(environment);
  const { directory } = world;
  const live = (...items: readonly object[]) =>
    writeFileSync(join(directory, 'live'), JSON.stringify({ kind: 'List', items }));
  const kept = (text: string) => {
    writeFileSync(join(directory, sumOf(text)), text);
    return { url: 'https://releases.example/file.yaml', sha256: sumOf(text) };
  };
  const put = (
    documents: readonly DocumentState[],
    facts: ClusterFacts,
    changing: readonly DocumentState[],
    change: Partial<WaypointDocument> = {},
  ) => {
    const target = twoProviderState({ documents: [...documents] });
    const wanted = changing.map(({ name, version }) => ({ name, version }));
    const work = { patch: [], remove: [], maxUnavailable: 1, documents: wanted };
    const stages = [{ stage: 'nodes' as const, reasons: [], work }];
    return world.put(aDocument(stages, { direction: 'settle', before: target, target, facts, ...change }), facts);
  };
  world.set('KUBELOOM_DOCUMENTS', directory);
  live();
  const script = [
    'case "$*" in',
    `*api-versions*) echo apiextensions.k8s.io/v1; cat ${directory}/versions 2>/dev/null;;`,
    `*" get "*) cat >/dev/null; cat ${directory}/live;;`,
    `*" apply "*) cat | tee -a ${directory}/applied;;`,
    `*" delete "*) cat >> ${directory}/deleted;;`,
    'esac; exit 0',
  ];
  world.set('KUBELOOM_KUBECTL', world.script('kubectl', `#!/bin/sh\n${script.join('\n')}\n`));
  await world.ports.artifacts.putText('kubeconfigs/team/shop/shop-1234567', kubeconfigTo());
  return {
    ...world,
    live,
    kept,
    component(provider, text, change = {}, contract = 'v1beta2') {
      const kind = provider === 'cluster-api' ? 'core' : 'infrastructure';
      return {
        name: `capi.${provider}`,
        version: 'component@v1.11.1',
        values: {},
        component: { kind, provider, source: kept(text), metadata: kept(series(contract)), ...change },
      };
    },
    async apply(documents, facts = noFacts, changing = documents) {
      await put(documents, facts, changing);
      return world.run('nodes');
    },
    async settleAtOnce(documents, facts = noFacts, removed = [], change = {}) {
      await put(documents, facts, documents, change);
      const result = await world.run('nodes', {
        tool: async (context) => {
          const prepared = await prepareDocuments(context, documents);
          const work = { prepared, contracts: new Map(), removed };
          return settleDocuments(context, new Kubectl(context, 'none'), work, { totalMs: 0 });
        },
      });
      expect(result.error?.class).not.toBe('bug');
      return { result, facts: await world.facts() };
    },
    given(name) {
      const file = join(directory, name);
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    },
  };
}
