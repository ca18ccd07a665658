/** What Exoscale, OpenStack, OVHcloud and Verda list of a cluster, on clouds of loopback that refuse what theirs refuse. No account was asked. */
import { existsSync, readdirSync } from 'node:fs';
import { parse } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { providerTypeFacts, providerTypeNames, providerTypes } from '#domain/provider-types.ts';
import { isListed, listCluster } from '#runner/listing/list-cluster.ts';
import { type CloudRequest, type FakeCloud, fakeCloud, type Routes } from '#test/provider-check/fake-cloud.ts';
import { exoscaleGuard } from '#test/provider-check/signature-guards.ts';

const cluster = 'shop-1234567';
const open: FakeCloud[] = [];
afterEach(() => {
  for (const cloud of open.splice(0)) cloud.close();
});
async function started(routes: Routes): Promise<FakeCloud> {
  const cloud = await fakeCloud(routes);
  open.push(cloud);
  return cloud;
}
const query = ({ path }: CloudRequest) => new URLSearchParams(path.split('?')[1]);
const ours = { 'kubeloom-cluster': cluster };
const others = { 'kubeloom-cluster': 'shop-7654321' };
type Page = (request: CloudRequest) => { readonly status?: number; readonly body: unknown };
const withToken =
  (header: string, value: string, page: Page): Page =>
  (request) =>
    request.headers[header] === value ? page(request) : { status: 401, body: {} };

describe('Exoscale', () => {
  const fields = { apikey: 'EXO1', apisecret: 'the-secret' };
  const guard = exoscaleGuard(fields);
  const instances = [
    { id: '1', name: `${cluster}-web-01`, labels: ours },
    { id: '2', name: 'who-is-that', labels: ours },
    { id: '3', name: 'x', labels: others },
    { id: '4', name: 'without' },
  ];
  const routes: Routes = {
    'GET /v2/instance': (request) => guard(request) ?? { body: { instances } },
    'GET /v2/block-storage': (request) =>
      guard(request) ?? {
        body: { 'block-storage-volumes': [{ id: 'v', name: `${cluster}-web-01-data`, labels: ours }] },
      },
  };
  const list = (cloud: FakeCloud, change: Readonly<Record<string, string>> = {}) =>
    listCluster('exoscale', {
      fields: { ...fields, ...change },
      regions: ['ch-gva-2'],
      cluster,
      bases: { api: cloud.url },
    });

  it('Exoscale lists a zone, and what has the label is taken', async () => {
    expect(await list(await started(routes))).toEqual({
      items: [
        { id: '1', name: 'web-01', kind: 'machine' },
        { id: '2', name: 'who-is-that', kind: 'machine' },
        { id: 'v', name: 'web-01-data', kind: 'volume' },
      ].map((thing) => ({ ...thing, place: 'ch-gva-2' })),
    });
  });

  it('Exoscale denies only what a policy forbids', async () => {
    const because = (message: string) => ({ 'GET /v2/instance': () => ({ status: 403, body: { message } }) });
    const denied = 'Forbidden by role policy for compute';
    expect(await list(await started({ ...routes, ...because(denied) }))).toMatchObject({ denied: true });
    expect(await list(await started({ ...routes, ...because('Invalid signature') }))).not.toHaveProperty('denied');
  });

  it('a signature that Exoscale refuses fails the listing', async () => {
    expect(await list(await started(routes), { apisecret: 'wrong' })).toEqual({
      failed: expect.stringMatching(/in ch-gva-2 cannot be listed: HTTP 401/),
    });
  });
});

