/** A function that reaches beyond its role fails in tests as it would in AWS. */
import { expect, it } from 'vitest';
import { functionMay } from '#functions/rights/function-rights.ts';
import { asFunction } from '#local/rights/function-at-work.ts';
import { boundedFunctions } from '#test/fakes/bounded-functions.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';

it('a function that touches an object outside of its bounds is refused, and another one may', async () => {
  const { artifacts } = boundedFunctions(fakeDeps());
  const read = (name: string) => asFunction(name, async () => artifacts.getText('kubeconfigs/team/shop/web'));
  await expect(read('collect-result')).rejects.toThrow(
    'collect-result is not authorized to perform: s3:GetObject on resource: kubeconfigs/team/shop/web',
  );
  expect(await read('router')).toBeUndefined();
});

it.each([
  ['tick', 'dynamodb:Query', 'ROLES'],
  ['plan-cluster', 'dynamodb:PutItem', 'ROLES'],
  ['take-lease', 'dynamodb:GetItem', 'TEMPLATES#team'],
  ['router', 'ssm:PutParameter', 'ssh/team/pool'],
  ['commit-waypoint', 's3:PutObject', 'terraform/team/shop/state'],
  ['plan-cluster', 's3:ListBucket', 'kubeconfigs/'],
  ['commit-waypoint', 's3:GetObject', 'pki/team/shop/web.tar.gz'],
  ['router', 's3:GetObject', 'pki/team/shop/web.tar.gz'],
  ['router', 's3:ListBucket', 'pki/'],
  ['router', 's3:GetObject', 'terraform/team/shop/state'],
  ['router', 's3:PutObject', 'kubeconfigs/team/shop/web'],
  ['commit-waypoint', 's3:DeleteObject', 'runs/team/shop/run'],
  ['commit-waypoint', 'ssm:DeleteParameter', 'user/team/hetzner'],
  ['commit-waypoint', 's3:GetObject', 'kubeconfigs/team/shop/web'],
])('%s may not %s of %s', (name, action, key) => {
  expect(functionMay(name, action, key)).toBe(false);
});
