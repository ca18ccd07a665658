/** The documents of a manifest that are kept: when, by whom, why, and what each changed. */
import { operations } from '#contracts/operations/operations.ts';
import type { ManifestKey } from '#contracts/records.ts';
import { documentPatch } from '#documents/document-patch.ts';
import { PipelineError } from '#domain/errors.ts';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { storedManifest } from '../pipeline/records/stored-manifest.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { handle } from './http/handle.ts';

/** Newest first. */
export const listGenerations = handle(operations.listGenerations, async ({ path }, deps) => {
  const generations = await deps.manifests.generations(path);
  if (generations.length === 0) await storedManifest(deps, path);
  const items = generations.map(({ generation, origin = {}, document }, place) => {
    const before = generations[place + 1];
    return {
      generation,
      current: place === 0,
      ...origin,
      changes: before ? [...documentChanges(before.document, document)] : null,
    };
  });
  return { json: { items } };
});

export const getGeneration = handle(operations.getGeneration, async ({ path }, deps) => {
  const generations = await deps.manifests.generations(path);
  const found = generations.find(({ generation }) => generation === path.generation);
  if (!found) throw await notKept(deps, path, path.generation, generations);
  const { generation, document, origin = {} } = found;
  return { json: { generation, current: found === generations[0], ...origin, document } };
});

export const diffGenerations = handle(operations.diffGenerations, async ({ path, query }, deps) => {
  const generations = await deps.manifests.generations(path);
  const to = generations.find(({ generation }) => generation === path.generation);
  if (!to) throw await notKept(deps, path, path.generation, generations);
  const before = generations.find(({ generation }) => generation < to.generation);
  const from = query.from === undefined ? before : generations.find(({ generation }) => generation === query.from);
  if (!from) throw await notKept(deps, path, query.from ?? to.generation - 1, generations);
  const titled = ({ generation, document }: typeof to) => ({
    title: `${path.namespace}/${path.name} (generation ${generation})`,
    document,
  });
  return {
    json: {
      from: from.generation,
      to: to.generation,
      changes: [...documentChanges(from.document, to.document)],
      diff: documentPatch(titled(from), titled(to)),
    },
  };
});

/** Throws `NotFound` when there is no manifest either. */
async function notKept(
  deps: ApiPorts,
  key: ManifestKey,
  generation: number,
  generations: readonly { readonly generation: number }[],
): Promise<PipelineError> {
  const { name } = await storedManifest(deps, key);
  const kept = generations.map((one) => one.generation).join(', ');
  return new PipelineError(
    'NotFound',
    `generation ${generation} of manifest "${name}" is not kept; these are: ${kept}`,
  );
}
