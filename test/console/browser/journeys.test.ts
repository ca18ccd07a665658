/** What people do with the console, on a platform whose runner is simulated and fails as ordered. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { yamlText } from '../../../console/model/yaml-text.ts';
import {
  type ConsoleInBrowser,
  consoleInBrowser,
  ended,
  settled,
  setVisibility,
  simManifest,
  type Window,
  writeIn,
} from './console-in-browser.ts';

let console: ConsoleInBrowser;
/** How long a stage takes, unless it is held. */
const stageMs = '150';

beforeAll(async () => {
  console = await consoleInBrowser({
    KUBELOOM_SIM_STAGE_MS: stageMs,
    KUBELOOM_SIM_FAULTS: JSON.stringify([{ stage: 'kubernetes', class: 'quota', manifest: 'fails' }]),
    KUBELOOM_SIM_DRIFT: JSON.stringify([{ kind: 'mesh', manifest: 'drifts', pool: 'compute-1' }]),
  });
});
afterAll(() => console?.close());

async function opened(...given: Parameters<ConsoleInBrowser['open']>): Promise<Window> {
  const window = await console.open(...given);
  onTestFinished(async () => {
    await window.context.close();
    expect(window.reports.filter((report) => !/ERR_|status of (401|403|404|409|422)/.test(report))).toEqual([]);
  });
  return window;
}
const key = (name: string) => ({ namespace: 'default', name });
const write = async ({ page }: Window, text: string) => writeIn(page.getByLabel('Manifest as YAML'), text);

