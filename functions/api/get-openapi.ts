/** GET /v1/openapi.json: the description of this API. */
import document from '../../docs/openapi.json' with { type: 'json' };
import { httpHandler } from '../middleware.ts';

export const handler = httpHandler({ access: 'anybody' }, async () => ({ status: 200, json: document }));
