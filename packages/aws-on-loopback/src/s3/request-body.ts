/** The bytes of a request: `aws-chunked` framing is removed, every checksum of the request is compared. */
import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { crc32 } from 'node:zlib';
import { S3Fault } from './s3-fault.ts';

/** Yields the body piece by piece. Throws `BadDigest` or `IncompleteBody` after the last piece when it differs from the announcement. */
export async function* readRequestBody(request: IncomingMessage): AsyncGenerator<Buffer> {
  const { headers } = request;
  const chunked =
    String(headers['x-amz-content-sha256'] ?? '').startsWith('STREAMING-') ||
    String(headers['content-encoding'] ?? '').includes('aws-chunked');
  const trailers: Record<string, string> = {};
  const checksums = announcedChecksums(headers);
  const expectedLength = chunked ? headers['x-amz-decoded-content-length'] : headers['content-length'];
  let length = 0;
  for await (const piece of chunked ? takeOffChunks(request, trailers) : request) {
    length += (piece as Buffer).length;
    for (const checksum of checksums) checksum.update(piece as Buffer);
    yield piece as Buffer;
  }
  if (expectedLength !== undefined && Number(expectedLength) !== length)
    throw new S3Fault('IncompleteBody', `the body has ${length} bytes, ${expectedLength} were announced`);
  for (const { name, digest } of checksums) {
    const announced = trailers[name] ?? headers[name];
    if (announced !== undefined && announced !== digest())
      throw new S3Fault('BadDigest', `the body does not match its ${name}`);
  }
}

/** Reads a small body as text. Throws `InvalidRequest` past the limit. */
export async function readSmallBody(request: IncomingMessage, limit = 2 * 1024 * 1024): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of readRequestBody(request)) {
    size += piece.length;
    if (size > limit) throw new S3Fault('InvalidRequest', `the request is larger than ${limit} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/**
 * Removes the framing `<hex size>[;chunk-signature=…]\r\n<bytes>\r\n … 0\r\n<trailers>\r\n`.
 * Storing the framing with the bytes would be silent corruption.
 */
async function* takeOffChunks(source: AsyncIterable<Buffer>, trailers: Record<string, string>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  /** Bytes of the chunk still to come; `undefined` between chunks. */
  let left: number | undefined;
  let ended = false;
  for await (const piece of source) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    while (rest.length > 0) {
      if (left !== undefined && left > 0) {
        const part = rest.subarray(0, left);
        left -= part.length;
        rest = rest.subarray(part.length);
        yield part;
        continue;
      }
      const end = rest.indexOf('\r\n');
      if (end < 0) break;
      const line = rest.toString('latin1', 0, end);
      rest = rest.subarray(end + 2);
      if (ended) readTrailer(line, trailers);
      else if (left === 0) left = undefined;
      else {
        left = chunkSize(line);
        ended = left === 0;
      }
    }
  }
  if (!ended) throw new S3Fault('IncompleteBody', 'the chunked body ends before its last chunk');
}

function chunkSize(line: string): number {
  const hex = line.split(';')[0] ?? '';
  if (!/^[0-9a-fA-F]{1,8}$/.test(hex))
    throw new S3Fault('IncompleteBody', 'the chunked body has a chunk without a size');
  return Number.parseInt(hex, 16);
}

function readTrailer(line: string, trailers: Record<string, string>): void {
  const colon = line.indexOf(':');
  if (colon > 0) trailers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
}

interface Checksum {
  readonly name: string;
  readonly update: (piece: Buffer) => void;
  readonly digest: () => string;
}

/** Those of the announced checksums that Node can compute; CRC32C and CRC64NVME pass unchecked. */
function announcedChecksums(headers: IncomingMessage['headers']): readonly Checksum[] {
  const announced = `${Object.keys(headers).join(' ')} ${headers['x-amz-trailer'] ?? ''}`;
  const hashed = (name: string, hash: Hash): Checksum => ({
    name,
    update: (piece) => void hash.update(piece),
    digest: () => hash.digest('base64'),
  });
  const checksums: Checksum[] = [];
  if (announced.includes('content-md5')) checksums.push(hashed('content-md5', createHash('md5')));
  for (const algorithm of ['sha1', 'sha256'])
    if (announced.includes(`x-amz-checksum-${algorithm}`))
      checksums.push(hashed(`x-amz-checksum-${algorithm}`, createHash(algorithm)));
  if (/x-amz-checksum-crc32\b(?!c)/.test(announced)) {
    let sum = 0;
    checksums.push({
      name: 'x-amz-checksum-crc32',
      update: (piece) => {
        sum = crc32(piece, sum);
      },
      digest: () => {
        const bytes = Buffer.alloc(4);
        bytes.writeUInt32BE(sum);
        return bytes.toString('base64');
      },
    });
  }
  return checksums;
}
