/** `kubeloom provider test --full` on every built-in type that makes machines; plugins are served by schema fixtures. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { examineType } from '#cli/provider-kit/examine-type.ts';
import { tryWithTerraform } from '#cli/provider-kit/try-with-terraform.ts';
import { readType } from '#cli/provider-kit/type-source.ts';
import { type FixtureProviders, startFixtureProviders } from '#test/providers/plugin/fixture-providers.ts';
import { readSchemaFixture } from '#test/providers/plugin/schema-fixture.ts';
import { skipsTerraform, terraformProgram } from '#test/providers/terraform-workspace.ts';

const templates = fileURLToPath(new URL('../../templates/terraform', import.meta.url));
const schemas = fileURLToPath(new URL('../providers/schemas', import.meta.url));
const types = readdirSync(templates).filter((type) => existsSync(join(schemas, `${type}.json`)));
/** Mocks of Terraform cannot have rows in a list of objects, and ovh's modules look images and flavors up in such lists. */
const notPlanned = new Set(['ovh']);

let plugins: FixtureProviders | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await plugins?.stop();
  plugins = undefined;
});

describe.skipIf(skipsTerraform)('built-in provider types, tried with Terraform', () => {
  it.each(types)('the type %s keeps the contract', async (type) => {
    plugins = await startFixtureProviders([readSchemaFixture(join(schemas, `${type}.json`))]);
    const environment = { TF_CLI_CONFIG_FILE: '/dev/null', KUBELOOM_TERRAFORM: terraformProgram ?? '' };
    const quick = { KUBELOOM_VERDA_PATIENCE_SECONDS: '0' };
    for (const [name, value] of Object.entries({ ...environment, ...quick, ...plugins.environment }))
      vi.stubEnv(name, value);
    const source = await readType(join(templates, type));

    const trials = await tryWithTerraform(source, examineType(source));

    const machines = source.modules.nodepool === undefined ? 0 : 1;
    const last = notPlanned.has(type) ? ['not tried'] : ['passed'];
    expect(
      trials.map(({ outcome }) => outcome),
      JSON.stringify(trials),
    ).toEqual(['passed', 'passed', 'passed', ...last.slice(0, machines)]);
  });
});
