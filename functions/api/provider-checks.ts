/** Checks of the credentials of a provider instance: a runner tries them; nothing is changed. */
import { pathOf } from '#contracts/operations/operation.ts';
import { operations } from '#contracts/operations/operations.ts';
import { readProviderCheck, startProviderCheck } from '../pipeline/jobs/provider-checks.ts';
import { recordManifestChange } from '../pipeline/records/audit-event.ts';
import { storedManifest } from '../pipeline/records/stored-manifest.ts';
import { handle } from './http/handle.ts';

export const checkProvider = handle(operations.checkProvider, async ({ path, caller }, deps) => {
  const { namespace, name, provider } = path;
  const stored = await storedManifest(deps, { namespace, name });
  const id = await startProviderCheck(deps, stored, provider);
  await recordManifestChange(deps, stored, `check of the credentials of provider "${provider}" requested`, caller);
  const check = pathOf(operations.getProviderCheck, { ...path, check: id });
  return { json: { namespace, name, provider, id, links: { check } } };
});

export const getProviderCheck = handle(operations.getProviderCheck, async ({ path }, deps) => {
  const { check, ...instance } = path;
  return { json: await readProviderCheck(deps, instance, check) };
});
