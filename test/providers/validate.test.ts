/** `terraform validate` where no other test applies: every way to log in, and the modules that need no plugin. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { chooseLogin } from '#rendering/provider-login.ts';
import { ProviderTemplate } from '#rendering/provider-template.ts';
import { Fleet } from './fleet.ts';
import { fleetState } from './fleet-manifest.ts';
import { type ProviderCase, providerCases } from './provider-cases.ts';
import { done, skipsTerraform, type TerraformWorkspace } from './terraform-workspace.ts';

const directory = new URL('../../templates/terraform/local/', import.meta.url);
const local: ProviderCase = {
  type: 'local',
  source: '',
  nodes: true,
  dns: true,
  fixtures: [],
  modules: fileURLToPath(directory),
  template: ProviderTemplate.parse(JSON.parse(readFileSync(new URL('provider.json', directory), 'utf8'))),
  place: { regions: ['here', 'there'], serverType: 'small', image: 'debian', zone: 'example.com' },
};

/** A type with the provider block of one of its further logins, optional fields included. */
const loginCases = providerCases.flatMap((tested) =>
  (tested.template.provider?.logins ?? []).map(({ fields, credentials }) => {
    const { template } = chooseLogin(tested.template, new Set([...fields, ...Object.values(credentials)]));
    return { ...tested, template, login: fields.join(', ') };
  }),
);

let fleet: Fleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

async function machinesOf(tested: ProviderCase): Promise<TerraformWorkspace> {
  fleet = await Fleet.start(tested);
  fleet.own('home', { tenant: 'one', project: 'first' });
  const pool = { instance: 'home', region: tested.place.regions[0], count: 1 } as const;
  const pools = [
    { ...pool, name: 'control', role: 'control' },
    { ...pool, name: 'edge', role: 'loadBalancer' },
  ] as const;
  return await fleet.machines('home', fleetState(tested, { pools }, null));
}

async function validated(workspace: TerraformWorkspace): Promise<void> {
  await done(workspace.init());
  await done(workspace.validate());
}

describe.skipIf(skipsTerraform)('terraform validate', () => {
  test.each(loginCases)(
    'terraform validate accepts the provider block of $type that logs in with $login',
    async (tested) => {
      await validated(await machinesOf(tested));
    },
  );

  test('terraform validate accepts the machines and names of local, whose modules use no plugin', async () => {
    await validated(await machinesOf(local));
    const { zone } = local.place;
    const names = { zone, hostname: 'shop', alternativeNames: ['www'], addresses: ['192.0.2.1'], healthCheckPort: 443 };
    if (fleet !== undefined) await validated(await fleet.names('home', names));
  });

  test('terraform validate refuses a login argument that the provider does not have', async () => {
    const [azure] = loginCases.filter(({ type }) => type === 'azure');
    if (azure?.template.provider === undefined) throw new Error('azure has no further login');
    const provider = { ...azure.template.provider, arguments: { ...azure.template.provider.arguments, oidc: true } };
    const workspace = await machinesOf({ ...azure, template: { ...azure.template, provider } });
    await done(workspace.init());
    expect(await workspace.validate()).toMatchObject({ ok: false, output: expect.stringContaining('"oidc"') });
  });
});
