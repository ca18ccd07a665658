/** What Terraform would do to machines that the plan keeps is refused before anything is touched. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WaypointDocument } from '#contracts/stage.ts';
import type { StagePlan } from '#domain/plan.ts';
import { TerraformCli } from '#runner/terraform/cli/terraform-cli.ts';
import { refusedChanges, replacementRefused, suspectChanges } from '#runner/terraform/keep/refuse-replacements.ts';
import { skipsTerraform, terraformProgram } from '#test/providers/terraform-workspace.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { calls, host, json, nodes, openRecordings, record, recordings, world } from '../recorded-terraform.ts';
import { aDocument } from '../stage-world.ts';

const work: StagePlan = {
  stage: 'infrastructure',
  reasons: ['ports change'],
  work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy: false }] },
};
/** All machines exist, and all of them stay. */
const kept = (change: Partial<WaypointDocument> = {}): WaypointDocument =>
  aDocument([work], { direction: 'settle', before: twoProviderState(), ...change });

interface Change {
  readonly node?: string;
  readonly type?: string;
  readonly action: 'replace' | 'delete' | 'create' | 'update';
  readonly reason?: string;
  readonly paths?: readonly (readonly string[])[];
}

const actionsOf = { replace: ['delete', 'create'], delete: ['delete'], create: ['create'], update: ['update'] };
const [first = ''] = nodes;

/** The messages of the plan, and the plan itself as `terraform show` prints it. */
function planned(...changes: readonly Change[]): void {
  const rows = changes.map(({ node = first, type = 'hcloud_server', ...rest }) => {
    const address = host(node).replace('hcloud_server', type);
    return { address, type, node, ...rest };
  });
  const messages = rows.map(({ address, action, reason }) => ({
    '@message': 'plan',
    type: 'planned_change',
    change: { resource: { addr: address }, action, ...(reason && { reason }) },
  }));
  record('plan.out', json(messages));
  record('apply.out', '');
  const resource_changes = rows.map(({ address, type, node, action, paths }) => ({
    address,
    type,
    index: node,
    action_reason: 'replace_because_cannot_update',
    change: { actions: actionsOf[action], ...(paths && { replace_paths: paths }) },
  }));
  record('show.out', JSON.stringify({ format_version: '1.0', resource_changes }));
}

beforeEach(openRecordings);
afterEach(() => world.close());

