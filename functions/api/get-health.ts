/** GET /v1/health: the API answers. */
import { httpHandler } from '../middleware.ts';

export const handler = httpHandler({ access: 'anonymous' }, async (_request, deps) => ({
  status: 200,
  json: { status: 'ok', time: deps.clock.now().toISOString() },
}));
