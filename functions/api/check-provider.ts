/** POST …/providers/{provider}/check: a runner tries the credentials of a provider instance; nothing is changed. */
import type { CheckAccepted } from '#contracts/http-checks.ts';
import { ProviderPath } from '#contracts/http-parameters.ts';
import { operator } from '../caller.ts';
import { httpHandler } from '../middleware.ts';
import { startProviderCheck } from '../pipeline/jobs/provider-checks.ts';
import { storedManifest } from '../pipeline/manifests/stored-manifest.ts';
import { recordManifestChange } from './audit-event.ts';
import { checkPath } from './views/api-paths.ts';

export const handler = httpHandler({ access: operator, path: ProviderPath }, async ({ path, caller }, deps) => {
  const { namespace, name, provider } = path;
  const stored = await storedManifest(deps, { namespace, name });
  const id = await startProviderCheck(deps, stored, provider);
  await recordManifestChange(deps, stored, `check of the credentials of provider "${provider}", asked for`, caller);
  const json: CheckAccepted = { ...{ namespace, name, provider, id }, links: { check: checkPath(path, id) } };
  return { status: 202, json };
});
