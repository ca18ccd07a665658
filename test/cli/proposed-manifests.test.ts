/** The command line about a manifest that is proposed and does not exist yet: in lists, under its name, and when it is deleted. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { aManifest } from '#test/api/documents.ts';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';
import { kubeloom as run } from './kubeloom.ts';

async function guarded() {
  const home = mkdtempSync(join(tmpdir(), 'kubeloom-proposed-'));
  const settings = { KUBELOOM_LOG: 'none', KUBELOOM_REQUIRE_APPROVAL: 'team', KUBELOOM_OWN_APPROVALS: 'allowed' };
  Object.assign(process.env, settings);
  const platform = await startSimulatedPlatform({ tickSeconds: 3600 });
  onTestFinished(async () => {
    await platform.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const environment = { KUBELOOM_HOME: home, KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token };
  const kubeloom = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(args, { environment });
    return { code, stdout, text: `${stdout}${stderr}`.replaceAll(/\s+/g, ' ') };
  };
  const file = join(home, 'shop.json');
  writeFileSync(file, JSON.stringify(aManifest()));
  return { kubeloom, file };
}

it('a proposed manifest is listed and described with its plan, is found by no verb, and is an ordinary one once it is approved', async () => {
  const { kubeloom, file } = await guarded();
  expect((await kubeloom('apply', '-f', file, '--yes')).code).toBe(9);
  const listed = await kubeloom('get');
  expect(listed.code).toBe(0);
  expect(listed.text).toMatch(/shop Proposed \(waits for an approval\) .* 1 cluster added; 3 nodes added/);
  const [, plan = ''] = /kubeloom approve team\/shop --plan (\w{40})/.exec(listed.text) ?? [];
  expect(listed.text).toMatch(
    /team\/shop: local proposed it .* \(1 cluster added; 3 nodes added\), and its plan waits/,
  );
  expect((await kubeloom('get', 'team/shop', '--status', 'proposed')).code).not.toBe(0);
  expect((await kubeloom('get', '--status', 'proposed', '--sort', 'state')).stdout).toMatch(/shop +Proposed/);
  expect((await kubeloom('get', 'team/shop')).stdout).toMatch(/shop +Proposed/);
  expect(JSON.parse((await kubeloom('get', '--json')).stdout)).toMatchObject([
    { namespace: 'team', name: 'shop', status: 'Proposed', id: plan, by: 'local', clusters: [] },
  ]);
  expect((await kubeloom('get', '-o', 'name')).stdout).toBe('');
  const described = await kubeloom('describe', 'team/shop');
  expect(described.code).toBe(0);
  expect(described.text).toContain(`it does not exist yet: plan ${plan} of local`);
  expect(described.text).toContain(`kubeloom approve team/shop --plan ${plan}`);
  expect(JSON.parse((await kubeloom('describe', 'team/shop', '--json')).stdout)).toMatchObject({ status: 'Proposed' });
  const paused = await kubeloom('pause', 'team/shop');
  expect([paused.code, paused.text]).toEqual([
    4,
    expect.stringMatching(/team\/shop does not exist yet: local proposed it/),
  ]);
  expect((await kubeloom('approve', 'team/shop', '--plan', plan, '--wait', '--yes')).code).toBe(0);
  expect((await kubeloom('get')).stdout).toMatch(/shop +Done/);
});

it('a proposed manifest that its author deletes is proposed no more', async () => {
  const { kubeloom, file } = await guarded();
  await kubeloom('apply', '-f', file, '--yes');
  const deleted = await kubeloom('delete', 'team/shop', '--yes');
  expect([deleted.code, deleted.text]).toEqual([
    0,
    expect.stringMatching(/team\/shop was only proposed: plan \w{40} can no longer be approved/),
  ]);
  expect((await kubeloom('get')).stdout).toContain('no manifests');
  expect((await kubeloom('plans', 'team/shop')).stdout).toContain('Withdrawn');
  expect((await kubeloom('delete', 'team/shop', '--yes')).code).not.toBe(0);
});
