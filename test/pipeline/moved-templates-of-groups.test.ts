/** Machine groups whose templates move: the same word as for clusters. */
import { expect, it } from 'vitest';
import { aTemplateReference } from '#test/api/documents.ts';
import { groupsWith, leaf } from '#test/machine-groups/groups.ts';
import { Pipeline } from './harness/pipeline.ts';
import { eventsOf, pass } from './harness/time.ts';

it('machines of groups are replaced when their templates move and the document says so', async () => {
  const pipeline = new Pipeline();
  await pipeline.deps.templateReferences.put('team', 'own', aTemplateReference('own'));
  const branch = { at: 'a' };
  Object.assign(pipeline.deps, { templateSources: { resolve: async () => ({ commit: branch.at.repeat(40) }) } });
  const providers = [{ name: 'sim-1', providerType: 'sim', templatesRef: { name: 'own' } }];
  const document = groupsWith({ web: { ...leaf, size: 6 } }, { providers, onTemplates: 'replace' }, 'web');
  const body = { ...document, metadata: { name: 'shop', namespace: 'team' } };
  expect((await pipeline.call('', { method: 'PUT', body })).status).toBe(202);
  await pipeline.settle();
  const before = await pipeline.nodes('shop');
  branch.at = 'b';
  await pass(pipeline, 7 * 60, 60);
  const after = await pipeline.nodes('shop');
  expect(after).toHaveLength(before.length);
  expect(after.filter((node) => before.includes(node))).toEqual([]);
  expect(await eventsOf(pipeline, 'TemplatesTaken')).toHaveLength(1);
});
