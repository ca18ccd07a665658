/** Applies documents that come with Kubeloom to a real API server, by the code of the nodes stage. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StageResult } from '#contracts/stage.ts';
import { type DocumentState, hasAgent } from '#domain/cluster-documents.ts';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import { prepareDocuments } from '#runner/documents/prepare-documents.ts';
import { settleDocuments } from '#runner/documents/settle-documents.ts';
import { Kubectl } from '#runner/kubernetes/kubectl.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { aDocument, stageWorld } from '#test/runner/stage-world.ts';
import { buildAgent } from '../../runner-images/bundle-runner.ts';
import type { BareApiServer } from './bare-api-server.ts';

/** It does not wait for pods, which never start without nodes. */
export async function applyBuiltin(
  server: BareApiServer,
  documents: readonly DocumentState[],
): Promise<{ readonly result: StageResult; readonly facts: ClusterFacts }> {
  const world = stageWorld();
  try {
    world.set('KUBELOOM_KUBECTL', server.kubectl);
    const kubernetes = join(world.templates, 'kubernetes');
    mkdirSync(join(kubernetes, 'upstream'), { recursive: true });
    if (documents.some(hasAgent)) await buildAgent(join(kubernetes, 'upstream', 'agent.mjs'));
    for (const { name } of documents) {
      const templates = fileURLToPath(new URL(`../../templates/kubernetes/${name}`, import.meta.url));
      cpSync(templates, join(kubernetes, name), { recursive: true });
    }
    const named = documents.map(({ name, version }) => ({ name, version }));
    const work = { patch: [], remove: [], maxUnavailable: 1, documents: named };
    const target = twoProviderState({ documents: [...documents] });
    await world.put(
      aDocument([{ stage: 'nodes', reasons: [], work }], { direction: 'settle', before: target, target }),
    );
    const result = await world.run('nodes', {
      tool: async (context) => {
        const prepared = await prepareDocuments(context, documents);
        const kubectl = new Kubectl(context, server.adminFile());
        return settleDocuments(context, kubectl, { prepared, contracts: new Map(), removed: [] }, { totalMs: 0 });
      },
    });
    if (!result.ok) throw new Error(result.error?.message);
    return { result, facts: await world.facts() };
  } finally {
    world.close();
  }
}
