/** Strays of a type that is listed in the runner, with the login of its Secret: an OpenStack of loopback. No account was asked. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { actOnStrays } from '#runner/terraform/strays/act-on-strays.ts';
import { reportDeletion, type Strays, straysOf } from '#runner/terraform/strays/strays.ts';
import { type FakeCloud, fakeCloud, type Routes } from '#test/provider-check/fake-cloud.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from '#test/runner/stage-world.ts';
import { hooksIn } from './hooks-in.ts';

const cluster = 'shop-1234567';
const node = 'control-aaaaaaa-01';
const provider = { name: 'os', type: 'openstack', templates: 'builtin@1', secret: 'team/os' };
const parts = [{ provider, wanted: true, pools: [] }];
const input = {
  installation: 'i',
  cluster,
  provider: 'os',
  kind: 'machines' as const,
  destroy: false,
  resources: [{ address: 'a', type: 'openstack_compute_instance_v2', index: 'retiring-01', values: null }],
};

let world: StageWorld;
let cloud: FakeCloud;
let status = 200;
/** By id. */
const servers = new Map<string, { id: string; name: string; status: string; metadata: object }>();
const server = (id: string, name: string) => {
  const metadata = { 'kubeloom-cluster': cluster };
  servers.set(id, { id, name: `${cluster}-${name}`, status: 'ACTIVE', metadata });
};
function routesOf(id: string): Routes {
  return {
    [`GET /servers/${id}`]: () => {
      const found = servers.get(id);
      return found === undefined ? { status: 404, body: { itemNotFound: {} } } : { body: { server: found } };
    },
    [`POST /servers/${id}/action`]: () => {
      const found = servers.get(id);
      if (found) found.status = 'SHUTOFF';
      return { status: 202, body: '' };
    },
    [`DELETE /servers/${id}`]: () => {
      servers.delete(id);
      return { status: 204, body: '' };
    },
  };
}

function everything(): Routes {
  return {
    'POST /v3/auth/tokens': () => {
      const endpoints = [{ interface: 'public', region: 'one', url: cloud.url }];
      const token = { project: { name: 'p' }, catalog: [{ type: 'compute', endpoints }] };
      return { body: { token }, headers: { 'x-subject-token': 't' } };
    },
    'GET /servers/detail': () => ({
      status,
      body:
        status === 200
          ? { servers: [...servers.values()] }
          : { forbidden: { message: "Policy doesn't allow os_compute_api:servers:detail to be performed." } },
    }),
    ...routesOf('id-who-is-that'),
    ...routesOf(`id-${node}`),
    ...routesOf('id-double'),
  };
}
async function reopened(change: Routes): Promise<void> {
  cloud = await fakeCloud({ ...everything(), ...change });
  const secret = { applicationcredentialid: 'id', applicationcredentialsecret: 'planted-secret' };
  await world.ports.secrets.put('user/team/os', { authurl: `${cloud.url}/v3`, ...secret });
}
beforeEach(async () => {
  servers.clear();
  for (const name of [node, 'who-is-that']) server(`id-${name}`, name);
  world = stageWorld();
  world.file('terraform/openstack/provider.json', '{}');
  status = 200;
  await reopened({});
});
afterEach(() => {
  cloud.close();
  world.close();
});

async function withStage(work: (context: Parameters<typeof straysOf>[0]) => Promise<void>): Promise<void> {
  const target = structuredClone(twoProviderState());
  // A build reads the Secrets that its waypoint names.
  for (const { source } of target.pools)
    if (source.kind === 'dynamic')
      Object.assign(source, { provider: { ...source.provider, templatesSecret: provider.secret } });
  await world.put(aDocument([{ stage: 'infrastructure', reasons: ['try'], work: { workspaces: [] } }], { target }));
  const tool = async (context: Parameters<typeof straysOf>[0]) => {
    await work(context);
    return {};
  };
  expect((await world.run('infrastructure', { tool })).error).toBeUndefined();
}
async function strays(): Promise<Strays> {
  let found: Strays = { failed: 'nothing was asked' };
  await withStage(async (context) => {
    found = await straysOf(context, await hooksIn(context, parts), input);
  });
  return found;
}

async function acted(action: 'quarantine' | 'delete', ids: readonly string[]): Promise<readonly string[]> {
  let done: readonly string[] = [];
  await withStage(async (context) => {
    done = await actOnStrays(context, { hooks: await hooksIn(context, parts), input: withState }, { action, ids });
  });
  return done;
}
const withState = {
  ...input,
  resources: [{ address: 'a', type: 'openstack_compute_instance_v2', index: node, values: { id: `id-${node}` } }],
};

