/** The documents of a manifest that are kept: when, by whom, why, and what each changed. */
import { operations } from '#contracts/operations/operations.ts';
import { PipelineError } from '#domain/errors.ts';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';
import { handle } from './handle.ts';

/** Newest first. */
export const listGenerations = handle(operations.listGenerations, async ({ path }, deps) => {
  const generations = await deps.manifests.generations(path);
  if (generations.length === 0) await storedManifest(deps, path);
  const items = generations.map(({ generation, origin = {}, document }, place) => {
    const before = generations[place + 1];
    return {
      ...{ generation, current: place === 0, ...origin },
      changes: before ? [...documentChanges(before.document, document)] : null,
    };
  });
  return { json: { items } };
});

export const getGeneration = handle(operations.getGeneration, async ({ path }, deps) => {
  const generations = await deps.manifests.generations(path);
  const found = generations.find(({ generation }) => generation === path.generation);
  if (!found) {
    const { name } = await storedManifest(deps, path);
    const kept = generations.map(({ generation }) => generation).join(', ');
    const message = `generation ${path.generation} of manifest "${name}" is not kept; these are: ${kept}`;
    throw new PipelineError('NotFound', message);
  }
  const { generation, document, origin = {} } = found;
  return { json: { generation, current: found === generations[0], ...origin, document } };
});
