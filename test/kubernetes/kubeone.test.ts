/** The command line of the simulated control plane: what it refuses before it touches a host. */
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { compareVersions } from '#domain/kubernetes-versions.ts';
import type { ReportedNode } from '#local/kubeone/known-nodes.ts';
import type { HostConfig } from '#local/kubeone/manifest.ts';
import { commandFailure } from '#local/kubeone/refusal.ts';
import { safeguardRefusal } from '#local/kubeone/safeguards.ts';
import { kubeoneError } from '#runner/kubeone/kubeone-failure.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { outcome } from './kubeone-contract.ts';

const program = join(import.meta.dirname, '../../local/kubeone/bin/kubeone');
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-kubeone-'));
  writeFileSync(join(directory, 'key'), '');
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('command line', () => {
  test('the version says that it is simulated', async () => {
    const { code, stdout } = await kubeone('version');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).kubeone).toMatchObject({ gitVersion: '1.14.1', gitTreeState: 'simulated control plane' });
  });

  test('kubeone apply without -y does nothing and asks no question', async () => {
    writeManifest({ controlPlane: { hosts: [host('one', '10.0.0.1')] } });
    const { code, stderr } = await kubeone('apply', '-m', 'kubeone.yaml');
    expect(code).toBe(10);
    expect(stderr).toContain('not running in the terminal');
  });

  test("a manifest with faults is refused with all of them, in KubeOne's words", async () => {
    const one = host('one', '10.0.0.1');
    writeManifest({ name: 'Shop', controlPlane: { hosts: [one, { ...one, publicAddress: '', privateAddress: '' }] } });
    const { code, stderr } = await kubeone('apply', '-m', 'kubeone.yaml', '-y');
    expect(code).toBe(15);
    expect(stderr).toContain('Error: configuration validation\nname: Invalid value: "Shop"');
    expect(stderr).toContain('controlPlane.hosts[1].publicAddress');
  });

  test('a missing SSH key is named', async () => {
    writeManifest({ controlPlane: { hosts: [{ ...host('one', '10.0.0.1'), sshPrivateKeyFile: 'gone' }] } });
    expect((await kubeone('apply', '-m', 'kubeone.yaml', '-y')).stderr).toContain(
      'open gone: no such file or directory',
    );
  });

  test.each(['encryptionProviders', 'staticAuditLog', 'openidConnect', 'alwaysPullImages'])(
    'the feature %s is refused, as it would be ignored',
    async (feature) => {
      const hosts = [host('one', '10.0.0.1')];
      writeManifest({ features: { [feature]: { enable: true } }, controlPlane: { hosts } });
      const { code, stderr } = await kubeone('apply', '-m', 'kubeone.yaml', '-y');
      expect([code, stderr]).toEqual([15, expect.stringContaining(`features.${feature}: the simulated control plane`)]);
      writeManifest({ features: { [feature]: { enable: false } }, controlPlane: { hosts } });
      expect((await kubeone('apply', '-m', 'kubeone.yaml', '-y')).code).toBe(10);
    },
  );

  test('an older release that is called by its name refuses newer versions', async () => {
    symlinkSync(program, join(directory, 'kubeone-1.12'));
    writeManifest({ versions: { kubernetes: '1.36.1' }, controlPlane: { hosts: [host('one', '10.0.0.1')] } });
    const { code, stderr } = await run(join(directory, 'kubeone-1.12'), 'apply', '-m', 'kubeone.yaml', '-y');
    expect(code).toBe(15);
    expect(stderr).toContain("does not satisfy version constraint '>=1.32 <=1.34'");
  });

  test('all hosts that do not answer are reported, and no kubeconfig is written', async () => {
    writeManifest({ controlPlane: { hosts: [host('one', '10.0.0.1'), host('two', '10.0.0.2')] } });
    const { code, stderr } = await kubeone('apply', '-m', 'kubeone.yaml', '-y', '--log-format', 'json');
    expect(code).toBe(10);
    expect(stderr).toContain(
      'Error: runtime: detecting hostname\nruntime: running task on "127.0.0.1"\nssh: dialing\nconnection to: 127.0.0.1:1\n',
    );
    expect(stderr).toMatch(/"failed to connect to one.*\n.*"failed to connect to two/);
    expect(existsSync(join(directory, 'shop-kubeconfig'))).toBe(false);
  });
});

describe('a command that fails on a host', () => {
  test('a failed command is reported as KubeOne does, and read like its reports', () => {
    const script = 'set -x; cat <<EOF\nno space left, permission denied\nEOF\nkubeadm setup';
    const { exitCode, message } = commandFailure('198.18.0.9', 1, script, '+ kubeadm setup\nE: the moon\n');
    const error = kubeoneError(`Error: ${message}\n`, twoProviderState());
    expect(exitCode).toBe(10);
    expect(error).toMatchObject({
      class: 'transient',
      code: 'KubeOneFailed',
      message: 'running the simulated control plane on 198.18.0.9: E: the moon',
    });
  });
});

