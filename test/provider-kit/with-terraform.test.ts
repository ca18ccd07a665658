/** The part of the kit that runs Terraform, on modules of this repository; plugins are served by schema fixtures. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { examineType } from '#cli/provider-kit/examine-type.ts';
import { type Trial, tryWithTerraform } from '#cli/provider-kit/try-with-terraform.ts';
import { readType } from '#cli/provider-kit/type-source.ts';
import { type FixtureProviders, startFixtureProviders } from '#test/providers/plugin/fixture-providers.ts';
import { readSchemaFixture } from '#test/providers/plugin/schema-fixture.ts';
import { skipsTerraform, terraformProgram } from '#test/providers/terraform-workspace.ts';

const templates = fileURLToPath(new URL('../../templates/terraform', import.meta.url));
const schemas = new URL('../providers/schemas/', import.meta.url);

/** A copy of a built-in type, in a directory that goes after the test. */
let copy: string;
let plugins: FixtureProviders | undefined;

beforeEach(async () => {
  copy = join(await mkdtemp(join(tmpdir(), 'kubeloom-kit-')), 'digitalocean');
  await cp(join(templates, 'digitalocean'), copy, { recursive: true });
  vi.stubEnv('TF_CLI_CONFIG_FILE', join(copy, 'no-such.rc'));
  vi.stubEnv('KUBELOOM_TERRAFORM', terraformProgram ?? '');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await plugins?.stop();
  plugins = undefined;
  await rm(join(copy, '..'), { recursive: true, force: true });
});

async function trialsOf(directory: string): Promise<readonly Trial[]> {
  const source = await readType(directory);
  return tryWithTerraform(source, examineType(source));
}

async function servePlugin(): Promise<void> {
  plugins = await startFixtureProviders([readSchemaFixture(new URL('digitalocean.json', schemas))]);
  for (const [name, value] of Object.entries(plugins.environment)) vi.stubEnv(name, value);
}

async function edit(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(join(copy, file), 'utf8');
  expect(text).toContain(from);
  await writeFile(join(copy, file), text.replace(from, to));
}

describe.skipIf(skipsTerraform)('types tried with Terraform', { timeout: 120_000 }, () => {
  it('a type passes with 1, 2 and 5 instances, and when pools and nodes come and go', async () => {
    await servePlugin();

    const trials = await trialsOf(copy);

    expect(trials.map(({ outcome, details }) => ({ outcome, details }))).toEqual(
      Array.from({ length: 4 }, () => ({ outcome: 'passed', details: [] })),
    );
  });

  it('a type fails for an argument that the plugin does not know', async () => {
    await servePlugin();
    await edit('nodepool/main.tf', 'monitoring        = false', 'monitored         = false');

    const trials = await trialsOf(copy);

    expect(trials.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
    expect(trials[0]?.details.join(' ')).toMatch(/An argument named "monitored" is not expected/);
  });

  it('a type fails when a new node changes another one, which no file shows', async () => {
    await servePlugin();
    await edit(
      'nodepool/main.tf',
      'description = "Data disk of',
      'description = "Disk 1 of ${length(keys(var.nodes))},',
    );

    const trials = await trialsOf(copy);

    expect(trials.at(-1)).toMatchObject({ outcome: 'failed' });
    expect(trials.at(-1)?.details).toContainEqual(
      expect.stringMatching(
        /^when a node is added: module\.pool_workers.*digitalocean_volume\.data\["workers-.*-01"\] would be/,
      ),
    );
  });

  it('a type is not tried as long as its files have faults', async () => {
    await edit('nodepool/main.tf', 'for_each = var.nodes', 'count = 1');

    expect(await trialsOf(copy)).toEqual([
      { name: 'Terraform', outcome: 'not tried', details: ['fix the faults above first'] },
    ]);
  });

  it('a type is reported as not tried when the plugin is not available', async () => {
    const mirror = `provider_installation {\n  filesystem_mirror {\n    path = "${copy}"\n  }\n}\n`;
    await writeFile(join(copy, 'no-such.rc'), mirror);

    const trials = await trialsOf(copy);

    expect(trials).toMatchObject([{ name: expect.stringMatching(/ init$/), outcome: 'not tried' }]);
    expect(trials[0]?.details[0]).toMatch(/check that the plugin is available here/);
    expect(trials[0]?.details[1]).toMatch(/^Error: /);
  });
});
