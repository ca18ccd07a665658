/** What someone wrote, saw or was about to do stays when others change things, and when the platform is away or ends the session. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import {
  type ConsoleInBrowser,
  consoleInBrowser,
  ended,
  settled,
  setVisibility,
  simManifest,
  textIn,
  type Window,
  writeIn,
} from './console-in-browser.ts';
import { changedLayer, storeInventory } from './inventory-in-browser.ts';

let console: ConsoleInBrowser;

beforeAll(async () => {
  console = await consoleInBrowser({ KUBELOOM_SIM_STAGE_MS: '20' });
});
afterAll(() => console?.close());

async function opened(...given: Parameters<ConsoleInBrowser['open']>): Promise<Window> {
  const window = await console.open(...given);
  onTestFinished(() => window.context.close());
  return window;
}
const key = (name: string) => ({ namespace: 'default', name });
const area = ({ page }: Window) => page.getByLabel('Manifest as YAML');

describe('a text that someone writes', () => {
  it('a generation stored by someone else does not change the text in the editor, and the user can load or overwrite it', async () => {
    await settled(console.api, simManifest('shared'));
    const window = await opened({ clock: true });
    const { page, go } = window;
    await go('manifests/default/shared/plan');
    await page.getByText(/is valid/).waitFor();
    const mine = (await textIn(area(window))).replace('count: 2', 'count: 4');
    await writeIn(area(window), mine);
    await settled(console.api, simManifest('shared', { compute: 3 }));
    await page.clock.fastForward(21_000);
    await page.getByText('Generation 2 was stored meanwhile').waitFor();
    expect(await textIn(area(window))).toBe(mine);
    await page.getByRole('button', { name: 'Keep mine' }).click();
    expect(await textIn(area(window))).toBe(mine);
    await settled(console.api, simManifest('shared', { compute: 1 }));
    await page.clock.fastForward(21_000);
    await page.getByRole('button', { name: 'Load generation 3' }).click();
    expect(await textIn(area(window))).not.toContain('count: 4');
  });

  it('a text is still there after one was on other views, until it is discarded', async () => {
    await settled(console.api, simManifest('written'));
    const window = await opened();
    const { page, go } = window;
    await go('manifests/default/written/plan');
    await page.getByText(/is valid/).waitFor();
    await writeIn(area(window), '# mine');
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('generation 1', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Fleet' }).first().click();
    await page.getByRole('link', { name: 'written', exact: true }).click();
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Plan' }).click();
    await page.getByText('Not applied yet').waitFor();
    expect(await textIn(area(window))).toBe('# mine');
    await page.getByRole('button', { name: 'Discard my changes' }).click();
    await page.getByText(/is valid/).waitFor();
  });

  it('a text with more than a manifest is not planned, and says what to do', async () => {
    const window = await opened();
    await window.go('new');
    const secret = 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: keys\nstringData:\n  a: b\n';
    await writeIn(area(window), `${JSON.stringify(simManifest('both'))}\n---\n${secret}`);
    await window.page.getByText('1 more document').waitFor();
    expect(await window.page.getByRole('button', { name: 'Plan', exact: true }).isDisabled()).toBe(true);
  });
});

describe('a change of an inventory that someone writes', () => {
  const text = ({ page }: Window) => page.getByLabel(/documents of the inventory/);

  it('the text is still there after one was on other views, and the browser asks before it is lost', async () => {
    const window = await opened();
    const { page, go } = window;
    await go('inventory/default/plan');
    await writeIn(text(window), '# mine');
    await page.getByRole('link', { name: 'Roll-outs', exact: true }).click();
    await page.getByText('No roll-out yet').waitFor();
    await page.getByRole('link', { name: 'Fleet' }).first().click();
    await page.getByRole('link', { name: 'Inventory', exact: true }).click();
    await page.getByRole('link', { name: 'Plan a change' }).click();
    expect(await textIn(text(window))).toBe('# mine');
    const asked = page.waitForEvent('dialog');
    const reloaded = page.evaluate('location.reload()');
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    await reloaded;
    await page.getByRole('button', { name: 'Discard my text' }).click();
    expect(await textIn(text(window))).toBe('');
    await page.reload();
    await text(window).waitFor();
  });

  it('a plan, and the waves that one chose for it, have an address', async () => {
    await storeInventory(console);
    const layer = parse(changedLayer('addressed')) as Parameters<typeof console.api.putInventory>[1];
    await console.api.putInventory({ namespace: 'fleet', kind: 'InventoryLayer', name: 'prod' }, layer);
    const { page, go } = await opened();
    await go('inventory/fleet/plan');
    await page.getByRole('button', { name: 'Plan the 2 clusters behind' }).click();
    await page.getByText('2 clusters depend on this; 2 change').waitFor();
    await page.getByLabel('Waves').fill('1,100%');
    await expect.poll(() => page.url()).toContain('#/inventory/fleet/plan?of=behind&waves=1%2C100%25');
    await page.reload();
    await page.getByText('2 clusters depend on this; 2 change').waitFor();
    expect(await page.getByLabel('Waves').inputValue()).toBe('1,100%');
    await page
      .getByText(/^kubeloom rollout start --plan/)
      .or(page.getByText('as command'))
      .first()
      .waitFor();
  });
});

describe('a plan that someone reads', () => {
  it('a change that needs no machine work is applied from its plan, and the deletion that it allows then, too', async () => {
    const kept = simManifest('kept');
    await settled(console.api, { ...kept, spec: { ...kept.spec, deletionProtection: true } } as typeof kept);
    const window = await opened();
    const { page, go } = window;
    await go('manifests/default/kept/plan');
    await page.getByText(/is valid/).waitFor();
    const text = await textIn(area(window));
    await writeIn(area(window), text.replace('deletionProtection: true', 'deletionProtection: false'));
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByText('no machine changes').waitFor();
    await page.getByRole('button', { name: 'Apply exactly this plan' }).click();
    await expect.poll(async () => (await console.api.getManifest(key('kept'))).generation).toBe(2);
    expect(await ended(console.api, key('kept'))).toBe('Done');
  });

  it('the text typed to confirm one plan does not confirm another plan', async () => {
    await settled(console.api, simManifest('moved'));
    const { page, go } = await opened();
    let plans = 0;
    await page.route('**/moved/plan?*', async (route) => {
      const response = await route.fetch();
      const report = (await response.json()) as { id: string };
      plans += 1;
      await route.fulfill({ response, json: { ...report, id: plans === 1 ? report.id : 'f'.repeat(40) } });
    });
    await go('manifests/default/moved/plan?goal=delete');
    const remove = page.getByRole('button', { name: 'Delete exactly this' });
    await page.getByLabel(/Type web/).fill('web');
    expect(await remove.isEnabled()).toBe(true);
    await page.getByRole('button', { name: 'Plan again' }).click();
    await page.getByText('f'.repeat(40)).waitFor();
    expect([await page.getByLabel(/Type web/).inputValue(), await remove.isDisabled()]).toEqual(['', true]);
  });

  it('a verb that was opened before someone else changed the manifest does not meet what is there now', async () => {
    await settled(console.api, simManifest('asked'));
    const { page, go } = await opened();
    await go('manifests/default/asked');
    await page.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog');
    const sure = dialog.getByRole('button', { name: 'Pause', exact: true });
    await expect.poll(() => sure.isEnabled()).toBe(true);
    await settled(console.api, simManifest('asked', { compute: 3 }));
    await sure.click();
    await dialog.getByText(/generation 2, attempt 1 is stored/).waitFor();
    expect((await console.api.getManifest(key('asked'))).paused).toBe(false);
    await dialog.getByText('Pause was not accepted', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Not now' }).click();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Pause');
  });

  it('a verb that did not meet what is there now meets it when it is asked for again', async () => {
    await settled(console.api, simManifest('again'));
    const { page, go } = await opened();
    await go('manifests/default/again');
    await page.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog');
    const sure = dialog.getByRole('button', { name: 'Pause', exact: true });
    await expect.poll(() => sure.isEnabled()).toBe(true);
    await settled(console.api, simManifest('again', { compute: 3 }));
    const asked = page.waitForResponse((response) => response.url().endsWith('/manifests/default/again'));
    await sure.click();
    await dialog.getByText(/generation 2, attempt 1 is stored/).waitFor();
    await asked;
    await sure.click();
    await expect.poll(async () => (await console.api.getManifest(key('again'))).paused).toBe(true);
  });

  it('a verb whose answer is lost is not called refused: no one knows whether it was accepted', async () => {
    await settled(console.api, simManifest('lost'));
    const { page, go } = await opened();
    await go('manifests/default/lost');
    await page.route('**/lost/pause', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await dialog.getByText('It is not known whether Pause was accepted', { exact: true }).waitFor();
    await dialog.getByText(/Nothing answered\. Read what the page shows/).waitFor();
    expect((await console.api.getManifest(key('lost'))).paused).toBe(true);
  });
});

