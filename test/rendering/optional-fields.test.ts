/** Fields of a Secret that may be missing: what the provider block gets then. */
import { expect, test } from 'vitest';
import { ProviderTemplate } from '#rendering/provider-template.ts';
import { emptyRoot } from '#rendering/root-module.ts';

const backend = { bucket: 'states', region: 'eu-central-1', key: 'a.tfstate' };

function templateWith(fixed: Readonly<Record<string, string>>): ProviderTemplate {
  return ProviderTemplate.parse({
    provider: {
      name: 'ovh',
      source: 'ovh/ovh',
      version: '2.22.0',
      credentials: { endpoint: 'endpoint', client_id: 'clientid' },
      arguments: fixed,
    },
    optionalFields: ['endpoint'],
  });
}

test('a fixed argument stands in for an optional field that is missing', () => {
  const root = emptyRoot(templateWith({ endpoint: 'ovh-eu' }), ['global'], backend);

  expect(root).toMatchObject({
    variable: { secret_endpoint: { default: null }, secret_clientid: { nullable: false } },
    provider: {
      ovh: [{ endpoint: `\${coalesce(var.secret_endpoint, "ovh-eu")}`, client_id: `\${var.secret_clientid}` }],
    },
  });
});

test('a missing optional field without a fixed argument is left to the provider', () => {
  const root = emptyRoot(templateWith({}), ['global'], backend);

  expect(root).toMatchObject({ provider: { ovh: [{ endpoint: `\${var.secret_endpoint}` }] } });
});
