/**
 * Fetches the upstream files of templates/kubernetes/upstream.json, each against its checksum, and leaves those that are there.
 * usage: fetch-documents.mjs [TABLE DIRECTORY]   default: this checkout's table, ~/.kubeloom/documents
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const home = process.env.KUBELOOM_HOME ?? join(homedir(), '.kubeloom');
const [
  table = fileURLToPath(new URL('../../templates/kubernetes/upstream.json', import.meta.url)),
  directory = join(home, 'documents'),
] = process.argv.slice(2);

mkdirSync(directory, { recursive: true });
for (const [name, row] of Object.entries(JSON.parse(readFileSync(table, 'utf8')))) await fetchFile(name, row);

async function fetchFile(name, { file, url, sha256 }) {
  const path = join(directory, file);
  if (existsSync(path) && sumOf(readFileSync(path)) === sha256) return console.error(`${path} is there`);
  const answer = await fetch(url, { signal: AbortSignal.timeout(300_000) });
  if (!answer.ok) throw new Error(`${url}: the server answered ${answer.status}`);
  const content = Buffer.from(await answer.arrayBuffer());
  const found = sumOf(content);
  if (found !== sha256) throw new Error(`${url} has the SHA-256 ${found}, not ${sha256}: nothing of it is used`);
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
  console.error(`${name}: ${path}`);
}

function sumOf(content) {
  return createHash('sha256').update(content).digest('hex');
}
