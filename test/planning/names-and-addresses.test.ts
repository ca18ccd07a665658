import { describe, expect, test } from 'vitest';
import { addressSource, subnetSource } from '#domain/addresses.ts';
import { freeNodeNames, hashedId } from '#domain/naming.ts';
import { minorSteps } from '#domain/planning/path/version-steps.ts';
import { countingIds } from './arbitraries.ts';

describe('node names', () => {
  test('node names get the lowest free two-digit hexadecimal numbers', () => {
    expect(freeNodeNames('p', new Set(['p-01', 'p-03']), 3)).toEqual(['p-02', 'p-04', 'p-05']);
    const many = freeNodeNames('p', new Set(), 255);
    expect([many[8], many[9], many.at(-1)]).toEqual(['p-09', 'p-0a', 'p-ff']);
  });

  test('a pool of more than 255 nodes is refused with the fix', () => {
    expect(() => freeNodeNames('p', new Set(), 256)).toThrow(
      /more than 255 nodes; put the other nodes into a second pool/,
    );
  });
});

describe('ids', () => {
  test('a new id avoids those that are taken, and an id source that repeats itself is a fault', () => {
    expect(hashedId('p', countingIds('a'), new Set(['p-a100000']))).toBe('p-a200000');
    expect(() => hashedId('p', { hash: () => 'same' }, new Set(['p-same']))).toThrow(/repeats its names/);
  });
});

describe('addresses', () => {
  test('addresses skip the network, the broadcast address and all in use', () => {
    const next = addressSource('192.168.2.0/29', ['192.168.2.1', '192.168.2.4']);
    expect([next(), next(), next(), next()]).toEqual(['192.168.2.2', '192.168.2.3', '192.168.2.5', '192.168.2.6']);
    expect(next).toThrow(/no free address/);
  });
});

describe('subnets', () => {
  test('subnets are counted for each provider instance and region, and avoid the mesh', () => {
    const next = subnetSource('10.0.1.0/24', [{ provider: 'a', region: 'x', subnet: '10.0.0.0/24' }]);
    expect([next('a', 'x'), next('a', 'y'), next('b', 'x'), next('a', 'x')]).toEqual([
      '10.0.2.0/24',
      '10.0.0.0/24',
      '10.0.0.0/24',
      '10.0.3.0/24',
    ]);
  });

  test('subnets are also given when the mesh covers them all', () => {
    expect(subnetSource('10.0.0.0/8', [])('a', 'x')).toBe('10.0.0.0/24');
  });
});

describe('Kubernetes upgrades', () => {
  test('an upgrade has one step for each minor version', () => {
    expect(minorSteps('1.33.7', '1.36.2')).toEqual(['1.34.0', '1.35.0', '1.36.2']);
    expect(minorSteps('1.34.1', '1.34.2')).toEqual(['1.34.2']);
    expect(minorSteps('1.34.1', '1.34.1')).toEqual([]);
  });
});
