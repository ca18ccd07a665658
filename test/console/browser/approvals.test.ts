/** Plans that wait for an approval: who proposes sees that, who approves finds them, and no one is offered what is refused. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { yamlText } from '../../../console/model/yaml-text.ts';
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
let tokens: Readonly<Record<'viewer' | 'operator' | 'approver', string>>;

beforeAll(async () => {
  console = await consoleInBrowser({ KUBELOOM_SIM_STAGE_MS: '20' });
  await storeInventory(console);
  await settled(console.api, simManifest('shop', { namespace: 'guarded' }));
  const [viewer, operator, approver] = [
    await console.userWith('viewer'),
    await console.userWith('operator'),
    await console.userWith('approver'),
  ];
  tokens = { viewer, operator, approver };
  // What is above needed no one.
  const start = await console.stopPlatform();
  process.env.KUBELOOM_REQUIRE_APPROVAL = 'guarded,fleet';
  await start();
});
afterAll(() => console?.close());

async function opened(role: keyof typeof tokens): Promise<Window> {
  const window = await console.open({ token: tokens[role] });
  onTestFinished(async () => {
    await window.context.close();
    expect(window.reports.filter((report) => !/status of (403|404|409)/.test(report))).toEqual([]);
  });
  return window;
}

const area = ({ page }: Window) => page.getByLabel('Manifest as YAML');
const guarded = (name: string, compute: number) => yamlText(simManifest(name, { namespace: 'guarded', compute }));

/** Plans the text where the window is, and proposes that. */
async function propose(window: Window, text: string): Promise<void> {
  const { page } = window;
  await writeIn(area(window), text);
  await page.getByText(/is valid$/).waitFor();
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await page.getByText('it is kept as proposed').waitFor();
  await page.getByRole('button', { name: 'Propose exactly this plan' }).click();
  await page.getByRole('link', { name: 'See what was proposed' }).waitFor();
}

it('a manifest that does not exist yet is proposed, found by an approver with who proposed it and what it costs, and created', async () => {
  const [operator, approver] = [await opened('operator'), await opened('approver')];
  await operator.go('new');
  await propose(operator, guarded('fresh', 2));
  await operator.page.getByRole('link', { name: 'See what was proposed' }).click();
  await operator.page.getByText('does not exist yet').waitFor();
  await operator.page.getByText('Someone with the role approver can approve it').waitFor();
  await approver.go('');
  const row = approver.page.getByRole('row', { name: /fresh guarded/ });
  await row.getByText('does not exist yet').waitFor();
  await row.getByText(/a plan of local:operator waits for an approval: 1 cluster added/).waitFor();
  await approver.go('manifests/guarded/fresh');
  await approver.page.getByText('does not exist yet').waitFor();
  await approver.page.getByText(/local:operator proposed it/).waitFor();
  await approver.go('attention');
  const card = approver.page.getByRole('region', { name: 'Plan for guarded/fresh' });
  await card.getByText(/local:operator proposed it .*: created/).waitFor();
  await card.getByText(/^\+\d+\.\d\d USD a month$/).waitFor();
  await card.getByRole('link', { name: 'Look at what changes, and approve' }).click();
  await approver.page.getByText(/local:operator proposed it/).waitFor();
  await approver.page.getByText('What changes in the document').click();
  await approver.page.getByRole('row', { name: /added count: 2/ }).waitFor();
  await approver.page.getByRole('button', { name: 'Approve exactly this plan' }).click();
  await expect.poll(() => approver.page.url()).toContain('#/manifests/guarded/fresh/run');
  expect(await ended(console.api, { namespace: 'guarded', name: 'fresh' })).toBe('Done');
  await approver.go('attention');
  await approver.page.getByText('Nothing needs you').waitFor();
});

it('a plan that waits is in the row of its manifest, its head and its tab, and is compared with what is stored', async () => {
  const [operator, approver, viewer] = [await opened('operator'), await opened('approver'), await opened('viewer')];
  await operator.go('manifests/guarded/shop/plan');
  await propose(operator, guarded('shop', 4));
  await viewer.go('?state=attention');
  const row = viewer.page.getByRole('row', { name: /shop guarded/ });
  await row.getByText('a plan of local:operator waits for an approval: 1 cluster changed; 2 nodes added').waitFor();
  await row.getByRole('link', { name: 'shop' }).click();
  await viewer.page.getByRole('link', { name: 'Plan 1' }).waitFor();
  await viewer.page.getByRole('link', { name: '1 plan waits for an approval' }).click();
  await viewer.page.getByText('Someone with the role approver can approve it').waitFor();
  await viewer.page.getByText('nodePools.dynamic "compute-1".count 2 → 4').waitFor();
  await viewer.page.getByRole('row', { name: /removed count: 2/ }).waitFor();
  for (const { page } of [viewer, operator])
    expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  await approver.go('manifests/guarded/shop');
  await approver.page.getByRole('link', { name: '1 plan waits for an approval' }).click();
  await approver.page.getByRole('button', { name: 'Approve exactly this plan' }).click();
  await expect.poll(() => approver.page.url()).toContain('#/manifests/guarded/shop/run');
  expect(await ended(console.api, { namespace: 'guarded', name: 'shop' })).toBe('Done');
  await approver.page.getByRole('link', { name: '1 plan waits for an approval' }).waitFor({ state: 'detached' });
});

