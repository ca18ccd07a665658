/** What the image mirrors is installed without a registry: with the real Terraform, and a proxy that does not answer. */
import { execFile, execFileSync } from 'node:child_process';
import { type BinaryToTextEncoding, createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runnerConfig } from '#runner/runner-config.ts';
import { configurationFile } from '#runner/terraform/cli/cli-configuration.ts';
import { MirrorHashes, pluginLock } from '#runner/terraform/cli/plugin-lock.ts';

const present = (() => {
  try {
    execFileSync('terraform', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
const sum = (text: string, encoding: BinaryToTextEncoding): string =>
  createHash('sha256').update(text).digest(encoding);
const cloud = { source: 'kubeloom/cloud', version: '1.2.3' };
let place: string;
let mirror: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'kubeloom-mirror-'));
  mirror = join(place, 'mirror');
  vi.stubEnv('TF_CLI_CONFIG_FILE', undefined);
  vi.stubEnv('KUBELOOM_PROVIDER_MIRROR', mirror);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(place, { recursive: true, force: true });
});

const workspace = (): string => {
  const directory = join(place, 'workspace');
  mkdirSync(directory, { recursive: true });
  return directory;
};

/** Puts the plugin where `terraform providers mirror` puts it, below `host`; unpacked. */
function putIntoMirror(host: string, { source, version }: typeof cloud): void {
  const system = process.arch === 'arm64' ? 'linux_arm64' : 'linux_amd64';
  const folder = join(mirror, host, source, version, system);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `terraform-provider-cloud_v${version}`);
  writeFileSync(file, '#!/bin/sh\nexit 1\n');
  chmodSync(file, 0o755);
}

/** The host that Terraform looks for plugins without one: it says so itself. */
function defaultHost(): string {
  const file = join(workspace(), 'main.tf.json');
  writeFileSync(file, JSON.stringify({ terraform: { required_providers: { cloud } } }));
  const reported = execFileSync('terraform', ['providers'], { cwd: workspace(), encoding: 'utf8' });
  return /provider\[([^/]+)\/kubeloom\/cloud\]/.exec(reported)?.[1] ?? '';
}

function init(environment: Readonly<Record<string, string>>): Promise<{ code: number; output: string }> {
  const closed = 'http://127.0.0.1:9';
  const env = { ...process.env, CHECKPOINT_DISABLE: '1', HTTPS_PROXY: closed, https_proxy: closed, ...environment };
  return new Promise((resolve) => {
    execFile('terraform', ['init', '-input=false', '-no-color'], { cwd: workspace(), env }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    );
  });
}

// On CI a missing tool is a failure, not a skip.
describe.skipIf(!present && process.env.CI !== 'true')('terraform init', () => {
  it('terraform init asks no registry for a plugin that the mirror has', async () => {
    putIntoMirror(defaultHost(), cloud);
    const { code, output } = await init(await configurationFile(workspace(), [cloud], runnerConfig(process.env)));
    expect(output).toContain('Installed kubeloom/cloud v1.2.3');
    expect(code).toBe(0);
  });

  it('terraform init asks the registry for a version that the mirror lacks', async () => {
    putIntoMirror(defaultHost(), { ...cloud, version: '1.0.0' });
    const { code, output } = await init(await configurationFile(workspace(), [cloud], runnerConfig(process.env)));
    expect(output).toMatch(/registry/);
    expect(code).toBe(1);
  });

  /** What unpack-plugins.mjs wrote when the image was built. */
  function hashesOf(host: string, program: string): void {
    const line = `${sum(program, 'hex')}  terraform-provider-cloud_v1.2.3\n`;
    const hashes = [`h1:${sum(line, 'base64')}`];
    writeFileSync(
      join(mirror, 'hashes.json'),
      JSON.stringify({ [`${host}/kubeloom/cloud`]: { version: '1.2.3', hashes } }),
    );
  }

  it('terraform init takes the plugin that the image was built with, and refuses another one in its place', async () => {
    const host = defaultHost();
    putIntoMirror(host, cloud);
    hashesOf(host, '#!/bin/sh\nexit 1\n');
    expect(await init(await configurationFile(workspace(), [cloud], runnerConfig(process.env)))).toMatchObject({
      code: 0,
    });
    rmSync(join(workspace(), '.terraform'), { recursive: true });
    hashesOf(host, '#!/bin/sh\nexit 2\n');
    const { code, output } = await init(await configurationFile(workspace(), [cloud], runnerConfig(process.env)));
    expect(output.replaceAll(/\s+/g, ' ')).toMatch(/doesn't match any of the checksums/);
    expect(code).toBe(1);
  });
});

describe('the lock of plugins', () => {
  const hashes = [`h1:${'A'.repeat(43)}=`];
  const known = { 'plugins.example.com/kubeloom/cloud': { version: '1.2.3', hashes } };

  it('a plugin of another version or source has no entry, so that templates of users may pin it', () => {
    expect(pluginLock(known, [cloud])).toContain('provider "plugins.example.com/kubeloom/cloud"');
    expect(pluginLock(known, [{ source: 'plugins.example.com/kubeloom/cloud', version: '1.2.3' }])).not.toBe('');
    expect(pluginLock(known, [{ ...cloud, version: '1.2.4' }])).toBe('');
    expect(pluginLock(known, [{ ...cloud, source: 'loom/cloud' }])).toBe('');
  });

  it('hashes of a mirror that are no hashes are refused', () => {
    const address = 'plugins.example.com/kubeloom/cloud';
    for (const [name, row] of [
      [address, { version: '1.2.3', hashes: ['h1:x"\n'] }],
      [address, { version: '1.2.3"', hashes }],
      [`${address}"`, { version: '1.2.3', hashes }],
      [address, { version: '1.2.3', hashes: [] }],
    ] as const)
      expect(MirrorHashes.safeParse({ [name]: row }).success).toBe(false);
  });
});

describe("Terraform's configuration", () => {
  it('the configuration of Terraform excludes from the registry exactly what the mirror has', async () => {
    putIntoMirror('plugins.example.com', cloud);
    const { TF_CLI_CONFIG_FILE: file = '' } = await configurationFile(
      workspace(),
      [
        cloud,
        { source: 'kubeloom/other', version: '1.2.3' },
        { source: 'plugins.example.com/kubeloom/cloud', version: '1.2.3' },
      ],
      runnerConfig(process.env),
    );
    expect(readFileSync(file, 'utf8')).toContain('exclude = ["kubeloom/cloud","plugins.example.com/kubeloom/cloud"]');
  });

  it('no configuration is written when the user has one or there is no mirror', async () => {
    const own = join(place, 'own.rc');
    writeFileSync(own, '');
    vi.stubEnv('TF_CLI_CONFIG_FILE', own);
    expect(await configurationFile(workspace(), [cloud], runnerConfig(process.env))).toEqual({});
    vi.stubEnv('TF_CLI_CONFIG_FILE', undefined);
    vi.stubEnv('KUBELOOM_PROVIDER_MIRROR', undefined);
    expect(await configurationFile(workspace(), [cloud], runnerConfig(process.env))).toEqual({});
  });
});
