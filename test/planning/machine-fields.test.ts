import { describe, expect, test } from 'vitest';
import { contractVariables } from '#cli/provider-kit/contract.ts';
import { readTerraformType } from '#cli/provider-kit/terraform-type.ts';
import { DynamicSource } from '#domain/cluster-state.ts';
import { changedMachineFields, documentPlace, machineFields, machineOf, moduleInputs } from '#domain/machine-fields.ts';
import { DynamicNodePoolFields } from '#domain/manifest/schema/node-pools.ts';
import { desiredOf } from './arbitraries.ts';
import { compute, control, manifestOf } from './manifests.ts';

/** Every field that a manifest may give, with two values each. */
const values: Readonly<Record<string, readonly [unknown, unknown]>> = {
  'providerSpec.name': ['aws-1', 'azure-1'],
  'providerSpec.region': ['here', 'there'],
  'providerSpec.zone': ['a', 'b'],
  'providerSpec.externalNetworkName': ['net', 'ten'],
  serverType: ['small', 'large'],
  image: ['one', 'two'],
  storageDiskSize: [50, 100],
  machineSpec: [
    { cpuCount: 2, memory: 8, nvidiaGpuCount: 1, nvidiaGpuType: 't4' },
    { cpuCount: 4, memory: 8, nvidiaGpuCount: 1, nvidiaGpuType: 't4' },
  ],
  properties: [{ rack: 7 }, { rack: 8 }],
  spot: [false, true],
};

const fields = Object.entries(machineFields).flatMap(([name, row]) =>
  'document' in row ? [[name, row.document]] : [],
);

function sourceWith(changes: Readonly<Record<string, unknown>>): DynamicSource {
  const all = { ...Object.fromEntries(Object.entries(values).map(([place, [first]]) => [place, first])), ...changes };
  const pool: Record<string, unknown> = {};
  const providerSpec: Record<string, unknown> = {};
  for (const [place, value] of Object.entries(all)) {
    if (place.startsWith('providerSpec.')) providerSpec[place.slice('providerSpec.'.length)] = value;
    else pool[place] = value;
  }
  const manifest = manifestOf({ dynamic: [control(1), compute(1, { ...pool, providerSpec })] });
  const found = desiredOf({ manifest }).pools.find(({ name }) => name === 'compute')?.source;
  if (found?.kind !== 'dynamic') throw new Error('no dynamic pool');
  return found;
}

describe('fields of machines', () => {
  test('the table has all fields of the state, and each place of the manifest is tested here', () => {
    expect(Object.keys(machineFields).sort()).toEqual(Object.keys(DynamicSource.shape).sort());
    expect(fields.map(([, place]) => place).sort()).toEqual(Object.keys(values).sort());
    for (const place of Object.keys(values)) {
      expect(Object.keys(DynamicNodePoolFields.shape)).toContain(place.split('.')[0]);
    }
  });

  test.each(fields)('a change of %s is found, and named by its place in the manifest', (name, place) => {
    const before = sourceWith({});
    const after = sourceWith({ [place]: values[place]?.[1] });
    expect(changedMachineFields(before, after)).toEqual([name]);
    expect(documentPlace(name)).toBe(place);
    const row: object = machineFields[name as keyof typeof machineFields];
    expect(moduleInputs(after)).not.toEqual('module' in row ? moduleInputs(before) : {});
  });

  test('the table has exactly the inputs of the node pool modules', () => {
    const asked = contractVariables.nodepool.pool?.type ?? '';
    const given = { id: '', role: '', ...moduleInputs(sourceWith({})) };
    const type = readTerraformType(asked);
    expect(Object.keys('attributes' in type ? type.attributes : {}).sort()).toEqual(Object.keys(given).sort());
  });

  test('fields that are missing or empty in the manifest are not set', () => {
    const [, pool] = manifestOf({
      dynamic: [control(1), compute(1, { providerSpec: { name: 'aws-1', region: 'here', zone: '' } })],
    }).spec.nodePools.dynamic;
    if (pool === undefined) throw new Error('no pool');
    expect(machineOf(pool)).toEqual({
      region: 'here',
      serverType: 'small',
      image: 'ubuntu-24.04',
      storageDiskSize: 50,
      spot: false,
    });
  });

  test('a field of the state without a row in the table does not compile', () => {
    const { zone: _, ...without } = machineFields;
    // @ts-expect-error zone is missing
    const table: Record<keyof DynamicSource, object> = without;
    expect(table).not.toHaveProperty('zone');
  });
});
