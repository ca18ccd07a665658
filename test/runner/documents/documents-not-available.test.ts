/** What documents start may never work; nothing else of the cluster waits for it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waypointKeys } from '#contracts/stage.ts';
import type { DocumentState } from '#domain/cluster-documents.ts';
import { DriftReport } from '#domain/drift.ts';
import { prepareDocuments } from '#runner/documents/prepare-documents.ts';
import { settleDocuments } from '#runner/documents/settle-documents.ts';
import { checkDocuments } from '#runner/drift/check-documents.ts';
import { Kubectl } from '#runner/kubernetes/kubectl.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { aCheck, aDocument, prefix, type StageWorld, stageWorld } from '../stage-world.ts';

const of = (name: string, kind: string): DocumentState => ({
  name,
  version: 'inline',
  values: {},
  text: JSON.stringify({ apiVersion: 'apps/v1', kind, metadata: { name: 'web', namespace: 'shop' } }),
});
const documents = [of('broken', 'Deployment'), of('sound', 'ReplicaSet')];
const broken = 'apps/v1 Deployment shop/web';

let world: StageWorld;
beforeEach(async () => {
  world = stageWorld();
  world.set('KUBELOOM_SECOND_LOOK_SECONDS', '0');
  // Answers with what it is given: objects without any status.
  const answers = 'case "$*" in *" diff "*) cat >/dev/null ;; *) cat ;; esac';
  world.set('KUBELOOM_KUBECTL', world.script('kubectl', `#!/bin/sh\n${answers}\n`));
  await world.ports.artifacts.putText('kubeconfigs/team/shop/shop-1234567', kubeconfigTo());
});
afterEach(() => world.close());

test('documents that do not work after the wait are a warning, and the stage continues', async () => {
  const target = twoProviderState({ documents });
  const work = { patch: [], remove: [], maxUnavailable: 1, documents: [] };
  await world.put(aDocument([{ stage: 'nodes', reasons: [], work }], { direction: 'settle', before: target, target }));
  const result = await world.run('nodes', {
    tool: async (context) => {
      const prepared = await prepareDocuments(context, documents);
      const work = { prepared, contracts: new Map(), removed: [] };
      return settleDocuments(context, new Kubectl(context, 'none'), work, { totalMs: 0 });
    },
  });
  expect(result).toMatchObject({ ok: true, summary: { documentsApplied: 2 } });
  expect((await world.facts()).documents?.broken).toMatchObject({
    objects: [broken],
    hash: expect.stringMatching(/./),
  });
  const reported = (await world.reported()).filter((message) => message.startsWith('Documents'));
  expect(reported).toEqual([
    expect.stringContaining(
      `DocumentsNotAvailable: broken (inline) is in the cluster: 1 objects, but these do not work yet: ${broken}`,
    ),
    expect.stringContaining('DocumentsApplied: sound'),
  ]);
});

test('a drift check reports documents that do not work, and does not offer a repair', async () => {
  await world.put(aCheck(twoProviderState({ documents })));
  await world.checkDrift([checkDocuments]);
  const text = (await world.ports.artifacts.getText(waypointKeys.drift(prefix))) ?? '';
  expect(DriftReport.parse(JSON.parse(text))).toMatchObject({
    items: [
      { kind: 'document', where: { name: 'broken' }, message: expect.stringContaining(broken), repairable: false },
    ],
    unchecked: [],
  });
});

test('a component after one that does not work is not offered for repair: it waits', async () => {
  const answers =
    'case "$*" in *" diff "*) cat > "$0.$$"; grep -q ReplicaSet "$0.$$" && { echo "Files a/later and b/later differ"; exit 1; }; exit 0 ;; *) cat ;; esac';
  world.set('KUBELOOM_KUBECTL', world.script('kubectl', `#!/bin/sh\nset +e\n${answers}\n`));
  const itemsOf = async (kinds: Readonly<Record<string, string>>) => {
    const documents = Object.entries(kinds).map(([name, kind]) => of(name, kind));
    await world.put(aCheck(twoProviderState({ documents })));
    await world.checkDrift([checkDocuments]);
    const text = (await world.ports.artifacts.getText(waypointKeys.drift(prefix))) ?? '';
    return DriftReport.parse(JSON.parse(text)).items.map(({ where, repairable }) => [where.name, repairable]);
  };
  const later = { 'capi.infrastructure-demo': 'ReplicaSet' };
  expect(await itemsOf({ 'capi.cluster-api': 'Deployment', ...later })).toEqual([
    ['capi.cluster-api', false],
    ['capi.infrastructure-demo', false],
  ]);
});
