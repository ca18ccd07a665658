/**
 * What everyone who speaks as `kubeone` does alike: KubeOne itself, and the simulated control plane. Words are
 * those of KubeOne 1.13.7.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import { changed } from './kubeone-manifests.ts';

export interface Speaker {
  readonly name: string;
  readonly program: string;
  readonly env?: Readonly<Record<string, string>>;
  /** It tries to reach a host ten times in eight minutes: its first words are enough. */
  readonly patient?: true;
}

/** What it refuses to do to a cluster that runs. */
export const clusterRefusals = {
  downgrade: { code: 15, words: 'Error: configuration sanity check\ncluster downgrades are disallowed' },
  joinAndUpgrade: {
    code: 15,
    words: 'Error: configuration validation\nrepair and upgrade are not supported at the same time',
  },
} as const;

/** In a log line of KubeOne the end of a line is written as `\\n`. */
export const unreachable = (endpoint: string): RegExp =>
  new RegExp(`ssh: dialing(\\n|\\\\n)connection to: ${endpoint.replaceAll('.', '\\.')}`);

const refusedManifests: readonly (readonly [name: string, change: readonly [string, string], words: string])[] = [
  [
    'version v1beta3',
    ['v1beta2', 'v1beta3'],
    'validation\nprovided apiVersion "kubeone.k8c.io/v1beta3" is not supported',
  ],
  ['an unknown field', ['enableHubble', 'enableHubbles'], 'unknown field "clusterNetwork.cni.cilium.enableHubbles"'],
  ['a field of the wrong type', ['sshPort: 2222', 'sshPort: "2222"'], 'sshPort'],
  ['a Kubernetes beyond its window', ['1.34.2', '1.31.2'], 'kubernetes version does not satisfy version constraint'],
  ['an invalid Kubernetes version', ['1.34.2', 'latest'], '.versions.kubernetes is not a semver string'],
  ['two leaders', ['isLeader: false', 'isLeader: true'], 'only one leader is allowed'],
  ['two networks', ['cilium:', 'external: {}\n    cilium:'], 'only one cni plugin can be used at the same time'],
  ['kube-proxy next to Cilium', ['skipInstallation: true', 'skipInstallation: false'], 'with kube-proxy enabled'],
];

/** The part that needs no host. */
export function kubeoneContract({ name, program, env = {}, patient }: Speaker): void {
  describe(`${name} as kubeone`, () => {
    let directory: string;
    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), 'kubeloom-contract-'));
    });
    afterAll(() => rmSync(directory, { recursive: true }));

    const run = (...args: readonly string[]) => outcome(program, args, { directory, env });
    const apply = (manifest: string) => {
      writeFileSync(join(directory, 'kubeone.yaml'), manifest);
      return run('apply', '-m', 'kubeone.yaml');
    };

    test(`${name} says its version as JSON`, async () => {
      const { code, stdout } = await run('version');
      expect(code).toBe(0);
      expect(JSON.parse(stdout).kubeone.gitVersion).toMatch(/^v?1\.\d+/);
    });

    test.each(refusedManifests)(
      `${name} refuses a manifest with %s, before it asks or touches anything`,
      async (_, change, words) => {
        // Without -y: the refusal comes before the question.
        const { code, stdout, stderr } = await apply(changed(change));
        expect([code, stdout]).toEqual([15, '']);
        expect(stderr).toMatch(/^Error: configuration /m);
        expect(stderr).toContain(words);
        expect(readdirSync(directory)).toEqual(['kubeone.yaml']);
      },
    );

    test(`${name} refuses to reset by a manifest that it refuses to apply`, async () => {
      writeFileSync(join(directory, 'kubeone.yaml'), changed(['v1beta2', 'v1beta3']));
      const options = ['-y', '--remove-binaries', '--remove-volumes=false', '--remove-lb-services=false'];
      expect(await run('reset', '-m', 'kubeone.yaml', ...options)).toMatchObject({ code: 15 });
    });

    test(`${name} names a manifest that is not there`, async () => {
      const { code, stderr } = await run('apply', '-m', 'gone.yaml', '-y');
      expect(code).toBe(10);
      expect(stderr).toContain(
        'Error: runtime: reading cluster configuration\nopen gone.yaml: no such file or directory',
      );
    });

    test(`${name} names a directory of add-ons that is not there`, async () => {
      const missing = changed(['machineController:', 'addons:\n  enable: true\n  path: ./gone\nmachineController:']);
      const { code, stderr } = await apply(missing);
      expect(code).toBe(10);
      expect(stderr).toContain(
        `Error: runtime: checking addons directory\nstat ${join(directory, 'gone')}: no such file`,
      );
    });

    test(`${name} refuses unknown commands and options`, async () => {
      expect(await run('aply')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Error: unknown command "aply" for "kubeone"'),
      });
      expect(await run('apply', '--nonsense')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Error: unknown flag: --nonsense'),
      });
    });

    test(`${name} reports a host that it cannot reach by its address, and writes no kubeconfig`, async () => {
      writeFileSync(join(directory, 'key'), makeSshKeyPair('contract').privateKey, { mode: 0o600 });
      const manifest = parse(changed(['1.34.2', '1.34.4']));
      const [control] = manifest.controlPlane.hosts;
      // Nothing listens on port 1 of the loopback.
      const closed = { ...control, publicAddress: '127.0.0.1', sshPort: 1, sshPrivateKeyFile: 'key' };
      manifest.controlPlane.hosts = [closed];
      manifest.staticWorkers.hosts = [];
      writeFileSync(join(directory, 'kubeone.yaml'), stringify(manifest));
      const words = unreachable('127.0.0.1:1');
      const place = { directory, env, ...(patient ? { until: words } : {}) };
      const { code, stderr } = await outcome(program, ['apply', '-m', 'kubeone.yaml', '-y'], place);
      if (!patient) expect(code).toBe(10);
      expect(stderr).toMatch(words);
      expect(existsSync(join(directory, 'shop-kubeconfig'))).toBe(false);
    });
  });
}

interface Outcome {
  /** null: it was ended because it printed the expected words. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Place {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Ends the program once it has printed this. */
  readonly until?: RegExp;
}

/** Runs a program to its end; rejects when it cannot be started. */
export function outcome(program: string, args: readonly string[], { directory, env, until }: Place): Promise<Outcome> {
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (part) => {
    stdout += part;
  });
  child.stderr.on('data', (part) => {
    stderr += part;
    if (until?.test(stderr)) child.kill();
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
