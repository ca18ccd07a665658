/** A driver that reaches beyond the role of its runner fails in tests as it would in AWS. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StageName, StagePlan } from '#domain/plan.ts';
import type { Tool } from '#runner/stage-context.ts';
import { aDocument, type StageWorld, stageWorld } from './stage-world.ts';

let world: StageWorld;
beforeEach(() => {
  world = stageWorld();
});
afterEach(() => world.close());

const reasons = ['planted'];
const configuration = { install: [], peers: [], uninstall: [], loadBalancers: ['lb'], proxy: [] };
const stages: readonly StagePlan[] = [
  { stage: 'infrastructure', reasons, work: { workspaces: [] } },
  { stage: 'configuration', reasons, work: configuration },
  { stage: 'kubernetes', reasons, work: { action: 'apply' } },
  { stage: 'nodes', reasons, work: { patch: [], remove: [], maxUnavailable: 1 } },
  { stage: 'traffic', reasons, work: { loadBalancers: ['lb'] } },
];

/** A stage whose driver calls a method of a port that its type does not have. */
async function stageThatCalls(
  stage: StageName,
  port: 'artifacts' | 'secrets' | 'events',
  call: string,
  given: unknown[],
) {
  await world.put(aDocument(stages.filter((plan) => plan.stage === stage)));
  const tool: Tool = async ({ ports }) => {
    const adapter: object = Reflect.get(ports, port);
    await Reflect.apply(Reflect.get(adapter, call), adapter, given);
    return {};
  };
  return world.run(stage, { tool });
}

it.each([
  ['infrastructure', 'remove', 'kubeconfigs/team/shop/web', 's3:DeleteObject'],
  ['infrastructure', 'remove', 'runs/team/shop/old/facts.json', 's3:DeleteObject'],
  ['configuration', 'getText', 'terraform/team/shop/state', 's3:GetObject'],
  ['kubernetes', 'getText', 'pki/team/shop/web.tar.gz', 's3:GetObject'],
  ['nodes', 'putText', 'kubeconfigs/team/shop/web', 's3:PutObject'],
  ['traffic', 'list', 'documents/', 's3:ListBucket'],
] as const)(
  'a driver of %s that calls %s of %s is denied, and the object stays as it was',
  async (stage, call, key, action) => {
    await world.ports.artifacts.putText(key, 'as it was', 'text/plain');
    const result = await stageThatCalls(stage, 'artifacts', call, [key, 'changed', 'text/plain']);
    expect(result).toMatchObject({ ok: false, error: { class: 'bug', code: 'RunnerFault' } });
    expect(result.error?.message).toContain(`is not authorized to perform: ${action} on resource: ${key}`);
    expect(await world.ports.artifacts.getText(key)).toBe('as it was');
  },
);

it.each([
  ['infrastructure', 'put', 'user/team/hetzner', 'ssm:PutParameter'],
  ['infrastructure', 'remove', 'ssh/team/shop/pool', 'ssm:DeleteParameter'],
  ['nodes', 'get', 'ssh/team/shop/pool', 'ssm:GetParameter'],
] as const)(
  'a driver of %s that calls %s of the Secret %s is denied, and the Secret stays as it was',
  async (stage, call, path, action) => {
    await world.ports.secrets.put(path, { credentials: 'as it was' });
    const result = await stageThatCalls(stage, 'secrets', call, [path, { credentials: 'changed' }]);
    expect(result.error?.message).toContain(`is not authorized to perform: ${action} on resource: ${path}`);
    expect(await world.ports.secrets.get(path)).toEqual({ credentials: 'as it was' });
  },
);
