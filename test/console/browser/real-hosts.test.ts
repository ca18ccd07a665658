/**
 * People create, watch, retry, check, roll back, approve and delete a cluster of real local hosts in the console. KUBELOOM_CONSOLE_HOSTS=1 as root: it takes
 * minutes and needs what `scripts/setup.sh --hosts` installs.
 */
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askForCode, consoleAddress } from '#cli/commands/console.ts';
import { yamlText } from '../../../console/model/yaml-text.ts';
import { isRoot } from '../../hosts/host-workshop.ts';
import { Installation } from '../../hosts/installation.ts';
import { smallManifest } from '../../hosts/small-manifest.ts';
import { chromiumProgram, writeIn } from './console-in-browser.ts';
import { userWithRole } from './user-with-role.ts';

/** Machines start, and Ansible runs on them. */
const minutes = (count: number) => ({ timeout: count * 60_000 });

describe.runIf(isRoot && process.env.KUBELOOM_CONSOLE_HOSTS === '1')('the console and real hosts', () => {
  const name = 'seen';
  let installation: Installation;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    installation = await Installation.open();
    browser = await chromium.launch({ executablePath: chromiumProgram(), args: ['--no-sandbox', '--disable-gpu'] });
    page = await opened(installation.platform.token);
  }, 300_000);
  const opened = async (token: string): Promise<Page> => {
    const { apiUrl } = installation.platform;
    const one = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
    await one.goto(consoleAddress(apiUrl, (await askForCode(apiUrl, token)).code));
    await one.getByRole('link', { name: 'Kubeloom' }).waitFor();
    return one;
  };
  afterAll(async () => {
    await browser?.close();
    await installation?.close();
  }, 300_000);

  const small = (...pools: readonly string[]) =>
    smallManifest({
      name,
      compute: Object.fromEntries(pools.map((pool) => [pool, { provider: 'local-1', region: 'here' }])),
    });
  const manifestWith = (...pools: readonly string[]) => yamlText(small(...pools));
  const go = (place: string) => page.goto(`${installation.platform.apiUrl}/console/#/${place}`);
  const applyPlan = async (place: string, text: string): Promise<void> => {
    await go(place);
    await writeIn(page.getByLabel('Manifest as YAML'), text);
    await page.getByText('is valid').waitFor();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByRole('button', { name: 'Apply exactly this plan' }).click(minutes(1));
  };

  it('a cluster is created, watched, grows after a failure was fixed and retried, has no drift, is rolled back, changes as another person approved, and is deleted', async () => {
    await applyPlan('new', manifestWith('near'));
    await page
      .getByRole('button', { name: /running/ })
      .first()
      .waitFor(minutes(2));
    await page.getByRole('row', { name: /grow: .* reached/ }).waitFor(minutes(8));
    await page.getByText('everything is in the desired state').waitFor(minutes(2));
    expect(await installation.hosts()).toHaveLength(2);

    const fix = await installation.fault('far-*', 'no power in this rack');
    await applyPlan(`manifests/default/${name}/plan`, manifestWith('near', 'far'));
    await go(`manifests/default/${name}/run`);
    const card = page.getByRole('region', { name: 'Failure' });
    await card.getByText('no power in this rack').first().waitFor(minutes(8));
    await fix();
    await card.getByRole('button', { name: 'Retry' }).click(minutes(5));
    await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText('everything is in the desired state').waitFor(minutes(8));
    expect(await installation.hosts()).toHaveLength(3);

    await page.getByRole('button', { name: 'Check for drift' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Check for drift', exact: true }).click();
    await go(`manifests/default/${name}/drift`);
    await page.getByText('no drift').waitFor(minutes(5));

    await go(`manifests/default/${name}/plan?goal=rollback`);
    await page.getByLabel(/Type small/).fill('small', minutes(1));
    await page.getByRole('button', { name: 'Roll back exactly so' }).click();
    await expect.poll(() => installation.hosts(), minutes(8)).toHaveLength(2);
    await go(`manifests/default/${name}/run`);
    await page.getByText('everything is in the desired state').waitFor(minutes(5));

    const { spec, ...rest } = small('near', 'far') as { spec: object };
    const guarded = { ...rest, spec: { ...spec, requireApproval: true } };
    await expect(installation.api.putManifest({ namespace: 'default', name }, guarded)).rejects.toThrow(
      'kept as proposed',
    );
    const approver = await opened(await userWithRole(installation.api, installation.home, 'approver'));
    await approver.goto(`${installation.platform.apiUrl}/console/#/manifests/default/${name}/plan`);
    await approver.getByRole('link', { name: 'Look at it' }).click();
    await approver.getByRole('button', { name: 'Approve exactly this plan' }).click();
    await approver.getByText(/plan approved by local:approver/).waitFor(minutes(1));
    await expect.poll(() => installation.hosts(), minutes(8)).toHaveLength(3);
    await approver.getByText('everything is in the desired state').waitFor(minutes(5));

    await go(`manifests/default/${name}/plan?goal=delete`);
    await page.getByLabel(/Type small/).fill('small', minutes(1));
    await page.getByRole('button', { name: 'Propose exactly this plan' }).click();
    await approver.goto(`${installation.platform.apiUrl}/console/#/manifests/default/${name}/plan`);
    await approver.getByRole('link', { name: 'Look at it' }).click(minutes(1));
    await approver.getByLabel(/Type small/).fill('small', minutes(1));
    await approver.getByRole('button', { name: 'Approve exactly this plan' }).click();
    await go(`manifests/default/${name}/run`);
    await page.getByText(`There is no manifest default/${name}`).waitFor(minutes(5));
    expect(await installation.leftovers()).toEqual([]);
  }, 1_800_000);
});
