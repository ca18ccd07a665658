/** The editor of documents: completion, faults at their lines, keys that trap no one, and no string that becomes more than text. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { yamlText } from '../../../console/model/yaml-text.ts';
import {
  type ConsoleInBrowser,
  consoleInBrowser,
  ended,
  simManifest,
  textIn,
  type Window,
  writeIn,
} from './console-in-browser.ts';

let console: ConsoleInBrowser;

beforeAll(async () => {
  console = await consoleInBrowser();
});
afterAll(() => console?.close());

/** On the page for a new manifest; what the page reports is a fault of the test, refusals of its policy among them. */
async function writing(text = ''): Promise<Window> {
  const window = await console.open();
  onTestFinished(async () => {
    await window.context.close();
    // A text that cannot be parsed is refused by the check; a log that is followed may not be there yet.
    const expected = /status of (?:400|404 .*\/logs\/)/;
    expect(window.reports.filter((report) => !expected.test(report))).toEqual([]);
  });
  await window.go('new');
  await writeIn(area(window), text);
  return window;
}
const area = ({ page }: Window) => page.getByRole('textbox', { name: 'Manifest as YAML' });
const manifest = yamlText(simManifest('shop'));

/** With the keyboard. What has just appeared does not take an Enter: someone may have meant a new line (CodeMirror waits for 75 ms). */
async function choose(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('option', { name, selected: true }).waitFor();
  await page.evaluate('new Promise((taken) => setTimeout(taken, 100))');
  await page.keyboard.press('Enter');
}

describe('completion', () => {
  it('keys and values of the kind are offered where they belong, and are written with the keyboard alone', async () => {
    const window = await writing();
    const { page } = window;
    await area(window).focus();
    await page.keyboard.type('kind: Inp');
    await choose(page, 'InputManifest');
    await expect.poll(() => page.getByRole('option').count()).toBe(0);
    await page.keyboard.type('\nspe');
    await choose(page, /^spec/);
    // What it was chosen for is below it already.
    await page.keyboard.type('prov');
    await page.getByText('Clouds and their credentials.').waitFor();
    await choose(page, /^providers/);
    await page.keyboard.type('providerT');
    await choose(page, /^providerType/);
    await page.keyboard.type('hetz');
    await choose(page, /^hetzner/);
    expect(await textIn(area(window))).toBe('kind: InputManifest\nspec:\n  providers:\n    - providerType: hetzner');
  });

  it('Enter is a new line once a value is all there, chosen or typed', async () => {
    const window = await writing();
    const { page } = window;
    /** As long as someone may need to read the text. */
    const written = async (): Promise<void> => {
      await expect.poll(() => page.getByRole('option').count()).toBe(0);
      await page.evaluate('new Promise((seen) => setTimeout(seen, 500))');
    };
    await area(window).focus();
    await page.keyboard.type('kind: Inp');
    await choose(page, 'InputManifest');
    await written();
    await page.keyboard.press('Enter');
    await page.keyboard.type('kind: InputManifes');
    await page.getByRole('option', { name: 'InputManifest' }).waitFor();
    await page.keyboard.type('t');
    await written();
    await page.keyboard.press('Enter');
    expect(await textIn(area(window))).toBe('kind: InputManifest\nkind: InputManifest\n');
  });

  it('Ctrl-Space offers what a mapping does not have yet, and nothing of other kinds', async () => {
    const window = await writing('kind: MachineGroups\nspec:\n  providers: []\n  ');
    const { page } = window;
    await area(window).press('Control+End');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: /^groups/ }).waitFor();
    expect(await page.getByRole('option', { name: /^(providers|nodePools)/ }).count()).toBe(0);
  });
});

describe('faults', () => {
  it('a fault is marked at its line, reached from the list and with F8, and gone once it is repaired', async () => {
    const window = await writing(manifest.replace('count: 2', 'count: two').replace('count: 1', 'count: one'));
    const { page } = window;
    await page.getByText('2 faults').waitFor();
    const marked = page.locator('.fault-line');
    await expect
      .poll(() => marked.allInnerTexts())
      .toEqual([expect.stringContaining('count: one'), expect.stringContaining('count: two')]);
    expect(await marked.first().getAttribute('title')).toMatch(/\S/);
    await page
      .getByRole('button', { name: /^line \d+$/ })
      .last()
      .click();
    // The whole line is selected: what one types replaces it.
    await page.keyboard.type('        count: 2');
    await page.getByText('1 fault').waitFor();
    await page.keyboard.press('F8');
    await page.keyboard.press('End');
    for (let sign = 0; sign < 3; sign += 1) await page.keyboard.press('Backspace');
    await page.keyboard.type('1');
    await page.getByText('default/shop is valid').waitFor();
    await expect.poll(() => marked.count()).toBe(0);
  });
});

