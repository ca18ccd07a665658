/** `kubeloom provider check` with files: what it prints and its exit codes. No cloud is asked. */
import { describe, expect, it } from 'vitest';
import { kubeloom } from './kubeloom.ts';

const secretText = 'not-a-token-of-hetzner';
const documents = `
apiVersion: kubeloom.dev/v1
kind: InputManifest
metadata: { name: shop, namespace: team }
spec:
  providers:
    - { name: here, providerType: local }
    - { name: cloud, providerType: hetzner, secretRef: { name: cloud, namespace: team } }
    - { name: later, providerType: hetzner, secretRef: { vault: { path: clouds/hetzner } } }
---
apiVersion: v1
kind: Secret
metadata: { name: cloud, namespace: team }
stringData: { credentials: ${secretText} }
`;

const check = (...args: readonly string[]) => kubeloom(['provider', 'check', ...args, '-f', '-'], { stdin: documents });

describe('kubeloom provider check', () => {
  it('a type without credentials has nothing to check', async () => {
    expect(await check('here')).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing to check') });
  });

  it('a malformed field is named without its value', async () => {
    const { stdout, stderr, code } = await check('cloud', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      provider: 'cloud',
      ok: false,
      findings: [{ about: 'identity', name: 'credentials', ok: false }],
    });
    expect(stdout + stderr).not.toContain(secretText);
  });

  it('a missing connection to Vault is named', async () => {
    const { stdout, code } = await check('later');
    expect(code).toBe(3);
    expect(stdout).toContain('team/vault');
  });

  it('an unknown provider is answered with the names of those in the files', async () => {
    expect(await check('stranger')).toMatchObject({ code: 4, stderr: expect.stringContaining('here, cloud, later') });
  });
});
