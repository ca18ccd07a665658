/** `kubeloom provider check` as a program: who is told what, and with which exit code. No cloud is asked. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
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

async function check(...args: readonly string[]) {
  const child = spawn(process.execPath, [program, 'provider', 'check', ...args, '-f', '-'], { stdio: 'pipe' });
  child.stdin.end(documents);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { out, err, code };
}

describe('kubeloom provider check', () => {
  it('a type without credentials has nothing to check', async () => {
    expect(await check('here')).toMatchObject({ code: 0, out: expect.stringContaining('nothing to check') });
  });

  it('a malformed field is named without its value', async () => {
    const { out, err, code } = await check('cloud', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      ...{ provider: 'cloud', ok: false },
      findings: [{ about: 'identity', name: 'credentials', ok: false }],
    });
    expect(out + err).not.toContain(secretText);
  });

  it('a missing connection to Vault is named', async () => {
    const { out, code } = await check('later');
    expect(code).toBe(3);
    expect(out).toContain('team/vault');
  });

  it('an unknown provider is answered with the names of those in the files', async () => {
    expect(await check('nobody')).toMatchObject({ code: 4, err: expect.stringContaining('here, cloud, later') });
  });
});
