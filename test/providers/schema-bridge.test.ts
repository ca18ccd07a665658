/**
 * Fixtures that people read out of documentation say what bindings say that Pulumi's bridge generated from the real schemas:
 * names, types, what must and what can be set, what is computed. And no module uses what the bindings call deprecated.
 */
import { describe, expect, it } from 'vitest';
import { differences } from '../../scripts/provider-schemas/bridge/compare.ts';
import { readBindings } from '../../scripts/provider-schemas/bridge/make-bindings.ts';
import { bridgePackages } from '../../scripts/provider-schemas/bridge/packages.ts';
import { withoutDeprecated } from '../../scripts/provider-schemas/bridge/without-deprecated.ts';
import { faultsOfType, readFixture } from '../../scripts/provider-schemas/check/check-types.ts';
import { templatesDirectory } from '../../scripts/provider-schemas/make-fixture.ts';
import type { BlockSchema, ProviderSchema } from '../../scripts/provider-schemas/schema-format.ts';
import { schemaSources } from '../../scripts/provider-schemas/sources.ts';
import { usedTypes } from '../../scripts/provider-schemas/used-types.ts';

const types = Object.keys(bridgePackages);

describe('what was read of', () => {
  it.each(types)('%s is what the bindings say, but for what has a reason', (type) => {
    const explained = Object.keys(bridgePackages[type]?.explained ?? {});
    expect([...differences(readFixture(type).schema, readBindings(type))].sort()).toEqual(explained.sort());
  });

  it.each(types)('%s names the package and its version', (type) => {
    const { package: name, version } = readBindings(type);
    expect({ name, version }).toEqual({ name: bridgePackages[type]?.package, version: bridgePackages[type]?.version });
    expect(readFixture(type).obtained).toContain(`${name}@${version}`);
  });
});

it.each(types)('the bindings of %s have every resource and data source that a module uses', (type) => {
  const { resources, dataSources } = readBindings(type);
  const used = usedTypes(templatesDirectory, schemaSources[type]?.name ?? '');
  expect([...used.resources].filter((name) => !resources[name])).toEqual([]);
  expect([...used.dataSources].filter((name) => !dataSources[name])).toEqual([]);
});

it.each(types)('the modules of %s use nothing that is deprecated', (type) => {
  const name = schemaSources[type]?.name ?? '';
  const current = withoutDeprecated(readFixture(type).schema, readBindings(type));
  expect(faultsOfType(type, new Map([[name, current]]))).toEqual([]);
});

it('what is deprecated is taken out of a schema', () => {
  const current = withoutDeprecated(readFixture('hetzner').schema, readBindings('hetzner'));
  const server = current.resource_schemas.hcloud_server?.attributes ?? {};
  expect(Object.keys(server)).toContain('location');
  expect(Object.keys(server)).not.toContain('datacenter');
});

describe('a fault in what was read is found:', () => {
  const block = (schema: ProviderSchema, type: string): BlockSchema => {
    const found = schema.resource_schemas[type];
    if (!found) throw new Error(`there is no ${type}`);
    return found;
  };
  const rename = (of: Record<string, unknown> | undefined, from: string, to: string): void => {
    if (!of?.[from]) throw new Error(`there is no ${from}`);
    of[to] = of[from];
    delete of[from];
  };
  const attribute = (of: BlockSchema, name: string) => {
    const found = of.attributes?.[name];
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  };
  const inner = (of: BlockSchema, name: string) => {
    const found = of.block_types?.[name];
    if (!found) throw new Error(`there is no block ${name}`);
    return found;
  };

  const faults: readonly (readonly [string, string, (schema: ProviderSchema) => void, string])[] = [
    [
      'an argument that the provider has not',
      'openstack',
      (schema) => rename(block(schema, 'openstack_compute_instance_v2').attributes, 'key_pair', 'key_name'),
      'openstack_compute_instance_v2.key_name: there is no keyName',
    ],
    [
      'an argument of the provider block',
      'oci',
      (schema) => rename(schema.provider.attributes, 'private_key', 'key'),
      'provider.key: there is no key',
    ],
    [
      'a required argument that is missing',
      'ovh',
      (schema) => rename(block(schema, 'ovh_cloud_instance').attributes, 'flavor_id', 'flavor'),
      'ovh_cloud_instance: flavorId is required, and not known here',
    ],
    [
      'a type',
      'hetzner',
      (schema) => Object.assign(attribute(block(schema, 'hcloud_volume'), 'size'), { type: 'string' }),
      'hcloud_volume.size: it is number, not string',
    ],
    [
      'what a list holds',
      'hetzner',
      (schema) => Object.assign(attribute(block(schema, 'hcloud_server'), 'firewall_ids'), { type: ['set', 'string'] }),
      'hcloud_server.firewall_ids: it is list(number), not list(string)',
    ],
    [
      'that an argument can be left out',
      'hetzner',
      (schema) =>
        Object.assign(attribute(block(schema, 'hcloud_server'), 'server_type'), { required: false, optional: true }),
      'hcloud_server.server_type: it is required',
    ],
    [
      'that an argument must be given',
      'openstack',
      (schema) =>
        Object.assign(attribute(block(schema, 'openstack_networking_port_v2'), 'device_id'), { required: true }),
      'openstack_networking_port_v2.device_id: it is optional',
    ],
    [
      'that an attribute can be set',
      'oci',
      (schema) => Object.assign(attribute(block(schema, 'oci_core_instance'), 'public_ip'), { optional: true }),
      'oci_core_instance.public_ip: it cannot be set',
    ],
    [
      'that there is always a value to read',
      'hetzner',
      (schema) => Object.assign(attribute(block(schema, 'hcloud_server'), 'user_data'), { computed: true }),
      'hcloud_server.user_data: it is not computed',
    ],
    [
      'that a value is no secret',
      'ovh',
      (schema) => Object.assign(attribute(block(schema, 'ovh_cloud_instance'), 'user_data'), { sensitive: false }),
      'ovh_cloud_instance.user_data: it is sensitive',
    ],
    [
      'how often a block may be there',
      'oci',
      (schema) => Object.assign(inner(block(schema, 'oci_core_instance'), 'shape_config'), { max_items: 2 }),
      'oci_core_instance.shape_config: there is no shapeConfigs',
    ],
    [
      'an argument inside a block',
      'oci',
      (schema) => {
        const rules = inner(block(schema, 'oci_core_route_table'), 'route_rules').block;
        rename(rules.attributes, 'network_entity_id', 'gateway_id');
      },
      'oci_core_route_table.route_rules: networkEntityId is required, and not known here',
    ],
    [
      'an argument inside an attribute',
      'hetzner',
      (schema) =>
        rename(attribute(block(schema, 'hcloud_zone_rrset'), 'records').nested_type?.attributes, 'value', 'address'),
      'hcloud_zone_rrset.records: value is required, and not known here',
    ],
    [
      'a data source',
      'ovh',
      (schema) => rename(schema.data_source_schemas, 'ovh_cloud_instance_images', 'ovh_cloud_images'),
      'data.ovh_cloud_images: not bound',
    ],
  ];

  it.each(faults)('%s', (_, type, plant, difference) => {
    const schema = structuredClone(readFixture(type).schema);
    plant(schema);
    expect(differences(schema, readBindings(type))).toContain(difference);
  });
});
