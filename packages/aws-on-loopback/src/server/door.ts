/** A service that is listened for before it can do its work. */
import type { RequestListener } from 'node:http';

/** A listener whose handler is set later. */
export function door(): { readonly listener: RequestListener; open(inner: RequestListener): void } {
  let inner: RequestListener = (_request, response) => {
    response.writeHead(503, { 'content-type': 'application/x-amz-json-1.0', 'retry-after': '1' });
    response.end('{"__type":"ServiceUnavailable","message":"the platform is starting"}');
  };
  return {
    listener: (request, response) => inner(request, response),
    open(listener) {
      inner = listener;
    },
  };
}
