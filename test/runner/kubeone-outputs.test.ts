/** What KubeOne really prints when it refuses or fails: our failure has its words, and no token. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeoneError } from '#runner/kubeone/kubeone-failure.ts';
import { SecretMask } from '#runner/secret-mask.ts';
import { dynamicPool, twoProviderState } from '#test/rendering/states.ts';

const directory = join(import.meta.dirname, 'kubeone-outputs');
const printed = (name: string): string => readFileSync(join(directory, `${name}.txt`), 'utf8');
const pool = (role: 'control' | 'compute', name: string) =>
  dynamicPool({ id: `${role}-aaaaaaa`, role, nodes: [{ name, privateAddress: '10.99.16.1' }] });
const state = {
  ...twoProviderState(),
  pools: [pool('control', 'control-1'), pool('compute', 'worker-1'), pool('compute', 'worker-2')],
};

describe('the output of a real KubeOne', () => {
  it.each([
    ['downgrade', 'user', 'VersionRefused', 'cluster downgrades are disallowed'],
    ['skip-minor', 'user', 'VersionRefused', 'component can be only 1 minor version older than requested version'],
    ['join-and-upgrade', 'conflict', 'JoinWithUpgrade', 'repair and upgrade are not supported at the same time'],
    ['broken-host', 'conflict', 'BrokenHosts', 'worker-1'],
    ['wrong-key', 'credentials', 'SshRefused', 'unable to authenticate'],
  ])('our failure has its words: %s', (name, kind, code, words) => {
    const error = kubeoneError(printed(name), state);
    expect(error).toMatchObject({ class: kind, code, message: expect.stringContaining(words) });
  });

  it('a token in the script that failed is hidden', () => {
    const token = /[a-z0-9]{6}\.[a-z0-9]{16}\b/;
    expect(
      readdirSync(directory).filter((name) => name.endsWith('.txt') && token.test(printed(name.replace(/\.\w+$/, '')))),
    ).toEqual(['port-in-use.txt']);
    expect(new SecretMask().hide(printed('port-in-use'))).not.toMatch(/abcdef\.[a-z0-9]{16}/);
  });
});
