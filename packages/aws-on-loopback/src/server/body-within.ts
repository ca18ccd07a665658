/** Reads the body of a request, up to a limit. */
import type { IncomingMessage } from 'node:http';

/** The body, or undefined when it is too large; then at most the limit has been read. */
export async function bodyWithin(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return undefined;
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    size += (piece as Buffer).length;
    if (size > limit) return undefined;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}