describe('a text that is not YAML', () => {
  it('a text that cannot be parsed is marked at the faulty line, and the list of faults leads there', async () => {
    const window = await writing('kind: InputManifest\nspec\n');
    const { page } = window;
    await page.getByText('1 fault').waitFor();
    await expect.poll(() => page.locator('.fault-line').allInnerTexts()).toEqual(['spec']);
    await page.getByRole('button', { name: 'line 2' }).click();
    await page.keyboard.type('spec: {}');
    await expect.poll(() => page.locator('.fault-line').allInnerTexts()).not.toContain('spec');
    expect(await textIn(area(window))).toBe('kind: InputManifest\nspec: {}\n');
  });
});

describe('keys', () => {
  it('Tab leaves the editor in both directions, also after a completion was closed', async () => {
    const window = await writing('kind: InputManifest\n');
    const { page } = window;
    await area(window).press('Control+End');
    await page.keyboard.type('spe');
    await page.getByRole('option', { name: /^spec/ }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('option').count()).toBe(0);
    const isInside = () => area(window).evaluate((element) => element.matches(':focus'));
    expect(await isInside()).toBe(true);
    await page.keyboard.press('Tab');
    expect(await isInside()).toBe(false);
    await page.keyboard.press('Shift+Tab');
    expect(await isInside()).toBe(true);
    await page.keyboard.press('Shift+Tab');
    expect(await isInside()).toBe(false);
    expect(await textIn(area(window))).toBe('kind: InputManifest\nspe');
  });

  it('single keys of the console are text in the editor, and Escape leaves it like any field', async () => {
    const window = await writing('');
    const { page } = window;
    await area(window).focus();
    await page.keyboard.type('# g f ? / j k l');
    expect([await textIn(area(window)), page.url()]).toEqual(['# g f ? / j k l', expect.stringContaining('#/new')]);
    // The first closes what may be offered.
    for (const key of ['Escape', 'Escape', 'g', 'f']) await page.keyboard.press(key);
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
  });

  it('a new line is as deep as it has to be, and what was written is undone', async () => {
    const window = await writing('');
    await area(window).focus();
    const typed = 'a:\nb:\n- c: 1\nd: 2';
    await window.page.keyboard.type(typed);
    expect(await textIn(area(window))).toBe('a:\n  b:\n    - c: 1\n      d: 2');
    // At most one for each key: what is typed quickly is undone together.
    for (const _ of typed) await window.page.keyboard.press('Control+z');
    expect(await textIn(area(window))).toBe('');
  });
});

describe('what is planned', () => {
  it('machine groups are planned and applied from their text, and planned again from what is stored', async () => {
    const window = await writing(await readFile('examples/sim-machine-groups.yaml', 'utf8'));
    const { page, go } = window;
    await page.getByText('default/shop is valid').waitFor();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByRole('button', { name: 'Apply exactly this plan' }).click();
    await expect.poll(() => page.url()).toContain('#/manifests/default/shop/run');
    expect(await ended(console.api, { namespace: 'default', name: 'shop' })).toBe('Done');
    await go('manifests/default/shop/plan');
    await page.getByText('default/shop is valid').waitFor();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByText('no machine changes').waitFor();
  });

  it('a text without a manifest is not called good, and says what a plan is of', async () => {
    const { page } = await writing('apiVersion: v1\nkind: Secret\nmetadata:\n  name: keys\nstringData:\n  a: b\n');
    await page.getByRole('status').filter({ hasText: 'no manifest in the text' }).locator('.warn').waitFor();
    await page.getByText('A plan here is of an InputManifest or of MachineGroups.').waitFor();
    expect(await page.getByRole('button', { name: 'Plan', exact: true }).isDisabled()).toBe(true);
  });
});

describe('strings that are no friends', () => {
  it('markup in a document and in its faults is text, in the editor, its marks and its list', async () => {
    const attack = `<img src=x onerror="window.attacked=1"></textarea><script>window.attacked=1</script>`;
    const window = await writing(
      `${manifest.replace('count: 2', `count: ${JSON.stringify(attack)}`)}\n${attack}: ${attack}\n`,
    );
    const { page } = window;
    await page.getByText(/\d faults?$/).waitFor();
    await page.locator('.fault-line').first().hover();
    expect(await textIn(area(window))).toContain(attack);
    const found = await page.evaluate(
      `[window.attacked, document.querySelectorAll('img[src=x], [onerror]').length, document.scripts.length,
        document.querySelector('.code').shadowRoot.querySelectorAll('img, script, [onerror]').length]`,
    );
    expect(found).toEqual([undefined, 0, 1, 0]);
  });
});

it('a text is written in a plain field when the editor cannot be loaded', async () => {
  const { page, context, go } = await console.open();
  onTestFinished(() => context.close());
  await page.route('**/assets/code-editor*', (route) => route.abort());
  await go('new');
  await page.locator('textarea').fill(manifest);
  await page.getByText('default/shop is valid').waitFor();
});