describe('a person who operates', () => {
  it('an operator writes a manifest, sees its faults, plans it, applies exactly that plan, and watches the run to its end', async () => {
    const window = await opened();
    const { page } = window;
    await page.getByRole('link', { name: 'New', exact: true }).click();
    await write(window, yamlText(simManifest('shop')).replace('count: 2', 'count: two'));
    await page.getByText('1 fault').waitFor();
    await page.getByRole('button', { name: /^line \d+$/ }).click();
    await write(window, yamlText(simManifest('shop')));
    await page.getByText('default/shop is valid').waitFor();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByText('nodes +3 ~0 −0').waitFor();
    // A stage is held until the page has shown it.
    process.env.KUBELOOM_SIM_STAGE_MS = '100000';
    await page.getByRole('button', { name: 'Apply exactly this plan' }).click();
    await page.getByRole('heading', { name: 'shop', exact: true }).waitFor();
    expect(page.url()).toMatch(/#\/manifests\/default\/shop\/run$/);
    await page
      .getByRole('button', { name: /running · \d+ s/ })
      .first()
      .waitFor();
    process.env.KUBELOOM_SIM_STAGE_MS = stageMs;
    await page.getByRole('row', { name: /grow: .* reached/ }).waitFor();
    expect(await page.getByRole('button', { name: /^done ·/ }).count()).toBeGreaterThan(3);
    await page.getByText('everything is in the desired state').waitFor();
  });

  it('an operator sees why a run failed and what to do, reads the log of the stage, and retries', async () => {
    await settled(console.api, simManifest('fails'));
    const { page, go } = await opened();
    await go('');
    await page
      .getByRole('row', { name: /fails/ })
      .getByText(/InjectedFault/)
      .waitFor();
    await page.getByRole('link', { name: 'fails' }).click();
    const card = page.getByRole('region', { name: 'Failure' });
    await card.getByText('Nothing real is broken: this failure is simulated.').waitFor();
    await page.getByRole('heading', { name: /^Log of kubernetes/ }).waitFor();
    await page.getByRole('log').getByText(/\S/).first().waitFor();
    await card.getByRole('button', { name: 'Retry' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('kubeloom retry fails --wait').waitFor();
    await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText('everything is in the desired state').waitFor();
    expect(await ended(console.api, key('fails'))).toBe('Done');
  });

  it('an operator has to type the name of the cluster before a deletion is carried out', async () => {
    await settled(console.api, simManifest('gone'));
    const { page, go } = await opened();
    await go('manifests/default/gone/plan?goal=delete');
    const remove = page.getByRole('button', { name: 'Delete exactly this' });
    await remove.waitFor();
    expect(await remove.isDisabled()).toBe(true);
    await page.getByLabel(/Type web/).fill('web');
    await remove.click();
    await page.getByText('There is no manifest default/gone').waitFor();
  });

  it('an operator rolls a manifest back exactly as the plan says, after typing the name of the cluster that loses a node', async () => {
    for (const compute of [2, 3]) await settled(console.api, simManifest('undone', { compute }));
    const { page, go } = await opened();
    await go('manifests/default/undone/plan?goal=rollback');
    await page.getByText('Back to generation 1, as a new generation.').waitFor();
    await page.getByText('nodes +0 ~0 −1').waitFor();
    await page.getByLabel(/Type web/).fill('web');
    await page.getByRole('button', { name: 'Roll back exactly so' }).click();
    await page.getByRole('row', { name: /shrink: .* reached/ }).waitFor();
    await page.getByText('everything is in the desired state').waitFor();
    const { generation, document } = await console.api.getManifest(key('undone'));
    expect([generation, document]).toMatchObject([3, { spec: simManifest('undone').spec }]);
  });

  it('an operator checks a cluster for drift, reads what was found, and repairs it', async () => {
    await settled(console.api, simManifest('drifts'));
    const { page, go } = await opened();
    const ask = async (verb: string): Promise<void> => {
      await page.getByRole('button', { name: verb, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
    };
    await go('manifests/default/drifts/drift');
    await page.getByText('There was no check for drift yet').waitFor();
    await ask('Check for drift');
    await page.getByText('some peers do not answer over WireGuard').waitFor();
    await page.getByText('can be repaired', { exact: true }).waitFor();
    const parts = page.locator('section[aria-labelledby="drift-web"]').locator('li, summary');
    expect(await parts.allInnerTexts()).toEqual([expect.stringMatching('do not answer'), 'Log of this check']);
    await go('');
    await page.getByRole('row', { name: /drifts .*1 difference found by the last check/ }).waitFor();
    await go('manifests/default/drifts/drift');
    await ask('Repair drift');
    await page.getByText(/no drift$/).waitFor();
    expect(await page.getByText('some peers do not answer').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Repair drift' }).count()).toBe(0);
  });

  it('every place is reached by keyboard', async () => {
    await settled(console.api, simManifest('keys'));
    const { page } = await opened();
    await page.getByRole('link', { name: 'keys', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('keys');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'keys', exact: true }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
  });
});

describe('two people', () => {
  it('one who may only view sees the same, and is offered nothing that would be refused', async () => {
    await settled(console.api, simManifest('seen'));
    const token = await console.userWith('viewer');
    const [owner, viewer] = [await opened(), await opened({ token })];
    for (const { go, page } of [owner, viewer]) {
      await go('manifests/default/seen');
      await page.getByRole('row', { name: /reached/ }).waitFor();
    }
    expect(await owner.page.getByRole('button', { name: 'Pause' }).count()).toBe(1);
    expect(await viewer.page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    await viewer.go('manifests/default/seen/plan?goal=delete');
    await viewer.page.getByText('nodes +0 ~0 −3').waitFor();
    expect(await viewer.page.getByRole('button', { name: 'Delete exactly this' }).count()).toBe(0);
    await owner.page.getByRole('button', { name: 'Pause' }).click();
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await viewer.go('');
    await viewer.page.getByRole('row', { name: /Paused seen/ }).waitFor();
  });

  it('one proposes a plan, and the other approves exactly that', async () => {
    await settled(console.api, simManifest('asked'));
    const manifest = simManifest('asked', { compute: 3 });
    const guarded = { ...manifest, spec: { ...manifest.spec, requireApproval: true } };
    await expect(console.api.putManifest(key('asked'), guarded)).rejects.toThrow('kept as proposed');
    const { page, go } = await opened({ token: await console.userWith('approver') });
    await go('manifests/default/asked/plan');
    await page.getByRole('link', { name: 'Look at it' }).click();
    await page.getByRole('button', { name: 'Approve exactly this plan' }).click();
    await page.getByText(/plan approved by local:approver/).waitFor();
    expect(await ended(console.api, key('asked'))).toBe('Done');
  });
});

describe('a console that is left alone', () => {
  it('a page asks for nothing while its tab is hidden, and is current again when it is seen', async () => {
    await settled(console.api, simManifest('idle'));
    const { page, requests, go } = await opened({ clock: true });
    await go('manifests/default/idle');
    await page.getByRole('row', { name: /reached/ }).waitFor();
    await setVisibility(page, 'hidden');
    const before = requests.length;
    // Longer than two turns of a page on which nothing happens.
    await page.clock.fastForward(25_000);
    expect(requests.length).toBe(before);
    await setVisibility(page, 'visible');
    await expect.poll(() => requests.length).toBeGreaterThan(before);
  });

  it('a page reports that the platform does not answer, keeps what it showed, and continues when the platform is back', async () => {
    await settled(console.api, simManifest('lost'));
    const { page, context, go } = await opened({ clock: true });
    await go('manifests/default/lost');
    await page.getByText(/^updated \d+ s ago$/).waitFor();
    await context.setOffline(true);
    await page.clock.fastForward(12_000);
    await page.getByText(/no answer; as it was/).waitFor();
    expect(await page.getByRole('row', { name: /reached/ }).count()).toBe(1);
    await context.setOffline(false);
    await page.clock.fastForward(40_000);
    await page.getByText(/^updated \d+ s ago$/).waitFor();
  });
});

describe('secrets', () => {
  it('the token is in no address, no storage and no answer that a page reads, and a code leaves the address', async () => {
    const { page, requests, context } = await opened();
    expect(page.url()).toBe(`${console.platform.apiUrl}/console/#/`);
    const stored = await page.evaluate(
      'JSON.stringify([localStorage, sessionStorage, document.cookie, history.state])',
    );
    for (const text of [String(stored), ...requests, await page.content()])
      expect(text).not.toContain(console.platform.token);
    expect(JSON.stringify(requests)).not.toContain('sign-in');
    const [cookie, ...others] = await context.cookies();
    expect([cookie, others]).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }, []]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are not signed in').waitFor();
  });
});
