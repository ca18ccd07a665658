/** The hooks of provider type local with the real Terraform: tainted hosts of dropped pools go, released ones stay. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MachinesRootInput, renderMachinesRoot } from '#rendering/machines-root.ts';
import { noProviderTemplate } from '#rendering/provider-template.ts';
import { dynamicPool, local, twoProviderState } from '#test/rendering/states.ts';
import { HostWorkshop, isRoot, outcomeOf } from './host-workshop.ts';

const templates = fileURLToPath(new URL('../../templates/terraform/local', import.meta.url));
const terraform = process.env.KUBELOOM_TERRAFORM ?? 'terraform';
const scope = { installation: 'test', cluster: 'shop-abc1234', provider: 'rack' };

interface Resource {
  readonly address: string;
  readonly type: string;
  readonly index?: string;
}

describe.runIf(isRoot)('hooks of local hosts', () => {
  const workshop = new HostWorkshop();
  const workspace = join(workshop.directory, 'workspace');
  const place = (name: string, region: string, nodes: readonly string[]) =>
    dynamicPool(
      {
        id: `${name}-abc1234`,
        nodes: nodes.map((node, at) => ({ name: node, privateAddress: `192.168.2.${at + 1}` })),
      },
      { provider: local, region },
    );
  const kept = place('kept', 'here', ['kept-01']);
  const dropped = place('dropped', 'there', ['dropped-01', 'dropped-02']);
  const state = (...pools: readonly ReturnType<typeof place>[]) =>
    twoProviderState({ pools: [...pools], loadBalancers: [] });
  const names = async () => (await workshop.status()).map(({ host }) => host);

  beforeAll(async () => {
    await workshop.must(['base-build']);
    await apply({ state: state(kept, dropped), others: [] });
  });
  afterAll(() => workshop.close());

  test('a tainted host of a dropped pool survives Terraform, and the hook removes it with its region', async () => {
    await must('taint', `module.pool_dropped-abc1234.terraform_data.host["dropped-01"]`);
    await apply({ state: state(kept), others: [state(kept, dropped)] });
    await hook('after-apply', await resources());
    expect(await names()).toEqual(['kept-01']);
    expect((await resources()).filter(({ address }) => /dropped|there/.test(address))).toEqual([]);
  });

  test('a tainted host of a pool that remains is removed by the hook, and nothing else is', async () => {
    await apply({ state: state(kept, dropped), others: [] });
    await must('taint', `module.pool_dropped-abc1234.terraform_data.host["dropped-02"]`);
    await apply({ state: state(kept, { ...dropped, nodes: dropped.nodes.slice(0, 1) }), others: [] });
    expect(await names()).toEqual(['dropped-01', 'dropped-02', 'kept-01']);
    const answer = await hook('after-apply', await resources());
    expect(JSON.parse(answer)).toEqual({ replace: [], removed: ['dropped-02'] });
    expect(await names()).toEqual(['dropped-01', 'kept-01']);
  });

  test('an orphaned host and its site survive reconcile, site-down and the sweep of the site', async () => {
    const free = (await resources()).filter(({ index }) => index === 'dropped-01');
    await hook('orphan', free);
    await must('state', 'rm', ...free.map(({ address }) => address));
    await hook('before-apply', await resources());
    await must('apply', '-destroy', '-auto-approve');
    await hook('after-destroy', []);
    expect(await names()).toEqual(['dropped-01']);
    expect(await workshop.ssh('dropped-01', 'hostname')).toBe('dropped-01');
    await workshop.must(['gc', '--all']);
    expect(workshop.leftovers()).toEqual([]);
  });

  async function apply(target: Pick<MachinesRootInput, 'state' | 'others'>): Promise<void> {
    mkdirSync(workspace, { recursive: true });
    const root = renderMachinesRoot({
      ...target,
      clusterId: scope.cluster,
      provider: local,
      template: noProviderTemplate,
      installation: scope.installation,
      backend: { bucket: '', region: '', key: '' },
      namespace: 'team',
      manifest: 'shop',
      generation: 1,
      adminCidrs: [],
      peerCidrs: [],
      modules: templates,
      publicKeys: { [kept.id]: workshop.publicKey, [dropped.id]: workshop.publicKey },
      extra: { network: { hosts_dir: workshop.stateDirectory }, nodepool: {} },
    });
    // The state stays on this machine here.
    const { terraform: _, ...rest } = root;
    writeFileSync(join(workspace, 'main.tf.json'), JSON.stringify(rest));
    await must('init');
    await must('apply', '-auto-approve');
  }

  async function must(command: string, ...args: readonly string[]): Promise<string> {
    const { KUBELOOM_HOSTS_DIR: _, ...rest } = workshop.environment;
    const env = { ...rest, TF_CLI_CONFIG_FILE: '/dev/null', TF_IN_AUTOMATION: '1' };
    const { code, stdout, stderr } = await outcomeOf(spawn(terraform, [command, ...args], { cwd: workspace, env }));
    if (code !== 0) throw new Error(`terraform ${command} ended with ${code}: ${stdout}${stderr}`);
    return stdout;
  }

  async function resources(): Promise<readonly Resource[]> {
    const shown = JSON.parse(await must('show', '-json')) as {
      values?: { root_module: { child_modules?: readonly { resources?: readonly Resource[] }[] } };
    };
    return (shown.values?.root_module.child_modules ?? []).flatMap((child) => child.resources ?? []);
  }

  async function hook(name: string, found: readonly Resource[]): Promise<string> {
    const input = JSON.stringify({ ...scope, kind: 'machines', destroy: false, resources: found });
    return execFileSync(process.execPath, [join(templates, `${name}.ts`)], {
      input,
      env: workshop.environment,
    }).toString();
  }
});