describe('OpenStack', () => {
  const server = (id: string, name: string, metadata: object) => ({ id, name, metadata });
  const nova = withToken('x-auth-token', 'token', (request) => {
    const marker = query(request).get('marker');
    if (marker === null)
      return {
        body: {
          servers: [server('1', `${cluster}-web-01`, ours), server('2', 'x', others)],
          servers_links: [{ rel: 'next', href: 'http://inside.example/servers/detail?marker=2' }],
        },
      };
    return marker === '2'
      ? { body: { servers: [server('3', 'who-is-that', ours)] } }
      : { status: 400, body: { badRequest: { message: 'marker not found' } } };
  });
  const routes = (volumes: boolean, url: () => string): Routes => ({
    'POST /v3/auth/tokens': ({ body }) => {
      if (!body.includes('the-secret')) return { status: 401, body: {} };
      const ends = (path: string) => [
        { interface: 'internal', region: 'one', url: 'http://inside.example' },
        { interface: 'public', region: 'one', url: `${url()}${path}` },
        { interface: 'public', region: 'two', url: 'http://other-region.example' },
      ];
      const catalog = [
        { type: 'compute', endpoints: ends('/nova') },
        ...(volumes ? [{ type: 'volumev3', endpoints: ends('/cinder') }] : []),
      ];
      return { body: { token: { project: { name: 'p' }, catalog } }, headers: { 'x-subject-token': 'token' } };
    },
    'GET /nova/servers/detail': nova,
    'GET /cinder/volumes/detail': withToken('x-auth-token', 'token', () => ({
      body: { volumes: [server('v', `${cluster}-web-01-data`, ours)] },
    })),
  });
  const list = async (volumes = true, secret = 'the-secret') => {
    let cloud: FakeCloud | undefined;
    cloud = await started(routes(volumes, () => cloud?.url ?? ''));
    const fields = { authurl: `${cloud.url}/v3`, applicationcredentialid: 'id', applicationcredentialsecret: secret };
    return listCluster('openstack', { fields, regions: ['one'], cluster, bases: {} });
  };

  it('OpenStack lists servers and volumes of its region page by page, and what has the metadata is taken', async () => {
    expect(await list()).toEqual({
      items: [
        { id: '1', name: 'web-01', kind: 'machine' },
        { id: '3', name: 'who-is-that', kind: 'machine' },
        { id: 'v', name: 'web-01-data', kind: 'volume' },
      ].map((thing) => ({ ...thing, place: 'one' })),
    });
  });

  it('a cloud of OpenStack without volumes has none to list, and a refused login fails the listing', async () => {
    expect(await list(false)).toMatchObject({ items: [{ id: '1' }, { id: '3' }] });
    expect(await list(true, 'wrong')).toEqual({
      failed: expect.stringContaining('application credential is refused'),
      needs: 'credentials',
    });
  });
});

describe('OVHcloud', () => {
  const fields = { endpoint: 'ovh-eu', clientid: 'c', clientsecret: 'the-secret', servicename: 'p1' };
  const thing = (id: string, name: string, status = 'ACTIVE') => ({ id, name, status });
  const routes: Routes = {
    'POST /login': ({ body }) =>
      new URLSearchParams(body).get('client_secret') === fields.clientsecret
        ? { body: { access_token: 'token' } }
        : { status: 401, body: {} },
    'GET /cloud/project/p1/instance': withToken('authorization', 'Bearer token', () => ({
      body: [thing('1', `${cluster}-web-01`), thing('2', 'web-02'), thing('3', `${cluster}-web-03`, 'DELETED')],
    })),
    'GET /cloud/project/p1/volume': withToken('authorization', 'Bearer token', () => ({
      body: [thing('v', `${cluster}-web-01-data`, 'in-use')],
    })),
  };
  const list = (cloud: FakeCloud, change: Readonly<Record<string, string>> = {}) =>
    listCluster('ovh', {
      fields: { ...fields, ...change },
      regions: ['GRA11'],
      cluster,
      bases: { login: `${cloud.url}/login`, api: cloud.url },
    });

  it('OVHcloud lists the project, and what is named after the cluster is taken', async () => {
    expect(await list(await started(routes))).toEqual({
      items: [
        { id: '1', name: 'web-01', kind: 'machine' },
        { id: 'v', name: 'web-01-data', kind: 'volume' },
      ],
    });
  });

  it('OVHcloud denies only what was not granted', async () => {
    const because = (message: string) => ({
      'GET /cloud/project/p1/instance': () => ({ status: 403, body: { class: 'Client::Forbidden', message } }),
    });
    const denied = 'This call has not been granted';
    expect(await list(await started({ ...routes, ...because(denied) }))).toMatchObject({ denied: true });
    const revoked = 'This credential is not valid';
    expect(await list(await started({ ...routes, ...because(revoked) }))).not.toHaveProperty('denied');
  });

  it('a login that OVHcloud refuses, and an answer without a list, fail the listing', async () => {
    expect(await list(await started(routes), { clientsecret: 'wrong' })).toEqual({
      failed: expect.stringContaining('login is refused'),
      needs: 'credentials',
    });
    const odd = { ...routes, 'GET /cloud/project/p1/volume': () => ({ body: { message: 'moved' } }) };
    expect(await list(await started(odd))).toEqual({ failed: 'volume cannot be listed: the answer has another form' });
  });
});

