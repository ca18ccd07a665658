/** PUT /v1/secrets/{namespace}/{name}: store a Secret; its values are never answered, logged or put into faults. */
import type { SecretStored } from '#contracts/http-documents.ts';
import { DocumentPath } from '#contracts/http-parameters.ts';
import { secretValues } from '#domain/manifest/secret.ts';
import { validateSecret } from '#domain/manifest/validate-secret.ts';
import { operator } from '../caller.ts';
import { bodyLimits } from '../http.ts';
import { httpHandler } from '../middleware.ts';
import { recordChange } from './audit-event.ts';
import { nameOf } from './references.ts';
import { pathFaults, refuseFaults, requestDocument, wireFaults } from './request-document.ts';
import { storedSecretUses } from './stored-secret-uses.ts';
import { secretPath } from './surroundings.ts';

export const handler = httpHandler(
  { access: operator, path: DocumentPath, maxBodyBytes: bodyLimits.secret },
  async (request, deps) => {
    const { namespace, name } = request.path;
    const document = requestDocument(request, deps);
    const wanted = nameOf(request.path);
    const uses = await storedSecretUses(deps, new Set([wanted]));
    const { secret, faults, warnings } = validateSecret(document, uses.get(wanted));
    refuseFaults('Secret', request.path, wireFaults([...pathFaults(document, request.path), ...faults], document));
    const values = secret ? secretValues(secret) : {};
    await deps.secrets.put(secretPath(namespace, name), values);
    await recordChange(deps, namespace, `Secret ${name} stored`, request.caller);
    const keys = Object.keys(values).sort();
    return {
      status: 200,
      json: { namespace, name, keys, warnings: wireFaults(warnings, document) } satisfies SecretStored,
    };
  },
);
