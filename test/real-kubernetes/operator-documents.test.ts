/** The CustomResourceDefinitions in a real kube-apiserver: it takes what users have, and what it makes of it means the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDocuments } from '#documents/parse-documents.ts';
import { readObjects } from '#documents/read-objects.ts';
import { withoutServerFields } from '#domain/manifest/faults/kubernetes-document.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import {
  azureFolder,
  examplesFolder,
  filesIn,
  filesOfSequence,
  sequenceNames,
  shortName,
  validFolder,
} from '#test/manifest/manifest-files.ts';
import { BareApiServer } from './bare-api-server.ts';
import { kubectlOf, repository, simManifest } from './operator-world.ts';

let server: BareApiServer;
beforeAll(async () => {
  server = await BareApiServer.start();
  await kubectlOf(server, ['apply', '-f', join(repository, 'operator/chart/crds')]);
  await kubectlOf(server, ['wait', '--for=condition=Established', 'crd', '--all']);
});
afterAll(() => server?.stop());

type Document = { readonly kind: string; readonly metadata: { readonly name: string; readonly namespace?: string } };

const files = [
  ...filesIn(examplesFolder, '*.yaml'),
  ...filesIn(validFolder, '*'),
  ...filesIn(azureFolder, '*.yaml'),
  ...sequenceNames.flatMap((name) => filesOfSequence(name)),
];
const documents = files.flatMap((file) =>
  (parseDocuments(readFileSync(file)).documents as readonly Document[])
    .filter(({ kind }) => kind === 'InputManifest' || kind === 'TemplateGitReference')
    .map((document) => ({
      title: `${document.kind} ${shortName(file)}`,
      document: withoutServerFields(document) as Document,
    })),
);

/** As the API server would store it; nothing is stored. */
async function stored(document: unknown): Promise<Document> {
  return JSON.parse(
    await kubectlOf(server, ['create', '--dry-run=server', '-o', 'json', '-f', '-'], JSON.stringify(document)),
  );
}

describe('the CustomResourceDefinitions', () => {
  test('each is structural and established', async () => {
    const { items } = JSON.parse(await kubectlOf(server, ['get', 'crd', '-o', 'json']));
    const bad = items.flatMap(({ status }: { status: { conditions: { type: string }[] } }) =>
      status.conditions.filter(({ type }) => type === 'NonStructuralSchema'),
    );
    expect(items).toHaveLength(4);
    expect(bad).toEqual([]);
  });

  test.each(documents)('$title is accepted and keeps its meaning', async ({ document }) => {
    const { namespace } = document.metadata;
    if (namespace !== undefined) await kubectlOf(server, ['create', 'namespace', namespace]).catch(() => {});
    const kept = await stored(document);
    expect(kept.kind).toBe(document.kind);
    if (document.kind !== 'InputManifest') return;
    const [before, after] = [validateManifest(document, { readObjects }), validateManifest(kept, { readObjects })];
    expect(after.faults).toEqual(before.faults);
    // The API server sorts keys, and warnings come in the order of the document.
    const places = (verdict: typeof before) => verdict.warnings.map(({ path }) => path).toSorted();
    expect(places(after)).toEqual(places(before));
    expect(after.manifest?.spec).toEqual(before.manifest?.spec);
  });

  test('documents of Claudie users are accepted: null as absent, an empty host name, names of roles with capitals and "_"', async () => {
    const document = simManifest('as-written');
    const { spec } = document;
    const written = {
      ...document,
      apiVersion: 'claudie.io/v1beta1',
      spec: {
        ...spec,
        providers: [{ ...spec.providers[0], templatesRef: null }],
        nodePools: { ...spec.nodePools, static: null },
        loadBalancers: {
          roles: [
            {
              name: 'API_Server',
              protocol: 'tcp',
              port: 6443,
              targetPort: 6443,
              targetPools: ['control'],
              target: null,
            },
          ],
          clusters: [
            {
              name: 'front',
              roles: ['API_Server'],
              targetedK8s: 'as-written-one',
              pools: ['control'],
              dns: { dnsZone: 'example.com', provider: 'sim-1', hostname: '' },
            },
          ],
        },
      },
    };
    const list = { apiVersion: 'v1', kind: 'List', items: [written] };
    const kept = (await stored(list)) as unknown as { items?: Document[] } & Document;
    const [one = kept] = kept.items ?? [];
    expect(validateManifest(one, { readObjects }).faults).toEqual(validateManifest(written, { readObjects }).faults);
  });

  test.each([
    ['`min` is more than `max`', { count: undefined, autoscaler: { min: 3, max: 2 } }],
    ['give either `count`, at least 1, or `autoscaler`', { autoscaler: { min: 1, max: 2 } }],
    ['`cpuCount` and `memory` go together', { machineSpec: { cpuCount: 2 } }],
  ])('a pool that breaks a rule between its fields is refused at once: %s', async (sentence, change) => {
    const document = simManifest('broken');
    Object.assign(document.spec.nodePools.dynamic[1] ?? {}, change);
    await expect(stored(document)).rejects.toThrow(sentence);
  });

  test('a field that does not exist is refused by kubectl', async () => {
    const document = { ...simManifest('slip'), spec: { ...simManifest('slip').spec, nodePool: {} } };
    await expect(stored(document)).rejects.toThrow('unknown field "spec.nodePool"');
  });
});
