/** The manifest of docs/healing.md does in the pipeline what the page says. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readObjects } from '#documents/read-objects.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { Pipeline } from './harness/pipeline.ts';
import { eventsOf, pass } from './harness/time.ts';

const file = new URL('../../examples/sim-healing.yaml', import.meta.url);

it('examples/sim-healing.yaml: an unhealthy node of a pool with repair is replaced, one of a protected pool is reported', async () => {
  const { manifest, faults } = validateManifest(parse(readFileSync(file, 'utf8')), { readObjects });
  expect(faults).toEqual([]);
  const pipeline = new Pipeline();
  await pipeline.apply(manifest);
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  const nodes = await pipeline.nodes('shop');
  const [web = '', data = ''] = ['web', 'data'].map((pool) => nodes.find((name) => name.startsWith(`${pool}-`)));
  for (const node of [web, data]) pipeline.runner.health.set(node, 'notReady');
  await pass(pipeline, 60);
  const after = await pipeline.nodes('shop');
  expect(after).toHaveLength(nodes.length);
  expect(nodes.filter((name) => !after.includes(name))).toEqual([web]);
  expect(await eventsOf(pipeline, 'RepairRefused')).toContain(
    `${data} is not replaced: the manifest says to report only`,
  );
});
