/** The command line without a clone: packed, installed elsewhere, used against a platform. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Platform, startPlatform } from '#local/platform.ts';
import { root } from '../cli/kubeloom-process.ts';
import { type InstalledPackage, installPackage } from './installed-package.ts';

process.env.KUBELOOM_LOG = 'none';

let installed: InstalledPackage;
let platform: Platform;
let access: Readonly<Record<string, string>>;

beforeAll(async () => {
  installed = installPackage();
  platform = await startPlatform({ runner: 'sim', inMemory: true, apiPort: 0 });
  access = { KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token };
}, 240_000);
afterAll(async () => {
  await platform?.stop();
  installed?.remove();
});

const manifest = join(root, 'examples/sim-minimal.yaml');

describe('the npm package of the command line', () => {
  it('the package has no dependencies, cannot be published and asks for Node 22', () => {
    const file = join(installed.directory, 'lib/node_modules/@kubeloom/cli/package.json');
    const { dependencies, private: isPrivate, engines } = JSON.parse(readFileSync(file, 'utf8'));
    expect({ dependencies, isPrivate, engines }).toEqual({ isPrivate: true, engines: { node: '>=22.13' } });
    expect(existsSync(join(installed.directory, 'lib/node_modules/@kubeloom/cli/node_modules'))).toBe(false);
  });

  it.each(['LICENSE', 'SECURITY.md'])('the package has the %s of the clone', (name) => {
    const file = join(installed.directory, 'lib/node_modules/@kubeloom/cli', name);
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(join(root, name), 'utf8'));
  });

  it('the package lists the packages that it is bundled from', () => {
    const file = join(installed.directory, 'lib/node_modules/@kubeloom/cli/sbom.cdx.json');
    const { specVersion, metadata, components } = JSON.parse(readFileSync(file, 'utf8'));
    expect([specVersion, metadata.component.name]).toEqual(['1.6', '@kubeloom/cli']);
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['commander', 'yaml', 'zod']));
    for (const other of ['vitest', 'esbuild', 'dynalite']) expect(names).not.toContain(other);
  });

  it('the package is small', () => {
    expect(installed.packed.size).toBeLessThan(620_000);
  });

  it('a start loads few files, since each costs time before any command runs', () => {
    const lib = join(installed.directory, 'lib/node_modules/@kubeloom/cli/lib');
    const loaded = new Set(['main.js']);
    for (const file of loaded) {
      const text = readFileSync(join(lib, file), 'utf8');
      for (const [, part] of text.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) if (part) loaded.add(part);
    }
    expect(loaded.size).toBeGreaterThan(1);
    expect(loaded.size).toBeLessThanOrEqual(4);
  });

  it('the package prints its version, its commands and the schema', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect((await installed.run(['version'])).stdout).toContain(`kubeloom ${version} `);
    expect((await installed.run(['--help'])).stdout).toMatch(/apply.*get.*kubeconfig/s);
    expect(JSON.parse((await installed.run(['schema'])).stdout)).toHaveProperty('$schema');
  });

  it('the package checks, plans, applies, shows and deletes a manifest on a platform', async () => {
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await installed.run(args, access);
      expect({ args, code, stderr }).toMatchObject({ args, code: 0 });
      return stdout;
    };
    expect(await run('validate', '-f', manifest)).toContain('valid');
    expect(await run('plan', '-f', manifest)).toContain('grow');
    expect(await run('apply', '-f', manifest, '--wait')).toContain('Done');
    expect(await run('get')).toContain('sim-minimal');
    expect(await run('describe', 'sim-minimal')).toContain('Converged');
    expect(await run('kubeconfig', 'minimal')).toContain('kind: Config');
    expect(await run('whoami')).toContain('admin');
    expect(await run('version', '--check')).toContain('installation ');
    await run('delete', 'sim-minimal', '--wait', '--yes');
  });

  it('the package knows the provider types', async () => {
    expect((await installed.run(['provider', 'list'])).stdout).toContain('hetzner');
  });

  it.each([
    [['local', 'up']],
    [['simulate', manifest]],
    [['provider', 'test', 'templates/terraform/hetzner']],
    [['provider', 'check', 'hetzner-1', '-f', manifest]],
    [['doctor']],
  ])('the package says in one sentence that a clone is needed for %j', async (args) => {
    const { code, stderr } = await installed.run(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^kubeloom: `kubeloom [a-z ]+` needs a clone of Kubeloom: .*\n$/);
  });

  it('the package says that a clone is needed for the console of an installation elsewhere', async () => {
    const elsewhere = { KUBELOOM_API_URL: 'https://api.example.com', KUBELOOM_TOKEN: 'a-token' };
    expect(await installed.run(['console'], elsewhere)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^kubeloom: `kubeloom console` needs a clone of Kubeloom: .*\n$/),
    });
  });

  it('the package reports an unknown command and a missing API as the clone does', async () => {
    expect((await installed.run(['aply'])).stderr).toContain("unknown command 'aply'");
    expect((await installed.run(['get'])).code).toBe(7);
  });
});
