/** The manifest of docs/storage.md does in the pipeline what the page says. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readObjects } from '#documents/read-objects.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { Pipeline } from './harness/pipeline.ts';

const file = new URL('../../examples/sim-storage.yaml', import.meta.url);

it('examples/sim-storage.yaml: a cluster gets Longhorn, a class for each provider instance, and the documents of its own; a pool that leaves takes its class with it', async () => {
  const text = readFileSync(file, 'utf8');
  const { manifest, faults, warnings } = validateManifest(parse(text), { readObjects });
  expect([faults, warnings]).toEqual([[], []]);
  // Runners of an installation in AWS have the file of Longhorn.
  const pipeline = new Pipeline({ KUBELOOM_UPSTREAM_DOCUMENTS: 'longhorn' });
  await pipeline.apply(manifest);
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  const documents = async () => (await pipeline.cluster('storage')).current?.documents ?? [];
  expect((await documents()).map(({ name }) => name)).toEqual(['longhorn', 'longhorn-classes', 'team-namespaces']);
  expect((await documents())[1]?.values).toEqual({ zone: ['sim-1-zone', 'sim-2-zone'] });

  const one = parse(text.replace('compute: [disks-1, disks-2]', 'compute: [disks-1]'));
  one.spec.nodePools.dynamic = one.spec.nodePools.dynamic.filter(({ name }: { name: string }) => name !== 'disks-2');
  await pipeline.apply(validateManifest(one, { readObjects }).manifest);
  expect((await documents())[1]?.values).toEqual({ zone: ['sim-1-zone'] });
});
