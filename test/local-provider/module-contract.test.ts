/** Every provider type's Terraform modules against the one contract in templates/terraform/README.md. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../templates/terraform', import.meta.url));
const contract = {
  network: {
    variables: [
      'installation',
      'cluster_id',
      'provider_name',
      'region',
      'api_port_open',
      'roles',
      'ssh_ports',
      'wireguard_port',
      'admin_cidrs',
      'peer_cidrs',
      'cidr',
      'tags',
    ],
    outputs: [],
  },
  nodepool: { variables: ['network', 'pool', 'nodes', 'ssh_public_key', 'first_boot', 'tags'], outputs: ['nodes'] },
  dns: {
    variables: [
      'installation',
      'cluster_id',
      'zone',
      'hostname',
      'alternative_names',
      'addresses',
      'health_check_port',
      'tags',
    ],
    outputs: ['endpoint', 'alternative_endpoints'],
  },
} as const;
const kinds = ['network', 'nodepool', 'dns'] as const;
const modules = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap((type) => kinds.map((kind) => ({ type: type.name, kind, directory: join(root, type.name, kind) })))
  .filter(({ directory }) => existsSync(directory));

describe.each(modules)('templates/terraform/$type/$kind', ({ kind, directory }) => {
  test('has every variable of the contract, each with type and description', () => {
    const variables = blocks(directory, 'variable');
    expect([...variables.keys()]).toEqual(expect.arrayContaining([...contract[kind].variables]));
    for (const [name, body] of variables) {
      expect(body, name).toMatch(/description\s*=/);
      expect(body, name).toMatch(/type\s*=/);
    }
  });

  test('asks for nothing beyond the contract and its Secret: its own variables have defaults', () => {
    const known: readonly string[] = [...contract[kind].variables, ...secretVariables(directory)];
    for (const [name, body] of blocks(directory, 'variable')) {
      if (!known.includes(name)) expect(body, name).toMatch(/default\s*=/);
    }
  });

  test('has every output of the contract, each with a description', () => {
    const outputs = blocks(directory, 'output');
    expect([...outputs.keys()]).toEqual(expect.arrayContaining([...contract[kind].outputs]));
    for (const [name, body] of outputs) expect(body, name).toMatch(/description\s*=/);
  });
});

/** Variables that provider.json fills from the Secret. */
function secretVariables(directory: string): readonly string[] {
  const text = readFileSync(join(directory, '..', 'provider.json'), 'utf8');
  return Object.keys((JSON.parse(text) as { moduleVariables?: Record<string, string> }).moduleVariables ?? {});
}

test('the README of the contract names every variable and output', () => {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  for (const kind of kinds) {
    for (const name of [...contract[kind].variables, ...contract[kind].outputs]) expect(text).toContain(`\`${name}\``);
  }
});

test('the modules of local are among those looked at', () => {
  expect(modules.filter(({ type }) => type === 'local').map(({ kind }) => kind)).toEqual([...kinds]);
});

/** Top-level blocks of one sort in a module's files: name → text. */
function blocks(directory: string, sort: 'variable' | 'output'): ReadonlyMap<string, string> {
  const text = readdirSync(directory)
    .filter((name) => name.endsWith('.tf'))
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('\n');
  const found = text.matchAll(new RegExp(`^${sort} "([^"]+)" \\{\\n([\\s\\S]*?)^\\}`, 'gm'));
  return new Map([...found].map(([, name = '', body = '']) => [name, body]));
}
