/** SSH keys as OpenSSH itself sees them, and masks for what must not be seen. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import { SecretMask } from '#runner/secret-mask.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keys-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('key pairs', () => {
  it('a key pair is accepted by ssh-keygen, and its halves belong together', () => {
    const pair = makeSshKeyPair('kubeloom-workers-bbbbbbb');
    const file = join(directory, 'key');
    writeFileSync(file, pair.privateKey, { mode: 0o600 });
    const reported = execFileSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' }).trim();
    expect(reported).toBe(pair.publicKey);
  });

  it('a key pair is new every time', () => {
    expect(makeSshKeyPair('a').publicKey).not.toBe(makeSshKeyPair('a').publicKey);
  });
});

describe('secret masks', () => {
  it('a mask hides the longer of two secrets whole, and no ordinary words', () => {
    const mask = new SecretMask();
    mask.add(['abcd', 'abcdefgh', 'on', '']);
    expect(mask.hide('abcdefgh abcd on off')).toBe('*** *** on off');
  });

  it('a mask hides secrets as JSON escapes them', () => {
    const mask = new SecretMask();
    mask.add(['a"b\\c"d']);
    expect(mask.hide(JSON.stringify({ password: 'a"b\\c"d' }))).not.toContain('b\\\\c');
  });

  it('a mask hides private keys and URL passwords that were not registered', () => {
    const hidden = new SecretMask().hide(
      '-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY----- ftp://u:pass@h client-key-data: TFM0t',
    );
    expect(hidden).toBe('*** private key *** ftp://u:***@h client-key-data: ***');
  });
});
