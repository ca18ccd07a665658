/** What KubeOne really prints when it refuses or fails: our failure has its words, and no token. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeoneError } from '#runner/kubeone/kubeone-failure.ts';
import { SecretMask } from '#runner/secret-mask.ts';
import { asKubeOnePrintsOfSeveral } from '#test/diagnosis/kubeone-shape.ts';
import { dynamicPool, twoProviderState } from '#test/rendering/states.ts';

const directory = join(import.meta.dirname, '../kubeone-outputs');
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
    ['broken-and-upgrade', 'conflict', 'BrokenHosts', 'control-1'],
    ['wrong-key', 'credentials', 'SshRefused', 'unable to authenticate'],
    ['dead-api', 'conflict', 'EtcdWithoutQuorum', 'quorum mostly like lost'],
    ['port-in-use', 'conflict', 'AddressInUse', '198.18.5.25: [ERROR Port-6443]: Port 6443 is in use'],
    ['full-disk', 'user', 'PackagesBroken', "E: Unmet dependencies. Try 'apt --fix-broken install'"],
    ['dpkg-interrupted', 'conflict', 'PackagesInterrupted', 'E: dpkg was interrupted'],
    ['packages-exclude', 'user', 'PackagesHeld', 'this may be caused by held packages'],
    ['ended', 'transient', 'ServiceFailed', 'Job for containerd.service failed because a timeout was exceeded.'],
    ['version-missing', 'user', 'PackageMissing', "E: Version '1.34.9-*' for 'kubelet' was not found"],
  ])('our failure has its words: %s', (name, kind, code, words) => {
    const error = kubeoneError(printed(name), state);
    expect(error).toMatchObject({ class: kind, code, message: expect.stringContaining(words) });
  });

  it('a broken node during an upgrade is the cause, and is named: to repair it is what KubeOne refuses then', () => {
    const { resource, hint } = kubeoneError(printed('broken-and-upgrade'), state);
    expect([resource, hint]).toEqual(['control-1', expect.stringContaining('only control node')]);
  });

  it('nothing of the script that KubeOne repeats is in a message', () => {
    const messages = ['port-in-use', 'full-disk', 'version-missing', 'ended'].map(
      (name) => kubeoneError(printed(name), state).message,
    );
    for (const message of messages)
      expect(message).not.toMatch(/set -xeuo|EOF|swapoff|runtime\.goexit|initconfiguration/);
  });

  it('the machine that failed is named, also where KubeOne has its address only', () => {
    const { resource } = kubeoneError(printed('port-in-use'), state, state, new Map([['198.18.5.25', 'control-1']]));
    expect(resource).toBe('control-1');
  });

  it('the machine that a person has to fix is named where several fail side by side', () => {
    const output = asKubeOnePrintsOfSeveral('install-debian', [
      ['198.18.5.1', "E: Failed to fetch https://pkgs.k8s.io/a  Temporary failure resolving 'pkgs.k8s.io'"],
      ['198.18.5.2', 'E: Held packages were changed and -y was used without --allow-change-held-packages.'],
    ]);
    const error = kubeoneError(output, state, state, new Map([['198.18.5.2', 'worker-1']]));
    expect(error).toMatchObject({ class: 'user', code: 'PackagesHeld', resource: 'worker-1' });
    expect(error.message).toMatch(/on 198\.18\.5\.2: E: Held packages .*held-packages\. \(and 1 more node\)$/);
  });

  it('a token in the script that failed is hidden', () => {
    const token = /[a-z0-9]{6}\.[a-z0-9]{16}\b/;
    expect(
      readdirSync(directory).filter((name) => name.endsWith('.txt') && token.test(printed(name.replace(/\.\w+$/, '')))),
    ).toEqual(['port-in-use.txt']);
    expect(new SecretMask().hide(printed('port-in-use'))).not.toMatch(/abcdef\.[a-z0-9]{16}/);
  });
});
