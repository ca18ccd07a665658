/** Key pairs that the command line makes, as OpenSSH itself reads them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeEcdsaKeyPair } from '#cli/access/ssh-key-pair.ts';
import { SshRequest } from '#contracts/access-requests.ts';

it('OpenSSH finds the same public key in the private one, and the API accepts it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeloom-key-'));
  try {
    const { privateKey, publicKey } = makeEcdsaKeyPair('kubeloom');
    const file = join(folder, 'key');
    writeFileSync(file, privateKey, { mode: 0o600 });
    const found = execFileSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' });
    expect(`${found.trim().split(' ').slice(0, 2).join(' ')} kubeloom`).toBe(publicKey);
    expect(SshRequest.safeParse({ publicKey }).success).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
