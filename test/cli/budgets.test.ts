/** What the command line says of a plan beyond a budget: in the plan, and when it is applied. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { aManifest } from '#test/api/documents.ts';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';
import { kubeloom as run } from './kubeloom.ts';

it('a plan beyond the budget says so, its apply ends with 9 and the command to approve it, and it is found until it is approved', async () => {
  const home = mkdtempSync(join(tmpdir(), 'kubeloom-budget-'));
  Object.assign(process.env, {
    KUBELOOM_LOG: 'none',
    KUBELOOM_BUDGETS: 'team=12USD,*=100USD',
    KUBELOOM_OWN_APPROVALS: 'allowed',
  });
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
  const waiting = await run(['plans'], { environment });
  expect(waiting.stdout).toMatch(
    /team\/shop .*local .*1 cluster added; 3 nodes added .*\+\$15\.00 .*approve team\/shop --plan [0-9a-f]{40}/,
  );
  const [, command = ''] = /(approve team\/shop --plan \w+)/.exec(waiting.stdout) ?? [];
  expect((await run([...command.split(' '), '--wait', '--yes'], { environment })).code).toBe(0);
  expect((await run(['plans'], { environment })).stdout).toContain('no plan waits for an approval');
  writeFileSync(file, JSON.stringify(aManifest({ compute: 3 })));
  expect((await run(['apply', '-f', file, '--yes'], { environment })).code).toBe(9);
  expect((await run(['get'], { environment })).stdout).toMatch(/shop +Done \(waits for an approval\)/);
  expect((await run(['describe', 'team/shop'], { environment })).stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /a plan of local waits for an approval since .* \(changed: 1 cluster changed; 1 node added\): `kubeloom approve team\/shop --plan/,
  );
  const [, , id = ''] = /(approve team\/shop --plan (\w+))/.exec((await run(['plans'], { environment })).stdout) ?? [];
  const withdrawn = await run(['reject', 'team/shop', '--plan', id, '--reason', 'a smaller one will do'], {
    environment,
  });
  expect([withdrawn.code, withdrawn.stdout + withdrawn.stderr]).toEqual([0, expect.stringMatching(/withdrawn/i)]);
  expect((await run(['plans'], { environment })).stdout).toContain('no plan waits for an approval');
  expect((await run(['plans', 'team/shop'], { environment })).stdout).toMatch(/Withdrawn[\s\S]*a smaller one will do/);
  const late = await run(['approve', 'team/shop', '--plan', id, '--yes'], { environment });
  expect([late.code === 0, late.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    false,
    expect.stringContaining('was withdrawn by local at'),
  ]);
});
