/** GET /v1/secrets: names of Secrets, never what is in them. */
import type { SecretList } from '#contracts/http-documents.ts';
import { NamespaceQuery } from '#contracts/http-parameters.ts';
import { viewerAnywhere } from '../caller.ts';
import { httpHandler } from '../middleware.ts';

export const handler = httpHandler(
  { access: viewerAnywhere, query: NamespaceQuery },
  async ({ query, caller }, deps) => {
    const paths = await deps.secrets.list(query.namespace === undefined ? 'user' : `user/${query.namespace}`);
    const items = paths.flatMap((path) => {
      const [, namespace, name] = path.split('/');
      return namespace !== undefined && name !== undefined && caller.may('viewer', namespace)
        ? [{ namespace, name }]
        : [];
    });
    return { status: 200, json: { items } satisfies SecretList };
  },
);
