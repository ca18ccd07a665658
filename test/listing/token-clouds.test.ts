/** What Hetzner and DigitalOcean list of a cluster, on clouds of loopback that answer in the shapes of their APIs. No account was asked. */
import { afterEach, describe, expect, it } from 'vitest';
import { listCluster } from '#runner/listing/list-cluster.ts';
import { type CloudRequest, type FakeCloud, fakeCloud, type Routes } from '#test/provider-check/fake-cloud.ts';

const cluster = 'shop-1234567';
const open: FakeCloud[] = [];
afterEach(() => {
  for (const cloud of open.splice(0)) cloud.close();
});

async function list(type: 'hetzner' | 'digitalocean', routes: Routes) {
  const cloud = await fakeCloud(routes);
  open.push(cloud);
  const fields = { credentials: 'planted-token', token: 'planted-token' };
  const answer = await listCluster(type, { fields, regions: [], cluster, bases: { api: cloud.url } });
  return { answer, cloud };
}
const query = ({ path }: CloudRequest) => new URLSearchParams(path.split('?')[1]);

describe('Hetzner', () => {
  const empty = (kind: string) => () => ({ body: { [kind]: [], meta: { pagination: { next_page: null } } } });
  const others = {
    'GET /v1/servers': empty('servers'),
    'GET /v1/volumes': empty('volumes'),
    'GET /v1/firewalls': empty('firewalls'),
    'GET /v1/ssh_keys': () => ({ body: { ssh_keys: [{ id: 9, name: `${cluster}-web` }] } }),
  };

  it('Hetzner is asked for everything with the label of the cluster, page by page', async () => {
    const { answer, cloud } = await list('hetzner', {
      ...others,
      'GET /v1/servers': (request) =>
        query(request).get('page') === '1'
          ? { body: { servers: [{ id: 1, name: `${cluster}-web-01` }], meta: { pagination: { next_page: 2 } } } }
          : { body: { servers: [{ id: 2, name: 'who-is-that' }], meta: { pagination: { next_page: null } } } },
    });
    expect(answer).toEqual({
      items: [
        { id: '1', name: 'web-01', kind: 'machine' },
        { id: '2', name: 'who-is-that', kind: 'machine' },
        { id: '9', name: 'web', kind: 'key' },
      ],
    });
    expect(
      cloud.asked.every((request) => query(request).get('label_selector') === `kubeloom-cluster==${cluster}`),
    ).toBe(true);
    expect(cloud.asked.every(({ headers }) => headers.authorization === 'Bearer planted-token')).toBe(true);
  });

  it('a token that Hetzner refuses, and an answer that is no list, fail the listing', async () => {
    const refused = await list('hetzner', { ...others, 'GET /v1/servers': () => ({ status: 401, body: {} }) });
    expect(refused.answer).toEqual({ failed: expect.stringContaining('token is refused'), needs: 'credentials' });
    const odd = await list('hetzner', { ...others, 'GET /v1/servers': () => ({ body: { error: 'x' } }) });
    expect(odd.answer).toEqual({ failed: 'the answer has another form' });
    expect(JSON.stringify([refused.answer, odd.answer])).not.toContain('planted-token');
  });

  it('a token that may not list is denied', async () => {
    const routes = { ...others, 'GET /v1/volumes': () => ({ status: 403, body: { error: { code: 'forbidden' } } }) };
    expect((await list('hetzner', routes)).answer).toMatchObject({ denied: true, needs: 'credentials' });
  });
});

describe('DigitalOcean', () => {
  const tags = [`kubeloom-cluster:${cluster}`];
  const volumes = [
    { id: 'v1', name: `${cluster}-web-01`, tags },
    { id: 'v2', name: 'of-others', tags: ['kubeloom-cluster:other'] },
    { id: 'v3', name: 'without-tags' },
  ];

  it('DigitalOcean is asked for droplets with the tag, and volumes are taken by theirs', async () => {
    const { answer, cloud } = await list('digitalocean', {
      'GET /v2/droplets': (request) =>
        query(request).get('page') === '1'
          ? { body: { droplets: [{ id: 7, name: `${cluster}-web-01`, tags }], links: { pages: { next: 'x' } } } }
          : { body: { droplets: [{ id: 8, name: 'who-is-that', tags }], links: {} } },
      'GET /v2/volumes': () => ({ body: { volumes, links: {} } }),
    });
    expect(answer).toEqual({
      items: [
        { id: '7', name: 'web-01', kind: 'machine' },
        { id: '8', name: 'who-is-that', kind: 'machine' },
        { id: 'v1', name: 'web-01', kind: 'volume' },
      ],
    });
    const droplets = cloud.asked.filter(({ path }) => path.startsWith('/v2/droplets'));
    expect(droplets.map((request) => query(request).get('tag_name'))).toEqual(droplets.map(() => tags[0]));
    expect(cloud.asked.every(({ headers }) => headers.authorization === 'Bearer planted-token')).toBe(true);
  });

  it.each([
    [503, {}],
    [401, { needs: 'credentials' }],
    [403, { needs: 'credentials', denied: true }],
  ])('a DigitalOcean that answers with %i fails the listing', async (status, expected) => {
    const { answer } = await list('digitalocean', { 'GET /v2/droplets': () => ({ status, body: {} }) });
    expect(answer).toEqual({ failed: expect.any(String), ...expected });
  });
});
