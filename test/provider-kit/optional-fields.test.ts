/** Fields of a Secret that may be missing: the root has a variable for them that may be null. */
import { describe, expect, it } from 'vitest';
import { ProviderTemplate } from '#rendering/provider-template.ts';
import { emptyRoot } from '#rendering/root-module.ts';

const backend = { bucket: 'b', region: 'r', key: 'k' };
const template = ProviderTemplate.parse({
  provider: {
    name: 'cloudrift',
    source: 'berops/cloudrift',
    version: '0.2.0',
    credentials: { token: 'token', team_id: 'teamid' },
  },
  optionalFields: ['teamid'],
});

describe('optional Secret fields', () => {
  it('the root module has a default of null for optional fields, and for no others', () => {
    expect(emptyRoot(template, [], backend).variable).toEqual({
      secret_teamid: { type: 'string', sensitive: true, default: null },
      secret_token: { type: 'string', sensitive: true, nullable: false },
    });
  });

  it('the root module gives optional fields to the provider block like all others', () => {
    expect(emptyRoot(template, [], backend).provider).toEqual({
      cloudrift: [{ token: '${var.secret_token}', team_id: '${var.secret_teamid}' }],
    });
  });
});
