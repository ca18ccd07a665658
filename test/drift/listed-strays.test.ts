/** Strays of a type that is listed in the runner, with the login of its Secret: an OpenStack of loopback. No account was asked. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { reportDeletion, type Strays, straysOf } from '#runner/terraform/strays.ts';
import { type FakeCloud, fakeCloud } from '#test/provider-check/fake-cloud.ts';
import { aDocument, type StageWorld, stageWorld } from '#test/runner/stage-world.ts';

const cluster = 'shop-1234567';
const node = 'control-aaaaaaa-01';
const provider = { name: 'os', type: 'openstack', templates: 'builtin@1', secret: 'team/os' };
const parts = [{ provider, wanted: true, pools: [] }];
const input = {
  ...{ installation: 'i', cluster, provider: 'os', kind: 'machines' as const, destroy: false },
  resources: [{ address: 'a', type: 'openstack_compute_instance_v2', index: 'retiring-01', values: null }],
};

let world: StageWorld;
let cloud: FakeCloud;
let status = 200;
beforeEach(async () => {
  world = stageWorld();
  world.file('terraform/openstack/provider.json', '{}');
  status = 200;
  cloud = await fakeCloud({
    'POST /v3/auth/tokens': () => {
      const endpoints = [{ interface: 'public', region: 'one', url: cloud.url }];
      const token = { project: { name: 'p' }, catalog: [{ type: 'compute', endpoints }] };
      return { body: { token }, headers: { 'x-subject-token': 't' } };
    },
    'GET /servers/detail': () => ({
      status,
      body: {
        servers: [node, 'who-is-that'].map((name) => ({
          ...{ id: `id-${name}`, name: `${cluster}-${name}`, metadata: { 'kubeloom-cluster': cluster } },
        })),
      },
    }),
  });
  const secret = { applicationcredentialid: 'id', applicationcredentialsecret: 'planted-secret' };
  await world.ports.secrets.put('user/team/os', { authurl: `${cloud.url}/v3`, ...secret });
});
afterEach(() => {
  cloud.close();
  world.close();
});

async function withStage(work: (context: Parameters<typeof straysOf>[0]) => Promise<void>): Promise<void> {
  await world.put(aDocument([{ stage: 'infrastructure', reasons: ['try'], work: { workspaces: [] } }]));
  const tool = async (context: Parameters<typeof straysOf>[0]) => {
    await work(context);
    return {};
  };
  expect((await world.run('infrastructure', { tool })).error).toBeUndefined();
}
async function strays(): Promise<Strays> {
  let found: Strays = { failed: 'nothing was asked' };
  await withStage(async (context) => {
    found = await straysOf(context, parts, input);
  });
  return found;
}

it('a machine that a cloud lists and no one knows is a stray, which is reported only', async () => {
  expect(await strays()).toMatchObject({
    found: [{ id: 'id-who-is-that', name: 'who-is-that' }],
    ...{ removable: false, stoppable: false },
  });
});

it('nothing is a stray when the cloud does not list, and the reason has no value of the Secret', async () => {
  status = 403;
  expect(await strays()).toEqual({ failed: 'servers cannot be listed: HTTP 403', denied: true });
  status = 503;
  const found = await strays();
  expect(found).toEqual({ failed: 'servers cannot be listed: HTTP 503' });
  expect(await world.log('infrastructure')).not.toContain('planted-secret');
});

it('the receipt of a deletion names what the cloud still lists', async () => {
  const deletion = { parts, input, removed: ['web-01'], others: new Set([node]), shared: false };
  await withStage((context) => reportDeletion(context, deletion));
  expect(await world.reported()).toContain(
    'DeletionReceipt: os: removed web-01; it still has who-is-that (id-who-is-that): remove it there',
  );
});
