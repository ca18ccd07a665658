/** A Secret that was changed, here or in a Vault: the next stage uses it, and what Terraform compares stays as it was. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StagePlan } from '#domain/plan.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { calls, openRecordings, record, recordings, world } from '#test/runner/recorded-terraform.ts';
import { aDocument } from '#test/runner/stage-world.ts';
import { startFakeVault } from '#test/vault/fake-vault.ts';

const machines: StagePlan = {
  stage: 'infrastructure',
  reasons: ['pools are new'],
  work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy: false }] },
};

beforeEach(openRecordings);
afterEach(() => world.close());

/** What Terraform was given, apart from the value: its configuration and its environment. */
async function given(): Promise<{ readonly root: string; readonly token: string | undefined }> {
  expect(await world.run('infrastructure')).toMatchObject({ ok: true });
  const environment = readFileSync(join(recordings, 'environment'), 'utf8');
  return {
    root: readFileSync(join(recordings, 'machines-hz-prod.json'), 'utf8'),
    token: /^TF_VAR_secret_credentials=(.*)$/m.exec(environment)?.[1],
  };
}

it('a rotated Secret changes only the provider block, and no byte of any machine', async () => {
  await world.put(aDocument([machines]));
  const before = await given();
  await world.ports.secrets.put('user/team/hetzner-token', { credentials: 'a-rotated-token' });
  record('plan.code', '0');
  record('plan.out', '');
  const after = await given();
  expect([before.token, after.token]).toEqual(['very-secret-token', 'a-rotated-token']);
  expect(after.root).toBe(before.root);
  expect(after.root.match(/var\.secret_credentials/g)).toHaveLength(1);
  expect(JSON.parse(after.root).provider.hcloud[0].token).toBe('${var.secret_credentials}');
  expect(calls().slice(-3)).toEqual(['init', 'plan', 'output']);
});

it('a rotated secret in a Vault is read again by every stage', async () => {
  const vault = await startFakeVault();
  try {
    const [one, two] = ['1', '2'].map((digit) => digit.repeat(64));
    await vault.write('one', 'clouds/hetzner', { credentials: one });
    const { roleId, secretId } = await vault.appRole();
    await world.ports.secrets.put('user/team/vault', { address: vault.address, roleid: roleId, secretid: secretId });
    const text = JSON.stringify(twoProviderState());
    const target = JSON.parse(text.replaceAll('team/hetzner-token', 'vault://team/vault/one/clouds/hetzner'));
    await world.put(aDocument([machines], { target }));
    const before = await given();
    await vault.write('one', 'clouds/hetzner', { credentials: two });
    const after = await given();
    expect([before.token, after.token]).toEqual([one, two]);
    expect(after.root).toBe(before.root);
    await vault.write('one', 'clouds/hetzner', { credentials: 'too-short' });
    const { error } = await world.run('infrastructure');
    expect(error).toMatchObject({ class: 'credentials', code: 'SecretFieldsFaulty', resource: 'hz-prod' });
    // Each stage has taken back its login, also the one that failed.
    expect(await vault.livingTokens()).toBe(0);
    expect(error?.message).not.toContain('too-short');
    await vault.seal();
    expect((await world.run('infrastructure')).error).toMatchObject({ class: 'transient', code: 'VaultSealed' });
  } finally {
    await vault.close();
  }
});
