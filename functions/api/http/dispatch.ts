/** One function serves several routes: API Gateway names the one that it matched. */
import { problemResult } from '../../http.ts';
import type { HttpHandler } from '../../middleware.ts';

export interface DispatchedRoute {
  readonly method: string;
  readonly path: string;
  readonly handler: HttpHandler;
}

export function dispatch(routes: readonly DispatchedRoute[]): HttpHandler {
  const byKey = new Map(routes.map(({ method, path, handler }) => [`${method} ${path}`, handler]));
  return async (event, context) => {
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
}
