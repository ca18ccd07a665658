/** An https server on 127.0.0.1 that serves archives of files, made by tar. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { selfSigned } from '#test/fakes/self-signed.ts';

export interface ArchiveServer {
  readonly host: string;
  readonly certificate: string;
  /** Serves the files under this name; returns the SHA-256. `links`: path to target. */
  put(name: string, files: Readonly<Record<string, string>>, links?: Readonly<Record<string, string>>): string;
  /** The same, with words for tar. */
  putWith(words: readonly string[], name: string, files: Readonly<Record<string, string>>): string;
  /** The same with any bytes. */
  putBytes(name: string, body: Buffer): string;
  close(): Promise<void>;
}

export async function startArchiveServer(): Promise<ArchiveServer> {
  const root = mkdtempSync(join(tmpdir(), 'kubeloom-archives-'));
  const { key, certificate } = selfSigned(root, 'archives');
  const served = new Map<string, Buffer>();
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    const body = served.get(request.url ?? '');
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const putBytes = (name: string, body: Buffer): string => {
    served.set(`/${name}`, body);
    return createHash('sha256').update(body).digest('hex');
  };
  const packed = (
    words: readonly string[],
    files: Readonly<Record<string, string>>,
    links: Readonly<Record<string, string>>,
  ): Buffer => {
    const folder = mkdtempSync(join(root, 'files-'));
    const place = (path: string): string => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      return join(folder, path);
    };
    for (const [path, text] of Object.entries(files)) writeFileSync(place(path), text);
    for (const [path, target] of Object.entries(links)) symlinkSync(target, place(path));
    return execFileSync('tar', [...words, '-czf', '-', '-C', folder, '.'], { maxBuffer: 100_000_000 });
  };
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificate,
    putBytes,
    put: (name, files, links = {}) => putBytes(name, packed([], files, links)),
    putWith: (words, name, files) => putBytes(name, packed(words, files, {})),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true, force: true });
    },
  };
}
