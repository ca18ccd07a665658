/** Runs on a host: a read-only registry on the loopback that serves an OCI layout from disk under any registry name. */
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const [directory = '.', port = '5000'] = process.argv.slice(2);
interface Entry {
  readonly mediaType: string;
  readonly digest: string;
  readonly annotations: Readonly<Record<string, string>>;
}
const index: { manifests: Entry[] } = JSON.parse(readFileSync(join(directory, 'index.json'), 'utf8'));
const tagged = new Map(index.manifests.map((entry) => [entry.annotations['org.opencontainers.image.ref.name'], entry]));
const manifestType = 'application/vnd.oci.image.manifest.v1+json';

createServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://registry').pathname;
  if (/^\/v2\/?$/.test(path)) return void response.end('{}');
  const [, name, kind, reference = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(path) ?? [];
  const digest = /^sha256:[0-9a-f]{64}$/.test(reference) ? reference : tagged.get(`${name}:${reference}`)?.digest;
  const file = digest === undefined ? '' : join(directory, 'blobs', digest.replace(':', '/'));
  if (digest === undefined || !existsSync(file)) {
    response.writeHead(404, { 'content-type': 'application/json' });
    return void response.end(
      JSON.stringify({ errors: [{ code: 'MANIFEST_UNKNOWN', message: `no ${name}:${reference}` }] }),
    );
  }
  response.writeHead(200, {
    'content-type': kind === 'manifests' ? manifestType : 'application/octet-stream',
    'content-length': statSync(file).size,
    'docker-content-digest': digest,
  });
  if (request.method === 'HEAD') return void response.end();
  createReadStream(file)
    .on('error', (cause) => response.destroy(cause))
    .pipe(response);
}).listen(Number(port), '127.0.0.1');