describe('Verda', () => {
  const fields = { clientid: 'c', clientsecret: 'the-secret' };
  const instance = (id: string, hostname: string, description: string, status = 'running') => ({
    id,
    hostname,
    description,
    status,
  });
  const routes: Routes = {
    'POST /oauth2/token': ({ body }) =>
      JSON.parse(body).client_secret === fields.clientsecret
        ? { body: { access_token: 'token' } }
        : { status: 401, body: {} },
    'GET /instances': withToken('authorization', 'Bearer token', () => ({
      body: [
        instance('1', `${cluster}-web-01`, `kubeloom ${cluster} lab`),
        instance('2', 'who-is-that', `kubeloom ${cluster} lab`),
        instance('3', `${cluster}-web-03`, `kubeloom ${cluster} lab`, 'discontinued'),
        instance('4', 'of-others', 'kubeloom shop-7654321 lab'),
      ],
    })),
    'GET /volumes': withToken('authorization', 'Bearer token', () => ({
      body: [{ id: 'v', name: `${cluster}-web-01-os`, status: 'attached' }],
    })),
  };
  const list = (cloud: FakeCloud, change: Readonly<Record<string, string>> = {}) =>
    listCluster('verda', { fields: { ...fields, ...change }, regions: [], cluster, bases: { api: cloud.url } });

  it('Verda lists instances by their description and volumes by their name', async () => {
    expect(await list(await started(routes))).toEqual({
      items: [
        { id: '1', name: 'web-01', kind: 'machine' },
        { id: '2', name: 'who-is-that', kind: 'machine' },
        { id: 'v', name: 'web-01-os', kind: 'volume' },
      ],
    });
    expect(await list(await started(routes), { clientsecret: 'wrong' })).toMatchObject({ failed: expect.any(String) });
  });
});

describe('which types are listed', () => {
  it('every type that makes machines is listed, apart from those whose machines have neither name nor tag', () => {
    const machines = providerTypeNames.filter((type) => providerTypes[type].nodes);
    const hasHook = (type: string) => existsSync(new URL(`../../templates/terraform/${type}/list.ts`, import.meta.url));
    expect(
      machines.filter((type) => !hasHook(type) && providerTypeFacts(type)?.strays === undefined).toSorted(),
    ).toEqual(['cloudrift', 'sim']);
  });

  it('the table of types says of each whether the runner has a file that lists it, and one that acts on its machines', () => {
    const typesIn = (folder: string) =>
      readdirSync(new URL(`../../runner-images/runner/listing/${folder}`, import.meta.url)).map(
        (file) => parse(file).name,
      );
    const that = (accepts: (strays: string | undefined) => boolean) =>
      providerTypeNames.filter((type) => accepts(providerTypeFacts(type)?.strays)).toSorted();
    expect(typesIn('clouds').toSorted()).toEqual(that((strays) => strays !== undefined));
    expect(typesIn('machines').toSorted()).toEqual(that((strays) => strays === 'delete'));
  });

  it('modules of a user are listed only by their own hook', () => {
    expect(isListed({ type: 'aws', templates: 'builtin@1' })).toBe(true);
    expect(isListed({ type: 'aws', templates: 'git:git.example.com/a/b@1#.' })).toBe(false);
  });
});
