/** GET …/generations/{generation}: a document as it was accepted; of the newest generation or of one that is kept. */
import type { Generation } from '#contracts/http-generations.ts';
import { GenerationPath } from '#contracts/http-parameters.ts';
import { PipelineError } from '#domain/errors.ts';
import { viewer } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';

export const handler = httpHandler({ access: viewer, path: GenerationPath }, async ({ path }, deps) => {
  const generations = await deps.manifests.generations(path);
  const found = generations.find(({ generation }) => generation === path.generation);
  if (!found) {
    const { name } = await storedManifest(deps, path);
    const kept = generations.map(({ generation }) => generation).join(', ');
    const message = `generation ${path.generation} of manifest "${name}" is not kept; these are: ${kept}`;
    throw new PipelineError('NotFound', message);
  }
  const { generation, document, origin = {} } = found;
  const json: Generation = { generation, current: found === generations[0], ...origin, document };
  return { status: 200, json };
});
