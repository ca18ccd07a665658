/** What the command line says of a plan beyond a budget: in the plan, and when it is applied. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { aManifest } from '#test/api/documents.ts';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';
import { kubeloom as run } from './kubeloom.ts';

it('a plan beyond the budget says so, and its apply ends with 9 and the command to approve it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'kubeloom-budget-'));
  Object.assign(process.env, { KUBELOOM_LOG: 'none', KUBELOOM_BUDGETS: 'team=12USD,*=100USD' });
  const platform = await startSimulatedPlatform({ tickSeconds: 3600 });
  onTestFinished(async () => {
    await platform.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const file = join(home, 'shop.json');
  writeFileSync(file, JSON.stringify(aManifest()));
  const environment = {
    KUBELOOM_HOME: home,
    KUBELOOM_API_URL: platform.apiUrl,
    KUBELOOM_TOKEN: platform.token,
  };
  const plan = await run(['plan', '-f', file], { environment });
  expect(plan.stdout).toContain('budget of namespace team: $15.00 a month, $3.00 beyond $12.00');
  expect(plan.stdout).toContain('budget of the installation: $15.00 of $100.00 a month');
  expect(plan.stdout).toContain('someone with the role approver has to approve it');
  const applied = await run(['apply', '-f', file, '--yes'], { environment });
  expect([applied.code, applied.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    9,
    expect.stringMatching(/\$3\.00 beyond \$12\.00.*kubeloom approve shop -n team --plan/),
  ]);
});
