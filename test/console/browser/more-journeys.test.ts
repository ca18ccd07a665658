/** What people do with the history, the settings, inventories and roll-outs in the console. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import {
  type ConsoleInBrowser,
  consoleInBrowser,
  ended,
  settled,
  simManifest,
  type Window,
  writeIn,
} from './console-in-browser.ts';
import { changedLayer, storeInventory } from './inventory-in-browser.ts';

let console: ConsoleInBrowser;
let viewerToken: string;

beforeAll(async () => {
  console = await consoleInBrowser();
  await settled(console.api, simManifest('shop'));
  await settled(console.api, simManifest('shop', { compute: 3 }));
  await storeInventory(console);
  viewerToken = await console.userWith('viewer');
});
afterAll(() => console?.close());

async function opened(...given: Parameters<ConsoleInBrowser['open']>): Promise<Window> {
  const window = await console.open(...given);
  onTestFinished(async () => {
    await window.context.close();
    expect(window.reports.filter((report) => !/status of 404/.test(report))).toEqual([]);
  });
  return window;
}

it('a person sees what a generation changed line by line, and compares others', async () => {
  const { page, go } = await opened();
  await go('manifests/default/shop/history');
  const difference = page.getByRole('region', { name: 'Generation 1 and generation 2, line by line' });
  await difference.getByRole('row', { name: /removed count: 2/ }).waitFor();
  await difference.getByRole('row', { name: /added count: 3/ }).waitFor();
  await page.getByText('kubeloom diff shop g1 g2').waitFor();
  await page.getByLabel('from generation').selectOption('2');
  await page.getByText('Both documents are the same.').waitFor();
  expect(page.url()).toContain('from=2&to=2');
});

it('a person reads the log of a check for drift next to what it found', async () => {
  const key = { namespace: 'default', name: 'shop' };
  await console.api.driftManifest(key);
  await ended(console.api, key);
  const { page, go } = await opened({ token: viewerToken });
  await go('manifests/default/shop/drift');
  await page.getByText('no drift').waitFor();
  await page.getByText('Log of this check').click();
  await page.getByText(/kubeloom logs shop-\S+-d1 --cluster web --stage drift/).waitFor();
  await page.getByRole('log').getByText(/\S/).first().waitFor();
});

it('an operator checks the credentials of a provider instance, and a viewer reads what was found', async () => {
  const place = 'settings/providers?instance=default%2Fshop%2Fsim-1';
  const [owner, viewer] = [await opened(), await opened({ token: viewerToken })];
  await viewer.go(place);
  await viewer.page.getByText('Its credentials were never checked.').waitFor();
  expect(await viewer.page.getByRole('button', { name: 'Check its credentials' }).count()).toBe(0);
  await owner.go(place);
  await owner.page.getByRole('button', { name: 'Check its credentials' }).click();
  await owner.page.getByText('simulated: nothing was asked').waitFor();
  await viewer.page.reload();
  await viewer.page.getByText('simulated: nothing was asked').waitFor();
});

it('a Secret is shown by its name, with who needs it, and its values nowhere', async () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hetzner', namespace: 'default' } };
  await console.api.putSecret(
    { namespace: 'default', name: 'hetzner' },
    { ...secret, stringData: { credentials: 'planted-value' } },
  );
  const { page, go } = await opened();
  await go('settings/secrets');
  await page.getByRole('row', { name: /default\/hetzner stored none/ }).waitFor();
  expect(await page.content()).not.toContain('planted-value');
});

it('an admin sees who may do what and who did what; a viewer sees only its own roles', async () => {
  const [owner, viewer] = [await opened(), await opened({ token: viewerToken })];
  await owner.go('access/roles');
  await owner.page.getByRole('row', { name: /viewer viewer all user:local:viewer/ }).waitFor();
  await viewer.go('access/roles');
  await viewer.page.getByText('Only an admin of all namespaces sees the roles of others.').waitFor();
  await viewer.page.getByText('viewer in all namespaces').waitFor();
  await owner.go('access/audit');
  await owner.page.getByLabel('Search what was done').fill('shop generation');
  await owner.page
    .getByRole('row', { name: /default\/shop/ })
    .first()
    .waitFor();
  await owner.page.getByText('RoleBinding viewer').waitFor({ state: 'detached' });
});

it('an operator pauses a roll-out during its first wave, resumes it, and sees it finish', async () => {
  const { page, go } = await opened();
  const confirm = async (verb: string): Promise<void> => {
    await page.getByRole('button', { name: verb, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
  };
  const wave = (number: number) => page.locator('summary', { hasText: `Wave ${number}` });
  const changed = async () => {
    const manifests = ['acme-ams2', 'acme-fra1'].map((name) => console.api.getManifest({ namespace: 'fleet', name }));
    return (await Promise.all(manifests)).filter(({ document }) => JSON.stringify(document).includes('resumed')).length;
  };
  await go('inventory/fleet/plan');
  await writeIn(page.getByLabel(/documents of the inventory/), changedLayer('resumed'));
  await page.getByRole('button', { name: 'Plan this change' }).click();
  await page.getByText('2 clusters depend on this; 2 change').waitFor();
  await page.getByLabel('Waves').fill('1,100%');
  await page.getByLabel('watched for').fill('0s');
  // The stage is held until the pause is asked for.
  process.env.KUBELOOM_SIM_STAGE_MS = '100000';
  await page.getByRole('button', { name: 'Roll out exactly this plan' }).click();
  await wave(1).getByText('in progress').waitFor();
  await confirm('Pause');
  await page.getByRole('heading', { name: /Pauses/ }).waitFor();
  process.env.KUBELOOM_SIM_STAGE_MS = '0';
  await page.getByRole('heading', { name: /Paused/ }).waitFor();
  await wave(1).getByText('done').waitFor();
  await wave(2).getByText('waits').waitFor();
  expect(await changed()).toBe(1);
  await confirm('Resume');
  await page.getByRole('heading', { name: /Rolled out/ }).waitFor();
  await wave(2).getByText('done').waitFor();
  expect(await page.getByRole('button', { name: /^(Pause|Resume|Cancel)$/ }).count()).toBe(0);
  expect(await changed()).toBe(2);
});

it('an operator plans a change of an inventory, rolls out exactly that, pauses it, and is offered to resume it', async () => {
  const { page, go } = await opened();
  await go('inventory/fleet/documents?kind=InventoryLayer&name=prod');
  await page.getByText('Inherited by').waitFor();
  expect(await page.getByRole('link', { name: 'acme-fra1', exact: true }).count()).toBeGreaterThan(0);
  await page.getByRole('link', { name: 'Plan a change' }).click();
  await writeIn(page.getByLabel(/documents of the inventory/), changedLayer('rolled-out'));
  await page.getByRole('button', { name: 'Plan this change' }).click();
  await page.getByText('2 clusters depend on this; 2 change').waitFor();
  const cost = page.getByRole('region', { name: 'Cost of a month' });
  await cost.getByText(/^Machines a month: (\d+\.00 USD) → \1 \(\+0\.00 USD\)$/).waitFor();
  await page.getByLabel('Waves').fill('1,100%');
  await page.getByLabel('watched for').fill('1h');
  await page.getByRole('button', { name: 'Roll out exactly this plan' }).click();
  await page.getByText('Wave 1').waitFor();
  expect(page.url()).toMatch(/rollouts\?id=/);
  await page.getByText('is watched').waitFor();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page
    .getByRole('dialog')
    .getByText(/kubeloom rollout pause \S+ -n fleet/)
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
});

it('a dialog that is closed by Escape, or by a click, gives the focus back, and one that may delete machines wants a name', async () => {
  const { page, go } = await opened();
  await page.route(/\/rollouts\/[^/]+$/, async (route) => {
    const response = await route.fetch();
    const rollOut = (await response.json()) as object;
    await route.fulfill({ response, json: { ...rollOut, status: 'Paused', pausing: false, interrupted: false } });
  });
  await go('inventory/fleet/rollouts');
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  const dialog = page.getByRole('dialog', { name: /^Undo: / });
  await undo.press('Enter');
  await dialog.waitFor();
  const sure = dialog.getByRole('button', { name: 'Undo', exact: true });
  expect(await sure.isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await undo.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
  await undo.press('Enter');
  await dialog.getByLabel(/Type fleet/).fill('fleet');
  expect(await sure.isEnabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Not now' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await undo.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
});

it('a viewer sees a roll-out wave by wave, and is offered no verb', async () => {
  const { page, go } = await opened({ token: viewerToken });
  await go('inventory/fleet/rollouts');
  await page.getByText('Wave 1').waitFor();
  expect(await page.getByRole('button', { name: /^(Pause|Resume|Undo|Cancel)$/ }).count()).toBe(0);
  await page.getByRole('link', { name: 'acme-ams2' }).click();
  await page.getByRole('heading', { name: 'acme-ams2', exact: true }).waitFor();
  expect(await ended(console.api, { namespace: 'fleet', name: 'acme-ams2' })).toBe('Done');
});
