/** Checks of the credentials of a provider instance: a runner tries them; nothing is changed. */
import { operations } from '#contracts/operations/operations.ts';
import { readProviderCheck, startProviderCheck } from '../pipeline/jobs/provider-checks.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';
import { recordManifestChange } from './audit-event.ts';
import { handle } from './handle.ts';
import { checkPath } from './views/api-paths.ts';

export const checkProvider = handle(operations.checkProvider, async ({ path, caller }, deps) => {
  const { namespace, name, provider } = path;
  const stored = await storedManifest(deps, { namespace, name });
  const id = await startProviderCheck(deps, stored, provider);
  await recordManifestChange(deps, stored, `check of the credentials of provider "${provider}", asked for`, caller);
  return { json: { ...{ namespace, name, provider, id }, links: { check: checkPath(path, id) } } };
});

export const getProviderCheck = handle(operations.getProviderCheck, async ({ path }, deps) => {
  const { check, ...instance } = path;
  return { json: await readProviderCheck(deps, instance, check) };
});