describe('safeguards', () => {
  const live = (name: string, version: string): ReportedNode => ({
    name,
    version,
    ready: true,
    control: name === 'one',
  });
  const probe = (name: string, authority: string | null) => ({
    host: host(name, '10.0.0.1'),
    kubernetesVersion: authority === null ? null : '1.34.1',
    authority,
    holdsAuthority: authority !== null && name === 'one',
  });
  const judge = (wantedVersion: string, nodes: readonly ReportedNode[], ...probes: ReturnType<typeof probe>[]) =>
    safeguardRefusal({ wantedVersion, probes, controls: ['one'], live: nodes });

  test('a new cluster, a join and an upgrade by one minor version are allowed', () => {
    expect(judge('1.34.1', [], probe('one', null), probe('two', null))).toBeUndefined();
    expect(judge('1.34.1', [live('one', '1.34.1')], probe('one', 'A'), probe('two', null))).toBeUndefined();
    expect(judge('1.35.0', [live('one', '1.34.9')], probe('one', 'A'))).toBeUndefined();
  });

  test.each([
    ['1.33.9', 'cluster downgrades are disallowed', 'a downgrade to 1.33.9 is not possible'],
    [
      '1.36.0',
      'component can be only 1 minor version older than requested version',
      'an upgrade to 1.36.0 skips a minor version',
    ],
  ])('an upgrade or downgrade from 1.34.1 to %s is refused', (wanted, problem, reason) => {
    const refusal = judge(wanted, [live('one', '1.34.1')], probe('one', 'A'));
    expect(refusal?.refusal.message).toContain(problem);
    expect(refusal?.sentences).toEqual([`one runs 1.34.1: ${reason}`]);
  });

  test('an upgrade and a join at once are refused', () => {
    const refusal = judge('1.35.0', [live('one', '1.34.1')], probe('one', 'A'), probe('two', null));
    expect(refusal?.refusal.message).toBe(
      'configuration validation\nrepair and upgrade are not supported at the same time',
    );
    expect(refusal?.sentences).toContain('let two join with the present version first');
  });

  test('an upgrade that was interrupted is refused while a control node has its label', () => {
    const labelled = { ...live('one', '1.34.1'), upgrading: true };
    expect(judge('1.34.2', [labelled], probe('one', 'A'))?.refusal).toMatchObject({
      exitCode: 10,
      message: expect.stringContaining('label is present'),
    });
    expect(judge('1.34.1', [labelled], probe('one', 'A'))).toBeUndefined();
  });

  test('a node whose machine has lost Kubernetes is no reason against joins: it joins again', () => {
    const nodes = [live('one', '1.34.1'), { ...live('two', '1.34.1'), ready: false }];
    expect(judge('1.34.1', nodes, probe('one', 'A'), probe('two', null), probe('three', null))).toBeUndefined();
  });

  test('a node of the cluster whose machine has no Kubernetes is a broken host', () => {
    const refusal = judge(
      '1.34.1',
      [live('one', '1.34.1'), { ...live('two', '1.34.1'), ready: false }],
      probe('one', 'A'),
      probe('two', null),
    );
    expect(refusal?.refusal.message).toBe('configuration broken hosts check\nbroken host(s) found, remove it manually');
    expect(refusal?.sentences[0]).toMatch(/^two in the cluster without/);
  });

  test('hosts of other clusters, and compute nodes that become control nodes, are refused', () => {
    const reason = (...probes: ReturnType<typeof probe>[]) => judge('1.34.1', [], ...probes)?.sentences[0];
    expect(reason(probe('one', 'A'), probe('two', 'B'))).toContain('different clusters: one, two');
    expect(reason(probe('one', null), probe('two', 'B'))).toContain('two belong to one');
    const moved = judge('1.34.1', [{ ...live('two', '1.34.1'), control: true }], probe('one', 'A'), probe('two', 'A'));
    expect(moved?.refusal.message).toBe('configuration broken hosts check\nbroken host(s) found, remove it manually');
    expect(moved?.sentences[0]).toContain('two is a control-plane node already');
  });

  test('versions are compared by number, not as text', () => {
    expect(compareVersions('1.9.10', '1.10.0')).toBeLessThan(0);
    expect(compareVersions('1.34.10', '1.34.9')).toBeGreaterThan(0);
  });
});

function host(hostname: string, privateAddress: string): HostConfig {
  // Nothing listens on port 1 of loopback.
  const address = { privateAddress, publicAddress: '127.0.0.1', sshPort: 1 };
  return { hostname, ...address, sshUsername: 'root', sshPrivateKeyFile: 'key' };
}

function writeManifest(fields: object): void {
  const manifest = {
    apiVersion: 'kubeone.k8c.io/v1beta2',
    kind: 'KubeOneCluster',
    name: 'shop',
    versions: { kubernetes: '1.34.1' },
    cloudProvider: { none: {} },
    ...fields,
  };
  writeFileSync(join(directory, 'kubeone.yaml'), stringify(manifest, { aliasDuplicateObjects: false }));
}

const kubeone = (...args: readonly string[]) => run(program, ...args);
const run = (command: string, ...args: readonly string[]) => outcome(command, args, { directory, env: {} });