describe('a page whose platform is away', () => {
  it('a page stays when the identity of the user cannot be read again', async () => {
    await settled(console.api, simManifest('there'));
    const { page, go, requests } = await opened({ clock: true });
    await go('manifests/default/there');
    await page.getByRole('row', { name: /reached/ }).waitFor();
    await page.route('**/v1/whoami', (route) => route.abort());
    await setVisibility(page, 'hidden');
    await page.clock.fastForward(70_000);
    const asked = requests.filter((url) => url.endsWith('/whoami')).length;
    await setVisibility(page, 'visible');
    await expect.poll(() => requests.filter((url) => url.endsWith('/whoami')).length).toBeGreaterThan(asked);
    await page.clock.fastForward(5000);
    await page.clock.fastForward(5000);
    expect(await page.getByRole('row', { name: /reached/ }).count()).toBe(1);
    await page.unroute('**/v1/whoami');
    expect(await page.getByText('Nothing answers').count()).toBe(0);
  });

  it('a view whose file cannot be loaded shows an error, and the other views still work', async () => {
    await settled(console.api, simManifest('older'));
    const { page, go } = await opened();
    await go('manifests/default/older');
    await page.getByRole('row', { name: /reached/ }).waitFor();
    await page.route('**/assets/history*', (route) => route.fulfill({ status: 404, body: '' }));
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('This view cannot be shown').waitFor();
    await page.getByRole('link', { name: 'Nodes' }).click();
    await page
      .getByText(/of \d ready/)
      .first()
      .waitFor();
  });
});
