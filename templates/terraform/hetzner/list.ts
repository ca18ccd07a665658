/** Hook of the runner: what the project has with the label of the cluster. */
import { readFileSync } from 'node:fs';

interface Page {
  readonly meta?: { readonly pagination?: { readonly next_page?: number | null } };
  readonly [kind: string]: unknown;
}

const { cluster } = JSON.parse(readFileSync(0, 'utf8')) as { readonly cluster: string };
const base = process.env.HCLOUD_ENDPOINT || 'https://api.hetzner.cloud/v1';
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
    const answer: Page = await ask(`${base}/${path}?${query}`);
    const found = answer[path];
    if (!Array.isArray(found)) fail(4, `${path} were answered without a list`);
    items.push(
      ...(found as { id: number; name: string }[]).map(({ id, name }) => ({ id: `${id}`, name: plain(name), kind })),
    );
    page = answer.meta?.pagination?.next_page;
  }
  return items;
}

/** The name of the node: machines have that of the cluster before it. */
function plain(name: string): string {
  return name.startsWith(`${cluster}-`) ? name.slice(cluster.length + 1) : name;
}

async function ask(url: string): Promise<Page> {
  const headers = { authorization: `Bearer ${process.env.HCLOUD_TOKEN ?? ''}` };
  const answer = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(30_000) }).catch(
    (error: Error) => fail(4, `Hetzner did not answer: ${error.message}`),
  );
  if (answer.status === 401 || answer.status === 403) fail(7, `Hetzner refuses the token (status ${answer.status})`);
  if (!answer.ok) fail(4, `Hetzner answered with status ${answer.status}`);
  return (await answer.json()) as Page;
}

/** Exit codes: 4 may pass, 7 the credentials. */
function fail(code: number, message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
