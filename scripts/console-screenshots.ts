/**
 * Pictures of the console, on a platform with the sim runner: those that docs/console.md shows, or, with a directory, all of them there.
 * usage: node scripts/console-screenshots.ts [DIRECTORY]
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { storeSettings } from '#test/console/browser/all-places.ts';
import { balancedManifest } from '#test/console/browser/balanced-manifest.ts';
import {
  consoleInBrowser,
  ended,
  settled,
  simManifest,
  textIn,
  writeIn,
} from '#test/console/browser/console-in-browser.ts';
import { changedLayer, startRollOut, storeInventory } from '#test/console/browser/inventory-in-browser.ts';
import { smallPng } from './small-png.ts';

const directory = process.argv[2] ?? fileURLToPath(new URL('../docs/console', import.meta.url));
const shown = await readFile(fileURLToPath(new URL('../docs/console.md', import.meta.url)), 'utf8');
await mkdir(directory, { recursive: true });
const console = await consoleInBrowser({
  KUBELOOM_SIM_STAGE_MS: '2500',
  KUBELOOM_SIM_FAULTS: JSON.stringify([
    { stage: 'configuration', class: 'user', manifest: 'edge' },
    { stage: 'infrastructure', class: 'quota', manifest: 'batch', provider: 'sim-2' },
  ]),
  KUBELOOM_SIM_DRIFT: JSON.stringify([{ kind: 'mesh', manifest: 'payments', pool: 'compute-1', repairable: true }]),
});
const named = (name: string, options: Parameters<typeof simManifest>[1] = {}) =>
  simManifest(name, { providers: 2, ...options });
try {
  const { api } = console;
  await Promise.all(
    ['payments', 'search', 'mail', 'crm', 'shop', 'edge', 'batch'].map((name) => settled(api, named(name))),
  );
  await settled(api, balancedManifest('front'));
  await storeSettings(console);
  await storeInventory(console);
  await startRollOut(console, changedLayer('new'));
  await console.userWith('viewer');
  await settled(api, named('asked'));
  const asked = named('asked', { compute: 3 });
  // It waits for an approval, which the answer says as a refusal.
  await api
    .putManifest({ namespace: 'default', name: 'asked' }, { ...asked, spec: { ...asked.spec, requireApproval: true } })
    .catch(() => undefined);
  for (const name of ['payments', 'front']) {
    await api.driftManifest({ namespace: 'default', name }, {});
    await ended(api, { namespace: 'default', name });
  }
  const waits = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  /** A grow, then a shrink. */
  const changed = (generation: number) => {
    const manifest = named('shop', { compute: 3, providers: 3 });
    const left = `compute-${generation}`;
    manifest.spec.nodePools.dynamic = manifest.spec.nodePools.dynamic.filter(({ name }) => name !== left);
    const [web] = manifest.spec.kubernetes.clusters;
    if (web) web.pools.compute = web.pools.compute.filter((name) => name !== left);
    return manifest;
  };
  for (const [index, scheme] of (['light', 'dark'] as const).entries()) {
    const { page, go, context } = await console.open({ scheme, size: { width: 1360, height: 860 } });
    const shoot = async (name: string): Promise<void> => {
      const file = `${name}-${scheme}.png`;
      if (process.argv[2] !== undefined || shown.includes(`console/${file}`))
        await writeFile(join(directory, file), smallPng(await page.screenshot()));
    };
    await api.putManifest({ namespace: 'default', name: 'shop' }, changed(index + 1));
    await go('manifests/default/shop/run?cell=web.1.infrastructure');
    await page
      .getByRole('button', { name: /^configuration|running/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: /hosts? created/ }).waitFor();
    await page.getByRole('log').getByText(/\S/).first().waitFor();
    await waits(1200);
    await shoot('run');
    await go('');
    await page.getByRole('row', { name: /Running shop/ }).waitFor();
    await shoot('fleet');
    await go('manifests/default/edge');
    await page.getByRole('region', { name: 'Failure' }).waitFor();
    await page
      .getByRole('button', { name: /not reached/ })
      .first()
      .waitFor();
    await shoot('failure');
    await go('attention');
    await page.getByText('What to do').first().waitFor();
    await shoot('attention');
    await go('manifests/default/front/nodes');
    await page.getByText('4 of 4 ready').first().waitFor();
    await shoot('nodes');
    await go('manifests/default/front/topology');
    await page.getByText('WireGuard mesh').waitFor();
    await shoot('topology');
    await page.locator('a.node').first().click();
    await page.getByText('wg show wg0').first().waitFor();
    await shoot('node');
    await go('manifests/default/crm/plan');
    await page.getByText(/is valid/).waitFor();
    const area = page.getByLabel('Manifest as YAML');
    const text = await textIn(area);
    await writeIn(area, text.replace('"1.36.0"', '"1.36"').replace('- compute-1', '- compute-9'));
    await page.getByText(/\d faults/).waitFor();
    await page.getByRole('button', { name: /^line/ }).first().click();
    await shoot('faults');
    await writeIn(area, text.replace('  kubernetes:', '    -\n  kubernetes:'));
    await area.press('Control+Home');
    const place = page.locator('.cm-line').filter({ hasText: /^\s*-\s*$/ });
    await place.click();
    await area.press('End');
    await area.press('Space');
    await area.press('Control+Space');
    await page.locator('.cm-tooltip-autocomplete').waitFor();
    await shoot('completion');
    await writeIn(area, text.replace(/count: 2/, 'count: 1'));
    await page.getByText(/is valid/).waitFor();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByRole('button', { name: 'Apply exactly this plan' }).waitFor();
    await shoot('plan');
    await go('manifests/default/payments/drift');
    await page
      .getByText(/differen|no drift/)
      .first()
      .waitFor();
    await shoot('drift');
    await go('settings/providers?search=shop&instance=default%2Fshop%2Fsim-1');
    const check = page.getByRole('button', { name: 'Check its credentials' });
    await check.click();
    await page.getByText('nothing was asked').last().waitFor();
    await shoot('settings');
    await go('settings/secrets');
    await page.getByText('default/hetzner').first().waitFor();
    await shoot('secrets');
    await go('settings/templates?template=default%2Fown');
    await page.getByText('example.com/own').first().waitFor();
    await shoot('templates');
    await go('access/roles');
    await page.getByText('Who has which role').waitFor();
    await shoot('roles');
    await go('access/audit');
    await page.getByRole('row', { name: /RoleBinding/ }).waitFor();
    await shoot('audit');
    await go('inventory/fleet/clusters');
    await page.getByText('Made by').waitFor();
    await shoot('inventory');
    await go('inventory/fleet/rollouts');
    await page.getByText('is watched').waitFor();
    await shoot('rollout');
    await go('events');
    await page.locator('.event-run').getByText('Succeeded').first().waitFor();
    await shoot('events');
    await ended(api, { namespace: 'default', name: 'shop' });
    await go('manifests/default/shop/history');
    await page.getByText('generation 1').waitFor();
    await shoot('history');
    await go('manifests/default/asked/plan');
    await page.getByRole('link', { name: 'Look at it' }).click();
    await page.getByText('Plan', { exact: false }).first().waitFor();
    await page.getByText('nodes +').first().waitFor();
    await shoot('approval');
    await context.clearCookies();
    await page.reload();
    await page.getByText('kubeloom console').first().waitFor();
    await shoot('sign-in');
    await context.close();
  }
} finally {
  await console.close();
}
