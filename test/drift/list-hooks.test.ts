/** Hooks `list` of clouds, against clouds of loopback that answer in the shapes of their APIs. No account was asked. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { type CloudRequest, type FakeCloud, fakeCloud, type Routes } from '#test/provider-check/fake-cloud.ts';

const cluster = 'shop-1234567';
const open: FakeCloud[] = [];
afterEach(() => {
  for (const cloud of open.splice(0)) cloud.close();
});

type Type = 'hetzner' | 'digitalocean';
const environment = {
  hetzner: (url: string) => ({ HCLOUD_ENDPOINT: `${url}/v1`, HCLOUD_TOKEN: 'planted-token' }),
  digitalocean: (url: string) => ({ DIGITALOCEAN_API_URL: url, DIGITALOCEAN_TOKEN: 'planted-token' }),
} as const;

async function list(type: Type, routes: Routes) {
  const cloud = await fakeCloud(routes);
  open.push(cloud);
  const hook = fileURLToPath(new URL(`../../templates/terraform/${type}/list.ts`, import.meta.url));
  const asked = promisify(execFile)(process.execPath, [hook], { env: environment[type](cloud.url) });
  asked.child.stdin?.end(JSON.stringify({ installation: 'i', cluster, provider: 'p', kind: 'machines' }));
  const ended = await asked.then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr }),
  );
  return { ...ended, cloud };
}
const query = ({ path }: CloudRequest) => new URLSearchParams(path.split('?')[1]);

describe('hetzner', () => {
  const empty = (kind: string) => () => ({ body: { [kind]: [], meta: { pagination: { next_page: null } } } });
  const others = {
    'GET /v1/volumes': empty('volumes'),
    'GET /v1/firewalls': empty('firewalls'),
    'GET /v1/ssh_keys': () => ({ body: { ssh_keys: [{ id: 9, name: `${cluster}-web` }] } }),
  };

  it('Hetzner is asked for everything with the label of the cluster, page by page', async () => {
    const { code, said, cloud } = await list('hetzner', {
      ...others,
      'GET /v1/servers': (request) =>
        query(request).get('page') === '1'
          ? { body: { servers: [{ id: 1, name: `${cluster}-web-01` }], meta: { pagination: { next_page: 2 } } } }
          : { body: { servers: [{ id: 2, name: 'who-is-that' }], meta: { pagination: { next_page: null } } } },
    });
    expect(code, said).toBe(0);
    expect(JSON.parse(said).items).toEqual([
      { id: '1', name: 'web-01', kind: 'machine' },
      { id: '2', name: 'who-is-that', kind: 'machine' },
      { id: '9', name: 'web', kind: 'key' },
    ]);
    expect(
      cloud.asked.every((request) => query(request).get('label_selector') === `kubeloom-cluster==${cluster}`),
    ).toBe(true);
    expect(cloud.asked.every(({ headers }) => headers.authorization === 'Bearer planted-token')).toBe(true);
  });

  it('a refused token and an answer that is no list fail, and nothing counts as listed', async () => {
    const refused = await list('hetzner', { ...others, 'GET /v1/servers': () => ({ status: 401, body: {} }) });
    expect(refused).toMatchObject({ code: 7, said: expect.stringContaining('refuses the token') });
    const odd = await list('hetzner', { ...others, 'GET /v1/servers': () => ({ body: { error: 'x' } }) });
    expect(odd).toMatchObject({ code: 4, said: expect.stringContaining('without a list') });
    expect(odd.said).not.toContain('planted-token');
  });
});

describe('digitalocean', () => {
  const volumes = [
    { id: 'v1', name: `${cluster}-web-01`, tags: [`kubeloom-cluster:${cluster}`] },
    { id: 'v2', name: 'of-others', tags: ['kubeloom-cluster:other'] },
    { id: 'v3', name: 'without-tags' },
  ];

  it('DigitalOcean is asked for droplets with the tag, and volumes are taken by theirs', async () => {
    const { code, said, cloud } = await list('digitalocean', {
      'GET /v2/droplets': (request) =>
        query(request).get('page') === '1'
          ? { body: { droplets: [{ id: 7, name: `${cluster}-web-01` }], links: { pages: { next: 'x' } } } }
          : { body: { droplets: [{ id: 8, name: 'who-is-that' }], links: {} } },
      'GET /v2/volumes': () => ({ body: { volumes, links: {} } }),
    });
    expect(code, said).toBe(0);
    expect(JSON.parse(said).items).toEqual([
      { id: '7', name: 'web-01', kind: 'machine' },
      { id: '8', name: 'who-is-that', kind: 'machine' },
      { id: 'v1', name: 'web-01', kind: 'volume' },
    ]);
    const droplets = cloud.asked.filter(({ path }) => path.startsWith('/v2/droplets'));
    expect(droplets.map((request) => query(request).get('tag_name'))).toEqual(
      droplets.map(() => `kubeloom-cluster:${cluster}`),
    );
  });

  it('a cloud that is out of order fails the listing', async () => {
    const ended = await list('digitalocean', { 'GET /v2/droplets': () => ({ status: 503, body: {} }) });
    expect(ended.code).toBe(4);
  });
});
