/** Secrets with kubeconfigs: both names of Claudie, and no Secret of someone else. */
import { beforeEach, expect, it } from 'vitest';
import { cluster } from './described-cluster.ts';
import { FakeWorld, path, spec } from './fake-world.ts';

let world: FakeWorld;
const at = (name: string) => world.kubernetes.at(`/api/v1/namespaces/team/secrets/${name}`);
const both = ['one-abc1234-kubeconfig', 'shop-one-kubeconfig', 'one-abc1234-metadata', 'shop-one-metadata'];

beforeEach(() => {
  world = new FakeWorld();
  world.kubeloom.clusters = [cluster({ kubeconfigPath: '/v1/…/kubeconfig' })];
});

async function settled(names: readonly string[] = ['shop']): Promise<void> {
  const one = world.operator();
  for (const name of names) world.kubernetes.apply(path.replace('shop', name), { spec: spec() });
  for (let pass = 0; pass < 3; pass += 1) {
    await one.pass();
    for (const name of names) world.kubeloom.finish(`team/${name}`);
  }
}

it('a kubeconfig has the name with the id of its cluster and the one that is known before, with the same owner and labels', async () => {
  await settled();
  const uid = world.kubernetes.at(path)?.metadata.uid;
  for (const name of both)
    expect(at(name)).toMatchObject({
      metadata: {
        ownerReferences: [{ kind: 'InputManifest', name: 'shop', uid }],
        labels: { 'claudie.io/cluster': 'one', 'claudie.io/cluster-id': 'one-abc1234' },
      },
    });
  expect(at('shop-one-kubeconfig')?.data).toEqual(at('one-abc1234-kubeconfig')?.data);
});

it('both Secrets are removed with their cluster, and written again when one of them is missing', async () => {
  await settled();
  world.kubernetes.remove('/api/v1/namespaces/team/secrets/shop-one-kubeconfig');
  await settled();
  expect(at('shop-one-kubeconfig')).toBeDefined();
  world.kubeloom.clusters = [];
  world.kubeloom.change('team/shop');
  await settled();
  expect(both.filter((name) => at(name) !== undefined)).toEqual([]);
});

it("a user's Secret of the name stays as it is, also when it came after the list of Secrets", async () => {
  const users = { data: { token: 'aGVsbG8=' } };
  world.kubernetes.apply('/api/v1/namespaces/team/secrets/shop-one-metadata', users);
  world.kubernetes.afterList = () => {
    if (at('shop-one-kubeconfig') === undefined)
      world.kubernetes.apply('/api/v1/namespaces/team/secrets/shop-one-kubeconfig', users);
  };
  await settled();
  expect([at('shop-one-kubeconfig')?.data, at('shop-one-metadata')?.data]).toEqual([users.data, users.data]);
  expect(at('one-abc1234-kubeconfig')?.data).toHaveProperty('kubeconfig');
  expect(world.kubernetes.events()).toContain('Warning SecretExists');
});

it('two manifests whose names and clusters make the same name keep one owner, and the other one says so', async () => {
  const named = (name: string, of: string) =>
    cluster({ cluster: `${name}-abc1234`, name, kubeconfigPath: `/v1/${of}` });
  world.kubeloom.clustersOf = { 'team/a-b': [named('c', 'a-b')], 'team/a': [named('b-c', 'a')] };
  await settled(['a-b', 'a']);
  expect(at('a-b-c-kubeconfig')).toMatchObject({ metadata: { ownerReferences: [{ name: expect.any(String) }] } });
  expect(world.kubernetes.events().filter((event) => event === 'Warning SecretExists')).not.toEqual([]);
  expect([at('c-abc1234-kubeconfig'), at('b-c-abc1234-kubeconfig')]).not.toContain(undefined);
});
