/** GET /v1/version: which Kubeloom this is and which provider types it can build. */
import product from '../../package.json' with { type: 'json' };
import { httpHandler } from '../middleware.ts';

export const handler = httpHandler({ access: 'anybody' }, async (_request, deps) => ({
  status: 200,
  json: {
    version: product.version,
    installation: deps.config.KUBELOOM_INSTALLATION,
    providerTypes: deps.config.KUBELOOM_PROVIDER_TYPES,
  },
}));