describe('a machine that the plan keeps', () => {
  it('a machine that Terraform would replace is named with the attribute, and nothing is applied', async () => {
    planned({ action: 'replace', reason: 'cannot_update', paths: [['user_data'], ['network', '0']] });
    await world.put(kept());
    const { error } = await world.run('infrastructure');
    expect(error).toMatchObject({ class: 'user', code: 'ReplacementRefused', resource: first, retryable: false });
    expect(error?.message).toContain(`${first} (hcloud_server: user_data, network.0)`);
    expect(calls()).toEqual(['init', 'plan', 'show']);
  });

  it('a machine that Terraform would delete is refused, too', async () => {
    planned({ action: 'delete', reason: 'delete_because_no_resource_config' });
    await world.put(kept());
    const { error } = await world.run('infrastructure');
    expect(error?.code).toBe('ReplacementRefused');
    expect(error?.message).toContain(`${first} (hcloud_server: deleted`);
  });

  it('the disk of a machine that stays is not replaced either', async () => {
    planned({ type: 'hcloud_volume', action: 'replace', reason: 'cannot_update', paths: [['size']] });
    await world.put(kept());
    expect((await world.run('infrastructure')).error?.message).toContain('hcloud_volume: size');
  });

  it.each([
    ['a change in place', { action: 'update' }],
    ['a machine that is recreated because it is gone', { action: 'create' }],
    ['a replacement that a hook asked for', { action: 'replace', reason: 'requested' }],
    ['a machine whose creation was interrupted', { action: 'replace', reason: 'tainted' }],
    [
      'an attachment of OpenStack',
      { type: 'openstack_compute_volume_attach_v2', action: 'replace', reason: 'cannot_update' },
    ],
    ['an attachment', { type: 'hcloud_volume_attachment', action: 'replace', reason: 'cannot_update' }],
  ] as const)('%s is no such case', async (_, change) => {
    planned(change);
    await world.put(kept());
    expect(await world.run('infrastructure')).toMatchObject({ ok: true });
    expect(calls()).toContain('apply');
  });

  it('a replacement that the plan of a repair names is made', async () => {
    planned({ action: 'replace', reason: 'cannot_update' });
    const set = { install: [first], peers: [], uninstall: [], loadBalancers: [], proxy: [] };
    const configuration: StagePlan = { stage: 'configuration', reasons: ['set up again'], work: set };
    await world.put(kept({ direction: 'repair', stages: [work, configuration] }));
    expect(await world.run('infrastructure')).toMatchObject({ ok: true });
    await world.put(kept({ direction: 'repair' }));
    expect((await world.run('infrastructure')).error?.code).toBe('ReplacementRefused');
  });

  it('machines that a shrink removes are removed', async () => {
    const [pool, ...pools] = twoProviderState().pools;
    if (pool === undefined) throw new Error('the state has no pool');
    const fewer = { ...twoProviderState(), pools: [{ ...pool, nodes: pool.nodes.slice(1) }, ...pools] };
    planned({ action: 'delete', node: pool.nodes[0]?.name ?? '' });
    await world.put(kept({ direction: 'shrink', target: fewer }));
    expect((await world.run('infrastructure')).error?.code).not.toBe('ReplacementRefused');
    expect(calls()).toContain('apply');
  });

  it('the undo of a grow removes what is new and leaves alone what Terraform would replace', async () => {
    const target = twoProviderState();
    const before = { ...target, loadBalancers: [] };
    const added = target.loadBalancers.flatMap(({ pools }) => pools.flatMap((one) => one.nodes))[0]?.name ?? '';
    planned({ action: 'replace', reason: 'cannot_update', paths: [['user_data']] }, { action: 'delete', node: added });
    await world.put(aDocument([work], { before, target, undo: [work] }));
    expect(await world.run('infrastructure', { mode: 'undo' })).toMatchObject({ ok: true });
    const plans = readFileSync(join(recordings, 'calls'), 'utf8')
      .split('\n')
      .filter((line) => line.includes(': plan '));
    expect(plans).toHaveLength(2);
    expect(plans[1]).toContain(`-target=${host(added)}`);
  });
});

describe.skipIf(skipsTerraform)('the real Terraform', () => {
  it('the real Terraform says what it would replace, and because of which attribute', async () => {
    const { directory } = world;
    const resource = { host: { for_each: { [first]: 'here' }, triggers_replace: ['${var.image}'] } };
    const root = { variable: { image: { default: 'old' } }, resource: { terraform_data: resource } };
    writeFileSync(join(directory, 'main.tf.json'), JSON.stringify(root));
    const cli = (environment: Readonly<Record<string, string>>): TerraformCli =>
      new TerraformCli(
        { run },
        { directory, workspace: 'real', environment, nodes: new Set() },
        terraformProgram ?? '',
      );
    const made = cli({});
    await made.init();
    await made.plan({ replace: [], destroy: false, only: [] });
    await made.apply(() => undefined);
    const changed = cli({ TF_VAR_image: 'new' });
    const { messages } = await changed.plan({ replace: [], destroy: false, only: [] });
    const kept = new Set([first]);
    const refused = refusedChanges(suspectChanges(messages, kept), await changed.plannedChanges());
    const { error } = replacementRefused('hz-prod', refused, kept);
    expect(error.message).toContain(`${first} (terraform_data: triggers_replace)`);
    // The same that is asked for is not refused.
    const asked = { replace: [`terraform_data.host["${first}"]`], destroy: false, only: [] };
    expect(suspectChanges((await made.plan(asked)).messages, kept)).toEqual([]);
  });
});

/** Context of the runner, without its log. */
const run: ConstructorParameters<typeof TerraformCli>[0]['run'] = ({ program, args, cwd, environment, onLine }) =>
  new Promise((resolve) => {
    const options = { cwd, env: { PATH: process.env.PATH, ...environment } };
    execFile(program, [...args], options, (error, stdout, stderr) => {
      for (const line of stdout.split('\n')) onLine?.(line, 'stdout');
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr });
    });
  });