it('an approver rejects a plan with a reason, which its author reads; the author withdraws the next one', async () => {
  const [operator, approver] = [await opened('operator'), await opened('approver')];
  await operator.go('new');
  await propose(operator, guarded('refused', 9));
  await operator.page.getByRole('link', { name: 'See what was proposed' }).click();
  await approver.go('attention');
  const card = approver.page.getByRole('region', { name: 'Plan for guarded/refused' });
  await card.getByRole('link', { name: 'Look at what changes, and approve' }).click();
  await approver.page.getByLabel('Why you reject it').fill('nine are too many');
  await approver.page.getByRole('button', { name: 'Reject it' }).click();
  await approver.page.getByText(/rejected by local:approver.*: nine are too many/).waitFor();
  expect(await approver.page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  await operator.page.getByText(/rejected by local:approver.*: nine are too many/).waitFor();
  await approver.go('attention');
  await approver.page.getByText('Nothing needs you').waitFor();

  await operator.go('new');
  await propose(operator, guarded('refused', 3));
  await operator.page.getByRole('link', { name: 'See what was proposed' }).click();
  await operator.page.getByRole('button', { name: 'Withdraw it' }).click();
  await operator.page.getByText(/withdrawn by local:operator/).waitFor();
  await expect(console.api.getManifest({ namespace: 'guarded', name: 'refused' })).rejects.toThrow();
});

it('an operator is offered to propose a roll-out that needs an approval, and an approver finds it and starts exactly that', async () => {
  const [operator, approver] = [await opened('operator'), await opened('approver')];
  const { page } = operator;
  await operator.go('inventory/fleet/plan');
  await writeIn(page.getByLabel(/documents of the inventory/), changedLayer('approved'));
  await page.getByRole('button', { name: 'Plan this change' }).click();
  await page.getByText('it is kept as proposed').waitFor();
  expect(await page.getByRole('button', { name: /Roll out/ }).count()).toBe(0);
  await page.getByLabel('Waves').fill('100%');
  await page.getByRole('button', { name: 'Propose exactly this plan' }).click();
  await page.getByRole('link', { name: 'See what was proposed' }).click();
  await page.getByText('Someone with the role approver can start it').waitFor();
  await approver.go('attention');
  await approver.page
    .getByRole('region', { name: 'Plan for inventory of fleet' })
    .getByRole('link', { name: 'Look at what changes, and approve' })
    .click();
  await approver.page.getByText(/local:operator proposed it/).waitFor();
  await approver.page
    .getByRole('row', { name: /added labels|added +change: approved/ })
    .first()
    .waitFor();
  expect(await approver.page.getByLabel('Waves').inputValue()).toBe('100%');
  await approver.page.getByRole('button', { name: 'Approve and roll out exactly this plan' }).click();
  await approver.page.getByRole('heading', { name: /In progress|Rolled out/ }).waitFor();
  await approver.page.getByText('waves 100%').waitFor();
});

it('an operator who asks for what only an approver may do is refused', async () => {
  const operator = await opened('operator');
  const plan = await console.api
    .putManifest({ namespace: 'guarded', name: 'asked' }, simManifest('asked', { namespace: 'guarded' }))
    .catch(
      (refusal: { readonly problem?: { readonly details?: { readonly plan?: string } } }) =>
        refusal.problem?.details?.plan,
    );
  const status = await operator.page.evaluate(`fetch('/v1/manifests/guarded/asked/approve', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'kubeloom-console-key': localStorage.getItem('kubeloom-console-key') },
    body: JSON.stringify({ plan: ${JSON.stringify(plan)} }),
  }).then((answer) => answer.status)`);
  expect(status).toBe(403);
  await expect(console.api.getManifest({ namespace: 'guarded', name: 'asked' })).rejects.toThrow();
});
