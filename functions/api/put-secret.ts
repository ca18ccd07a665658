/** PUT /v1/secrets/{namespace}/{name}: store a Secret; its values are never answered, logged or put into faults. */
import type { SecretStored } from '#contracts/http-documents.ts';
import { DocumentPath } from '#contracts/http-parameters.ts';
import { InputManifest } from '#domain/manifest/input-manifest.ts';
import { secretValues } from '#domain/manifest/secret.ts';
import { type SecretUse, secretUses } from '#domain/manifest/secret-uses.ts';
import { validateSecret } from '#domain/manifest/validate-secret.ts';
import { operator } from '../caller.ts';
import { bodyLimits } from '../http.ts';
import { httpHandler } from '../middleware.ts';
import { everyManifest } from '../pipeline/stored-manifest.ts';
import type { Deps } from '../ports.ts';
import { nameOf } from './references.ts';
import { type DocumentKey, pathFaults, refuseFaults, requestDocument, wireFaults } from './request-document.ts';
import { secretPath } from './surroundings.ts';
import { tellChange } from './told-change.ts';

export const handler = httpHandler(
  { access: operator, path: DocumentPath, maxBodyBytes: bodyLimits.secret },
  async (request, deps) => {
    const { namespace, name } = request.path;
    const document = requestDocument(request, deps);
    const { secret, faults, warnings } = validateSecret(document, await storedUses(deps, request.path));
    refuseFaults('Secret', request.path, wireFaults([...pathFaults(document, request.path), ...faults], document));
    const values = secret ? secretValues(secret) : {};
    await deps.secrets.put(secretPath(namespace, name), values);
    await tellChange(deps, namespace, `Secret ${name} stored`, request.caller);
    const keys = Object.keys(values).sort();
    return {
      status: 200,
      json: { namespace, name, keys, warnings: wireFaults(warnings, document) } satisfies SecretStored,
    };
  },
);

/** What the stored manifests need it for, so that a change does not break them. */
async function storedUses(deps: Pick<Deps, 'manifests'>, key: DocumentKey): Promise<readonly SecretUse[]> {
  const uses: SecretUse[] = [];
  const wanted = nameOf(key);
  for await (const record of everyManifest(deps)) {
    // One that can no longer be read is nothing that this Secret could break.
    const manifest = InputManifest.safeParse(record.document).data;
    if (manifest) uses.push(...(secretUses(manifest).get(wanted) ?? []));
    if (Object.values(record.templateSecrets ?? {}).includes(wanted)) uses.push('git');
  }
  return uses;
}
