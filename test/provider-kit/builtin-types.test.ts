/** Every built-in provider type keeps the contract, as far as its files show. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { examineType } from '#cli/provider-kit/examine-type.ts';
import { readType } from '#cli/provider-kit/type-source.ts';
import { providerTypeNames, providerTypes } from '#domain/provider-types.ts';

const root = fileURLToPath(new URL('../../templates/terraform', import.meta.url));
const types = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe('built-in provider types', () => {
  it('the built-in types are those of the table, except the simulation, which has no modules', () => {
    expect([...types].sort()).toEqual(providerTypeNames.filter((name) => name !== 'sim').sort());
  });

  it.each(types)('KA-7: the type %s keeps the contract', async (type) => {
    const findings = examineType(await readType(join(root, type)));

    expect(findings.filter(({ severity }) => severity === 'fault')).toEqual([]);
  });

  it.each(providerTypeNames.filter((name) => name !== 'sim'))(
    'the type %s has the modules that the table promises',
    (type) => {
      const { nodes, dns } = providerTypes[type];

      expect({ nodes: existsSync(join(root, type, 'nodepool')), dns: existsSync(join(root, type, 'dns')) }).toEqual({
        nodes,
        dns,
      });
    },
  );
});

it.each(providerTypeNames.filter((name) => providerTypes[name].secret.length > 0))(
  'the credentials of the type %s can be checked',
  async (type) => {
    expect(await import(`../../runner-images/runner/provider-check/clouds/${type}.ts`)).toHaveProperty('check');
  },
);

it.each(providerTypeNames)('the type %s has a page, a row among the providers and a row among the checks', (type) => {
  const page = (name: string) => readFileSync(join(root, '../../docs', name), 'utf8');
  expect(page(`providers/${type}.md`)).toContain('# ');
  expect(page('providers/README.md')).toContain(`| [${type}](${type}.md) |`);
  expect(page('secrets.md')).toMatch(new RegExp(`^\\| (\`[a-z]+\`, )*\`${type}\`[^|]*\\|`, 'm'));
});
