/** POST …/rollback: the newest earlier document that differs becomes the next generation, judged like any other. */
import { ManifestPath } from '#contracts/http-parameters.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { operator } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { checksumOf } from '../pipeline/checksum.ts';
import { storedManifest } from '../pipeline/stored-manifest.ts';
import type { Deps } from '../ports.ts';
import { checkPreconditions } from './manifest-version.ts';
import { refuseVerb } from './refuse-verb.ts';
import { submitDocument } from './submit-document.ts';

export const handler = httpHandler(
  { access: operator, path: ManifestPath },
  async ({ path, headers, caller }, deps) => {
    const stored = await storedManifest(deps, path);
    checkPreconditions(headers, path, stored);
    if (stored.deleting) throw refuseVerb(stored, 'rolled back', 'it is being deleted; apply a document to keep it');
    const { generation, document } = await documentBefore(deps, stored);
    return submitDocument(deps, path, { document, stored, caller, reason: `rolled back to generation ${generation}` });
  },
);

async function documentBefore(
  deps: Pick<Deps, 'manifests'>,
  stored: ManifestRecord,
): Promise<{ readonly generation: number; readonly document: unknown }> {
  for (let generation = stored.generation - 1; generation > 0; generation--) {
    const document = await deps.manifests.documentOf(stored, generation);
    if (document === undefined) break;
    if (checksumOf(document) !== stored.checksum) return { generation, document };
  }
  throw refuseVerb(stored, 'rolled back', 'no earlier document that differs is kept; apply the one you want');
}
