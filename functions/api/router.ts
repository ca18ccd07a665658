/** One function serves all routes: API Gateway names the route that it matched. */
import { problemResult } from '../http.ts';
import type { HttpHandler } from '../middleware.ts';
import { routes } from './routes.ts';

const byKey = new Map(routes.map(({ method, path, handler }) => [`${method} ${path}`, handler]));

export const handler: HttpHandler = async (event, context) => {
  const found = byKey.get(event.routeKey);
  if (found) return found(event, context);
  return problemResult({
    type: 'urn:kubeloom:error:NotFound',
    title: 'the resource does not exist',
    status: 404,
    detail: `this API has no route "${event.routeKey}"; GET /v1/openapi.json lists all`,
    instance: event.requestContext.requestId,
    code: 'NotFound',
  });
};
