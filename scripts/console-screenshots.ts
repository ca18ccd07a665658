/** Pictures of the console for docs/console.md: `node scripts/console-screenshots.ts [DIRECTORY]`, on a platform with the sim runner. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { consoleInBrowser, settled, simManifest } from '#test/console/browser/console-in-browser.ts';

const directory = process.argv[2] ?? fileURLToPath(new URL('../docs/console', import.meta.url));
await mkdir(directory, { recursive: true });
const console = await consoleInBrowser({
  KUBELOOM_SIM_STAGE_MS: '0',
  KUBELOOM_SIM_FAULTS: JSON.stringify([
    { stage: 'configuration', class: 'user', manifest: 'edge', node: undefined },
    { stage: 'infrastructure', class: 'quota', manifest: 'batch', provider: 'sim-2' },
  ]),
  KUBELOOM_SIM_DRIFT: JSON.stringify([{ kind: 'mesh', manifest: 'payments', pool: 'compute-1', repairable: true }]),
});
try {
  const { api } = console;
  for (const name of ['payments', 'search', 'mail', 'crm', 'wiki'])
    await settled(api, simManifest(name, { providers: 2 }));
  for (const name of ['edge', 'batch']) await settled(api, simManifest(name, { providers: 2, compute: 3 }));
  await api.driftManifest({ namespace: 'default', name: 'payments' }, {});
  await settled(api, simManifest('shop', { compute: 3, providers: 2 }));
  process.env.KUBELOOM_SIM_STAGE_MS = '4000';
  const grown = simManifest('shop', { compute: 4, providers: 3 });
  grown.spec.nodePools.dynamic = grown.spec.nodePools.dynamic.filter(({ name }) => name !== 'compute-1');
  grown.spec.kubernetes.clusters[0]?.pools.compute.shift();
  await api.putManifest({ namespace: 'default', name: 'shop' }, grown);
  const started = Date.now();
  for (const scheme of ['light', 'dark'] as const) {
    const { page, go, context } = await console.open({ scheme, size: { width: 1360, height: 860 } });
    const shoot = (name: string) => page.screenshot({ path: join(directory, `${name}-${scheme}.png`) });
    await go('');
    await page.getByRole('row', { name: /shop/ }).waitFor();
    if (scheme === 'light')
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, 6500 - (Date.now() - started))));
    await shoot('fleet');
    await go('manifests/default/shop/run?cell=web.1.configuration');
    await page.getByRole('row', { name: /grow/ }).waitFor();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await shoot('run');
    await go('manifests/default/edge');
    await page.getByRole('region', { name: 'Failure' }).waitFor();
    await shoot('failure');
    await go('attention');
    await page.getByText('What to do').first().waitFor();
    await shoot('attention');
    await go('manifests/default/crm/nodes');
    await page.getByText('3 of 3 ready').or(page.getByText('2 of 2 ready')).first().waitFor();
    await shoot('nodes');
    await go('manifests/default/crm/plan');
    await page.getByText(/is valid/).waitFor();
    const area = page.getByLabel('Manifest as YAML');
    await area.fill((await area.inputValue()).replace(/count: 2/, 'count: 1').replace('"1.36.0"', '"1.37.0"'));
    await page
      .getByText(/fault|is valid/)
      .first()
      .waitFor();
    await shoot('faults');
    await area.fill((await area.inputValue()).replace('"1.37.0"', '"1.36.0"'));
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
    await go('manifests/default/shop/history');
    await page.getByText('generation 1').waitFor();
    await shoot('history');
    await go('events');
    await page.getByText('done in').first().waitFor();
    await shoot('events');
    await context.close();
  }
} finally {
  await console.close();
}
