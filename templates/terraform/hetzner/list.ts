/** Hook of the runner: what the project has with the label of the cluster. */
import { readFileSync } from 'node:fs';
import { askHetzner, bodyOfHetzner, endHetznerHook } from './api.ts';

interface Thing {
  readonly id: number;
  readonly name: string;
  /** Of a server. */
  readonly status?: string;
}

const { cluster } = JSON.parse(readFileSync(0, 'utf8')) as { readonly cluster: string };
const kinds = { servers: 'machine', volumes: 'volume', firewalls: 'firewall', ssh_keys: 'key' } as const;

const lists = await Promise.all(Object.entries(kinds).map(([path, kind]) => listed(path, kind)));
process.stdout.write(`${JSON.stringify({ items: lists.flat() })}\n`);

async function listed(path: string, kind: string): Promise<readonly object[]> {
  const items: object[] = [];
  for (let page: number | null | undefined = 1; page; ) {
    const query = new URLSearchParams({
      label_selector: `kubeloom-cluster==${cluster}`,
      page: `${page}`,
      per_page: '50',
    });
    const answer = bodyOfHetzner(await askHetzner(`/${path}?${query}`), path);
    const found = answer[path];
    if (!Array.isArray(found)) endHetznerHook(4, `${path} were answered without a list`);
    items.push(
      ...(found as readonly Thing[]).map(({ id, name, status }) => ({
        ...{ id: `${id}`, name: plain(name), kind },
        ...(status === 'off' && { stopped: true }),
      })),
    );
    page = (answer.meta as { readonly pagination?: { readonly next_page?: number | null } })?.pagination?.next_page;
  }
  return items;
}

/** The name of the node: machines have that of the cluster before it. */
function plain(name: string): string {
  return name.startsWith(`${cluster}-`) ? name.slice(cluster.length + 1) : name;
}
