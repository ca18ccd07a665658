/** GET …/generations: the documents that are kept, newest first: when, by whom, why, and what each changed. */
import type { GenerationList } from '#contracts/http-generations.ts';
import { ManifestPath } from '#contracts/http-parameters.ts';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { viewer } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';

export const handler = httpHandler({ access: viewer, path: ManifestPath }, async ({ path }, deps) => {
  const generations = await deps.manifests.generations(path);
  if (generations.length === 0) await storedManifest(deps, path);
  const items = generations.map(({ generation, origin = {}, document }, place) => {
    const before = generations[place + 1];
    return {
      ...{ generation, current: place === 0, ...origin },
      changes: before ? [...documentChanges(before.document, document)] : null,
    };
  });
  return { status: 200, json: { items } satisfies GenerationList };
});