it('a machine that a cloud lists and no one knows is a stray, which can be stopped and deleted', async () => {
  expect(await strays()).toMatchObject({
    found: [{ id: 'id-who-is-that', name: 'who-is-that', stopped: false }],
    removable: true,
    stoppable: true,
  });
});

it('a stray of a cloud is stopped and kept, then deleted; the machine of the node is not touched', async () => {
  expect(await acted('quarantine', ['id-who-is-that', `id-${node}`])).toEqual(['who-is-that']);
  expect(servers.get('id-who-is-that')).toMatchObject({ status: 'SHUTOFF' });
  expect(await strays()).toMatchObject({ found: [{ id: 'id-who-is-that', stopped: true }] });
  expect(await acted('quarantine', ['id-who-is-that'])).toEqual([]);
  expect(await acted('delete', ['id-who-is-that'])).toEqual(['who-is-that']);
  expect([...servers.keys()]).toEqual([`id-${node}`]);
  expect(servers.get(`id-${node}`)).toMatchObject({ status: 'ACTIVE' });
});

it('a double with the name of a node is deleted by its id, and the machine of the node stays', async () => {
  server('id-double', node);
  expect(await acted('delete', ['id-double', `id-${node}`])).toEqual([node]);
  expect([...servers.keys()]).toEqual([`id-${node}`, 'id-who-is-that']);
});

it('a stray that the cloud refuses to delete does not keep the others, and those that were deleted are reported', async () => {
  server('id-double', node);
  cloud.close();
  const forbidden = { status: 403, body: { forbidden: { message: "Policy doesn't allow it to be performed." } } };
  await reopened({ 'DELETE /servers/id-who-is-that': () => forbidden });
  await withStage(async (context) => {
    const work = { action: 'delete', ids: ['id-who-is-that', 'id-double'] } as const;
    await expect(
      actOnStrays(context, { hooks: await hooksIn(context, parts), input: withState }, work),
    ).rejects.toMatchObject({
      error: { class: 'credentials', code: 'StraysNotHandled', message: expect.stringContaining('id-who-is-that') },
    });
  });
  expect([...servers.keys()]).toEqual([`id-${node}`, 'id-who-is-that']);
  expect(await world.reported()).toEqual([expect.stringMatching(new RegExp(`^LeftoverRemoved: ${node} `))]);
});

it('a stray that loses its tag after it was listed is left alone', async () => {
  const listed = servers.get('id-who-is-that');
  if (listed === undefined) throw new Error('there is no stray');
  servers.set('id-who-is-that', { ...listed, id: 'id-who-is-that' });
  cloud.close();
  const { metadata: _, ...bare } = listed;
  const before = { 'GET /servers/id-who-is-that': () => ({ body: { server: { ...bare, metadata: {} } } }) };
  await reopened(before);
  expect(await strays()).toMatchObject({ found: [] });
  expect(await acted('delete', ['id-who-is-that'])).toEqual([]);
  expect(cloud.asked.some(({ method }) => method === 'DELETE')).toBe(false);
});

it('nothing is stopped or deleted when the listing fails, which is a fault of the credentials only where the cloud denies it', async () => {
  await withStage(async (context) => {
    for (const [answer, kind] of [
      [403, 'credentials'],
      [503, 'transient'],
    ] as const) {
      status = answer;
      const work = actOnStrays(
        context,
        { hooks: await hooksIn(context, parts), input: withState },
        { action: 'delete', ids: ['id-who-is-that'] },
      );
      await expect(work).rejects.toMatchObject({ error: { class: kind, code: 'StraysNotListed' } });
    }
  });
  expect(cloud.asked.some(({ method }) => method === 'DELETE')).toBe(false);
});

it('nothing is a stray when the cloud does not list, and the reason has no value of the Secret', async () => {
  status = 403;
  expect(await strays()).toEqual({
    failed: 'servers cannot be listed: HTTP 403: a permission is missing',
    denied: true,
    needs: 'credentials',
  });
  status = 503;
  const found = await strays();
  expect(found).toEqual({ failed: 'servers cannot be listed: HTTP 503' });
  expect(await world.log('infrastructure')).not.toContain('planted-secret');
});

it('the receipt of a deletion names what the cloud still lists', async () => {
  const deletion = { input, removed: ['web-01'], others: new Set([node]), shared: false };
  await withStage(async (context) => reportDeletion(context, { ...deletion, hooks: await hooksIn(context, parts) }));
  expect(await world.reported()).toContain(
    'DeletionReceipt: os: removed web-01; it still has who-is-that (id-who-is-that): remove it there',
  );
});
