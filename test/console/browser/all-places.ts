/** Every place of the console, on a platform that has something to show at each: tests of all pages visit them. */
import type { Page } from 'playwright-core';
import { balancedManifest } from './balanced-manifest.ts';
import { type ConsoleInBrowser, consoleInBrowser, settled, simManifest } from './console-in-browser.ts';
import { changedLayer, startRollOut, storeInventory } from './inventory-in-browser.ts';

/** Places, and what is there once they are drawn. */
export const places: Readonly<Record<string, RegExp>> = {
  '': /Fleet/,
  attention: /Needs you/,
  'events?minutes=60': /Succeeded/,
  new: /New manifest/,
  'manifests/default/calm': /reached/,
  'manifests/default/calm/run?cell=web.1.nodes': /lines?$/,
  'manifests/default/fails?cell=web.1.kubernetes': /What to do/,
  'manifests/default/calm/nodes': /ready/,
  'manifests/default/calm/topology': /WireGuard mesh/,
  'manifests/default/front/topology': /front leads to|WireGuard mesh/,
  'manifests/default/front/nodes': /WireGuard mesh/,
  'manifests/default/front/nodes?search=control&node=nothing': /is not there any more/,
  'manifests/default/calm/events': /done in/,
  'manifests/default/calm/plan': /valid/,
  'manifests/default/calm/plan?goal=again': /no machine changes/,
  'manifests/default/calm/plan?goal=rollback': /Back to generation 1/,
  'manifests/default/calm/plan?goal=delete': /Something that exists is removed/,
  'manifests/default/calm/drift': /There was no check for drift yet/,
  'manifests/default/calm/history': /generation 1/,
  'manifests/default/calm/history?from=1&to=2': /count: 3/,
  'settings/providers?instance=default%2Fcalm%2Fsim-1': /never checked/,
  'settings/secrets': /default\/hetzner/,
  'settings/templates?template=default%2Fown': /example\.com\/own/,
  'settings/sources': /github\.com\/team\/clusters/,
  'access/roles': /Who has which role/,
  'access/audit': /applied|created|changed/,
  'inventory/fleet/clusters': /Made by/,
  'inventory/fleet/documents?kind=InventoryLayer&name=prod': /Inherited by/,
  'inventory/fleet/plan': /Plan the \d+ cluster/,
  'inventory/fleet/plan?of=behind': /clusters? depend/,
  'inventory/fleet/rollouts': /Wave 1/,
  'manifests/default/nothing': /There is no manifest/,
  'manifests/default/calm/nosuchview': /no such view/,
  'no/such/page': /no such page/,
};

/**
 * Manifests, one of which failed and one for which a plan waits for an approval, an inventory with a roll-out whose first wave is watched, a
 * Secret, templates and a git source.
 */
export async function consoleWithAllPlaces(): Promise<ConsoleInBrowser> {
  const console = await consoleInBrowser({
    KUBELOOM_SIM_STAGE_MS: '20',
    KUBELOOM_SIM_FAULTS: JSON.stringify([{ stage: 'kubernetes', class: 'quota', manifest: 'fails' }]),
  });
  await settled(console.api, simManifest('calm', { providers: 2 }));
  await settled(console.api, simManifest('calm', { providers: 2, compute: 3 }));
  await settled(console.api, simManifest('fails'));
  await settled(console.api, balancedManifest('front'));
  await storeSettings(console);
  await storeInventory(console);
  await startRollOut(console, changedLayer('first'));
  return console;
}

/** A Secret and a template of the user. */
export async function storeSettings(console: ConsoleInBrowser): Promise<void> {
  const named = (name: string) => ({ namespace: 'default', name });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: named('hetzner'), stringData: { credentials: 'none' } };
  await console.api.putSecret(named('hetzner'), secret);
  await console.api.putTemplate(named('own'), {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'TemplateGitReference',
    metadata: named('own'),
    spec: {
      endpoint: { url: 'example.com/own', protocol: 'https' },
      commit: 'v1',
      paths: { terraformer: 'terraform' },
    },
  });
  // No one fetches it while a test runs.
  const source = { url: 'github.com/team/clusters', ref: 'main', path: 'team', suspend: true };
  await console.api.putGitSource(named('clusters'), {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'GitSource',
    metadata: named('clusters'),
    spec: source,
  });
  const guarded = simManifest('calm', { providers: 2, compute: 4 });
  const proposed = { ...guarded, spec: { ...guarded.spec, requireApproval: true } };
  await console.api.putManifest(named('calm'), proposed).catch((refusal: Error) => {
    if (!/kept as proposed/.test(refusal.message)) throw refusal;
  });
}

/** Until the text is there. */
export const drawn = (page: Page, text: RegExp) =>
  page.locator('main').getByText(text).filter({ visible: true }).first().waitFor();

/** A string that would be markup and a script, wherever it is not taken as text. */
export const attack = `"'></textarea><img src=x onerror="window.attacked=1"><script>window.attacked=1</script>{{1}}`;

/** What it did to the page, and how many elements and scripts are there. */
export const takenAsMarkup = (page: Page): Promise<unknown> =>
  page.evaluate(
    `[window.attacked, document.querySelectorAll('img[src=x], [onerror]').length, document.scripts.length]`,
  );
export const nothingTaken = [undefined, 0, 1];
