/** Least-privilege policies: what modules need, in the form of each cloud, on the page of each type. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Permissions, permissionsFor } from '#cli/provider-kit/type-source.ts';
import { policyFormOf } from '../../scripts/provider-policies.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const types = readdirSync(join(root, 'templates/terraform')).filter((type) =>
  existsSync(join(root, 'templates/terraform', type, 'permissions.json')),
);

describe('permissions', () => {
  const table = Permissions.parse({
    resources: { acme_server: ['server:write', 'key:read'], acme_record: ['zone:write'] },
    data: { acme_zone: ['zone:read'] },
    always: ['account:read'],
  });

  it('the permissions are those of the used resources and those always needed, each once', () => {
    expect(permissionsFor(table, { resources: ['acme_server', 'acme_server'], data: [] })).toEqual([
      'account:read',
      'key:read',
      'server:write',
    ]);
    expect(permissionsFor(table, { resources: ['acme_record'], data: ['acme_zone'] })).toEqual([
      'account:read',
      'zone:read',
      'zone:write',
    ]);
  });
});

describe('strays', () => {
  const acted = readdirSync(join(root, 'runner-images/runner/listing/machines')).map((file) => file.replace('.ts', ''));

  it.each(acted)('the permissions for %s include those to stop and to delete a machine', (type) => {
    const { resources } = Permissions.parse(
      JSON.parse(readFileSync(join(root, 'templates/terraform', type, 'permissions.json'), 'utf8')),
    );
    const ofMachines = Object.entries(resources).flatMap(([name, permissions]) =>
      /_(instance|virtual_machine|compute_instance|server|droplet)(_v2)?$/.test(name) ? permissions : [],
    );
    // A policy of Oracle names families and verbs, a token of Hetzner may do everything or only read.
    expect(ofMachines.join(' ')).toMatch(/stop|deallocate|manage instance-family|droplet:update|Read & Write/i);
    expect(ofMachines.join(' ')).toMatch(/delete|terminate|manage instance-family|Read & Write/i);
  });
});

describe('form of a policy', () => {
  const inside = (markdown: string): unknown => JSON.parse(markdown.replace(/^```json\n([\s\S]*)\n```$/, '$1'));

  it('the policy for aws is an IAM policy', () => {
    expect(inside(policyFormOf('aws')(['ec2:RunInstances'], 'machines'))).toEqual({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: ['ec2:RunInstances'], Resource: '*' }],
    });
  });

  it('the policy for aws may create the service-linked role of spot machines, and no other', () => {
    const spot = 'iam:CreateServiceLinkedRole';
    expect(inside(policyFormOf('aws')(['ec2:RunInstances', spot], 'machines'))).toMatchObject({
      Statement: [
        { Action: ['ec2:RunInstances'] },
        { Action: [spot], Condition: { StringEquals: { 'iam:AWSServiceName': 'spot.amazonaws.com' } } },
      ],
    });
  });

  it('the policy for azure and for gcp is a custom role', () => {
    expect(inside(policyFormOf('azure')(['Microsoft.Compute/virtualMachines/read'], 'machines'))).toMatchObject({
      IsCustom: true,
      Actions: ['Microsoft.Compute/virtualMachines/read'],
    });
    expect(policyFormOf('gcp')(['compute.disks.get'], 'names')).toMatch(
      /^```yaml\n[\s\S]*for names\n[\s\S]*includedPermissions:\n {2}- compute\.disks\.get\n```$/,
    );
  });

  it('the policy for oci has only the widest verb of each resource type', () => {
    const statements = policyFormOf('oci')(['read vcns', 'manage vcns', 'use vnics', 'inspect vcns'], 'machines');

    expect(inside(statements)).toEqual([
      'Allow group kubeloom to manage vcns in compartment COMPARTMENT',
      'Allow group kubeloom to use vnics in compartment COMPARTMENT',
    ]);
    expect(() => policyFormOf('oci')(['own vcns'], 'machines')).toThrow(/does not begin with a verb/);
  });

  it('the policy for clouds whose tokens have scopes is a list', () => {
    expect(policyFormOf('digitalocean')(['droplet:read', 'vpc:read'], 'machines')).toBe(
      '- `droplet:read`\n- `vpc:read`',
    );
  });
});

describe('pages of types', () => {
  it.each(types)('the page of %s has its policy', (type) => {
    const page = readFileSync(join(root, 'docs/providers', `${type}.md`), 'utf8');
    const policy = /<!-- generated:permissions -->\n([\s\S]*?)\n<!-- \/generated -->/.exec(page)?.[1] ?? '';

    expect(policy.length).toBeGreaterThan(10);
  });
});
