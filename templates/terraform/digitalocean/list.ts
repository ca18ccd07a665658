/** Hook of the runner: the droplets and volumes of the account that have the tag of the cluster. */
import { readFileSync } from 'node:fs';
import { askDigitalOcean, bodyOfDigitalOcean, endDigitalOceanHook } from './api.ts';

interface Thing {
  readonly id: number | string;
  readonly name: string;
  readonly tags?: readonly string[];
  /** Of a droplet. */
  readonly status?: string;
}

const { cluster } = JSON.parse(readFileSync(0, 'utf8')) as { readonly cluster: string };
const tag = `kubeloom-cluster:${cluster}`;

const [droplets, volumes] = await Promise.all([
  listed('droplets', new URLSearchParams({ tag_name: tag, per_page: '200' })),
  // Volumes cannot be asked for by tag.
  listed('volumes', new URLSearchParams({ per_page: '200' })),
]);
const items = [
  ...droplets.map(({ id, name, status }) => ({
    ...{ id: `${id}`, name: plain(name), kind: 'machine' },
    ...(status === 'off' && { stopped: true }),
  })),
  ...volumes
    .filter(({ tags }) => tags?.includes(tag))
    .map(({ id, name }) => ({ id: `${id}`, name: plain(name), kind: 'volume' })),
];
process.stdout.write(`${JSON.stringify({ items })}\n`);

async function listed(kind: 'droplets' | 'volumes', query: URLSearchParams): Promise<readonly Thing[]> {
  const found: Thing[] = [];
  for (let page = 1, more = true; more; page += 1) {
    query.set('page', `${page}`);
    const answer = bodyOfDigitalOcean(await askDigitalOcean(`${kind}?${query}`), kind);
    const things = answer[kind];
    if (!Array.isArray(things)) endDigitalOceanHook(4, `${kind} were answered without a list`);
    found.push(...(things as Thing[]));
    const { pages } = (answer.links ?? {}) as { readonly pages?: { readonly next?: string } };
    more = pages?.next !== undefined && (things as Thing[]).length > 0;
  }
  return found;
}

/** The name of the node: machines have that of the cluster before it. */
function plain(name: string): string {
  return name.startsWith(`${cluster}-`) ? name.slice(cluster.length + 1) : name;
}
