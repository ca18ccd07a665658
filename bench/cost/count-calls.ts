/** Counts the requests of a platform in this process to its services, as AWS would bill them. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';

export interface Counts {
  transitions: number;
  /** Calls of functions. */
  calls: number;
  apiRequests: number;
  tableReads: number;
  tableWrites: number;
  puts: number;
  gets: number;
  buildMinutes: number;
  builds: number;
}

export const none = (): Counts => ({
  transitions: 0,
  calls: 0,
  apiRequests: 0,
  tableReads: 0,
  tableWrites: 0,
  puts: 0,
  gets: 0,
  buildMinutes: 0,
  builds: 0,
});

const reads = /\.(GetItem|Query|BatchGetItem|Scan)$/;
const writes = /\.(PutItem|UpdateItem|DeleteItem|BatchWriteItem|TransactWriteItems)$/;

/** Follows the requests of the SDK until `stop`; units are made of the bytes that went over the wire. */
export function countRequests(s3: string, into: () => Counts): { stop(): void } {
  const s3Host = new URL(s3).host;
  const onFinish = (message: unknown): void => {
    const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
    const target = String(request.getHeader('x-amz-target') ?? '');
    const counts = into();
    const units = (bytes: unknown, size: number): number => Math.max(1, Math.ceil(Number(bytes ?? 0) / size));
    if (reads.test(target)) counts.tableReads += units(response.headers['content-length'], 4096);
    // Every write of an indexed item is written to the index as well; in a transaction both count twice.
    else if (writes.test(target)) {
      const times = target.endsWith('.TransactWriteItems') ? 4 : 2;
      counts.tableWrites += times * units(request.getHeader('content-length'), 1024);
    } else if (request.getHeader('host') === s3Host) {
      if (request.method === 'GET' || request.method === 'HEAD') counts.gets += 1;
      else if (request.method !== 'DELETE') counts.puts += 1;
    }
  };
  subscribe('http.client.response.finish', onFinish);
  return { stop: () => void unsubscribe('http.client.response.finish', onFinish) };
}
