/** The undo of a roll-out of clusters with templates of their own, whose repository is gone by then. */
import { expect, it } from 'vitest';
import { callApi } from '#test/api/api-under-test.ts';
import { aTemplateReference } from '#test/api/documents.ts';
import { clusterNamed, environment, Fleet, fleet, nameOf, template } from './harness/fleet.ts';

const commits = { before: 'a'.repeat(40), after: 'b'.repeat(40) };

it('an undo takes the versions of templates from before, and asks no repository for them', async () => {
  const world = new Fleet();
  const { deps } = world.pipeline;
  let now: string | undefined = commits.before;
  Object.assign(deps, {
    templateSources: {
      resolve: async () => (now === undefined ? { reason: 'the repository is gone', fix: 'retry' } : { commit: now }),
    },
  });
  const reference = { ...aTemplateReference(), metadata: { name: 'own-templates', namespace: fleet } };
  await callApi(deps, 'PUT', `/v1/templates/${fleet}/own-templates`, { body: reference });
  const { document } = template.spec;
  const providers = [{ name: 'sim-1', providerType: 'sim', templatesRef: { name: 'own-templates' } }];
  const own = { ...template, spec: { ...template.spec, document: { spec: { ...document.spec, providers } } } };
  for (const one of [environment('1.35.2'), own, clusterNamed(nameOf(0))]) await world.put(one);
  await world.pipeline.settle();
  const pinned = async () => (await deps.manifests.get({ namespace: fleet, name: nameOf(0) }))?.templates?.['sim-1'];
  expect(await pinned()).toContain(commits.before);

  now = commits.after;
  const { json, text } = await world.start(environment('1.35.2', 2), '?soak=0s');
  await world.pipeline.rollOut();
  expect(await pinned(), text).toContain(commits.after);

  now = undefined;
  const id = String(json.id);
  expect((await world.verb('undo', id)).status).toBe(202);
  await world.pipeline.rollOut();
  expect(await world.rollOut(id)).toMatchObject({ status: 'Undone', states: { undone: 1 } });
  expect(await pinned()).toContain(commits.before);
});
