/** Hook of the runner: the droplets and volumes of the account that have the tag of the cluster. */
import { readFileSync } from 'node:fs';

interface Thing {
  readonly id: number | string;
  readonly name: string;
  readonly tags?: readonly string[];
}
interface Page {
  readonly links?: { readonly pages?: { readonly next?: string } };
  readonly [kind: string]: unknown;
}

const { cluster } = JSON.parse(readFileSync(0, 'utf8')) as { readonly cluster: string };
const tag = `kubeloom-cluster:${cluster}`;
const base = process.env.DIGITALOCEAN_API_URL || 'https://api.digitalocean.com';

const [droplets, volumes] = await Promise.all([
  listed('droplets', new URLSearchParams({ tag_name: tag, per_page: '200' })),
  // Volumes cannot be asked for by tag.
  listed('volumes', new URLSearchParams({ per_page: '200' })),
]);
const items = [
  ...droplets.map(({ id, name }) => ({ id: `${id}`, name: plain(name), kind: 'machine' })),
  ...volumes
    .filter(({ tags }) => tags?.includes(tag))
    .map(({ id, name }) => ({ id: `${id}`, name: plain(name), kind: 'volume' })),
];
process.stdout.write(`${JSON.stringify({ items })}\n`);

async function listed(kind: 'droplets' | 'volumes', query: URLSearchParams): Promise<readonly Thing[]> {
  const found: Thing[] = [];
  for (let page = 1, more = true; more; page += 1) {
    query.set('page', `${page}`);
    const answer = await ask(`${base}/v2/${kind}?${query}`);
    const things = answer[kind];
    if (!Array.isArray(things)) fail(4, `${kind} were answered without a list`);
    found.push(...(things as Thing[]));
    more = answer.links?.pages?.next !== undefined && (things as Thing[]).length > 0;
  }
  return found;
}

/** The name of the node: machines have that of the cluster before it. */
function plain(name: string): string {
  return name.startsWith(`${cluster}-`) ? name.slice(cluster.length + 1) : name;
}

async function ask(url: string): Promise<Page> {
  const headers = { authorization: `Bearer ${process.env.DIGITALOCEAN_TOKEN ?? ''}` };
  const answer = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(30_000) }).catch(
    (error: Error) => fail(4, `DigitalOcean did not answer: ${error.message}`),
  );
  if (answer.status === 401 || answer.status === 403)
    fail(7, `DigitalOcean refuses the token (status ${answer.status})`);
  if (!answer.ok) fail(4, `DigitalOcean answered with status ${answer.status}`);
  return (await answer.json()) as Page;
}

/** Exit codes: 4 may pass, 7 the credentials. */
function fail(code: number, message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
