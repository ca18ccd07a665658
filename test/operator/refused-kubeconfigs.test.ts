/** Kubeconfigs that Kubeloom does not give out: no Secret has one, the object says why, and the operator does not repeat its requests. */
import { beforeEach, expect, it } from 'vitest';
import { cluster } from './described-cluster.ts';
import { FakeWorld, path } from './fake-world.ts';

let world: FakeWorld;
const asked = () => world.kubeloom.calls.filter((call) => call.startsWith('getKubeconfig')).length;
const status = () => world.kubernetes.at(path)?.status as { outputsRefused?: string } | undefined;
const secret = (output: string) => world.kubernetes.at(`/api/v1/namespaces/team/secrets/one-abc1234-${output}`);

beforeEach(() => {
  world = new FakeWorld();
  world.kubeloom.clusters = [cluster({ kubeconfigPath: '/v1/…/kubeconfig' })];
});

async function settled(): Promise<void> {
  const one = world.operator();
  world.apply();
  for (let pass = 0; pass < 3; pass += 1) {
    await one.pass();
    world.kubeloom.finish('team/shop');
  }
}

it('a refused kubeconfig is in no Secret, and the status of the object has the sentence of Kubeloom', async () => {
  const refused = world.kubeloom.problem(409, 'KubeconfigRefused');
  world.kubeloom.withoutKubeconfigs = {
    ...refused,
    detail: 'this installation gives out no kubeconfig without an end',
  };
  await settled();
  expect(secret('kubeconfig')).toBeUndefined();
  expect(secret('metadata')).toBeDefined();
  expect(status()?.outputsRefused).toBe('this installation gives out no kubeconfig without an end');
  const before = asked();
  await settled();
  expect(before).toBeGreaterThan(0);
  expect(asked()).toBe(before);
});

it('a kubeconfig that is given out is in its Secret, and the status has no refusal', async () => {
  await settled();
  expect(secret('kubeconfig')).toBeDefined();
  expect(status()?.outputsRefused).toBeUndefined();
});
