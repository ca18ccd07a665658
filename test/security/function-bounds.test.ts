/** A function that reaches beyond its role fails in tests as it would in AWS. */
import { expect, it } from 'vitest';
import { functionMay } from '#functions/rights/function-rights.ts';
import { runnerTools } from '#functions/rights/runner-rights.ts';
import { asFunction } from '#local/rights/function-at-work.ts';
import { boundedFunctions } from '#test/fakes/bounded-functions.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';
import { toolsOf } from '../../cdk/asl-files.ts';

it('a function cannot touch an object outside of its permissions, and a function with the permission can', async () => {
  const { artifacts } = boundedFunctions(fakeDeps());
  const read = (name: string) => asFunction(name, async () => artifacts.getText('kubeconfigs/team/shop/web'));
  await expect(read('collect-result')).rejects.toThrow(
    'collect-result is not authorized to perform: s3:GetObject on resource: kubeconfigs/team/shop/web',
  );
  expect(await read('router')).toBeUndefined();
});

it('a function that touches a partition of the table outside of its bounds is refused, and another one may', async () => {
  const { roleBindings, manifests } = boundedFunctions(fakeDeps());
  const list = (name: string) => asFunction(name, async () => roleBindings.list());
  await expect(list('tick')).rejects.toThrow('tick is not authorized to perform: dynamodb:Query on resource: ROLES');
  expect(await list('router')).toEqual([]);
  const document = asFunction('take-lease', async () => manifests.get({ namespace: 'team', name: 'shop' }));
  await expect(document).rejects.toThrow('take-lease is not authorized to perform: dynamodb:GetItem');
});

it('a function that stops a build, or starts an execution, without the right is refused', async () => {
  const { builds, workflows } = boundedFunctions(fakeDeps());
  const stop = asFunction('take-lease', async () => builds.stop('kubeloom-terraform:1'));
  await expect(stop).rejects.toThrow('take-lease is not authorized to perform: codebuild:StopBuild');
  const ask = asFunction('tick', async () => workflows.askRunner({ kind: 'credentials', job: 'checks/a/b/c/1' }));
  await expect(ask).rejects.toThrow('tick is not authorized to perform: states:StartSyncExecution');
});

it('the API and GitSources see builds of those runners that the machine of questions starts', () => {
  const tools = toolsOf('ask-runner');
  expect(tools.length).toBeGreaterThan(0);
  for (const tool of runnerTools) {
    expect(functionMay('router', 'codebuild:BatchGetBuilds', tool), tool).toBe(tools.includes(tool));
    expect(functionMay('sync-sources', 'codebuild:BatchGetBuilds', tool), tool).toBe(tool === 'terraform');
  }
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
