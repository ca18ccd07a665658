/** The JSON Schema that editors check documents with: all kinds, in the same file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modeline = '# yaml-language-server: $schema=../schema/input-manifest.schema.json';
const schema = JSON.parse(readFileSync(join(root, 'schema/input-manifest.schema.json'), 'utf8'));
const fits = new Ajv({ strict: false, allErrors: true, formats: { ipv4: true, ipv6: true } }).compile(schema);
const examples = readdirSync(join(root, 'examples')).filter((file) => file.endsWith('.yaml'));

describe('the JSON Schema for editors', () => {
  it.each(examples)('the JSON Schema accepts every document of examples/%s, whose first line names it', (file) => {
    const text = readFileSync(join(root, 'examples', file), 'utf8');
    expect(text.split('\n')[0]).toBe(modeline);
    const documents = parseAllDocuments(text).map((document) => document.toJS());
    expect(documents.filter((document) => !fits(document))).toEqual([]);
  });

  it('the JSON Schema has every kind', () => {
    const kinds = schema.oneOf.map((kind: { properties: { kind: { const: string } } }) => kind.properties.kind.const);
    expect(kinds).toEqual([
      ...[
        'InputManifest',
        'MachineGroups',
        'Secret',
        'TemplateGitReference',
        'RoleBinding',
        'GitSource',
        'Notification',
      ],
      ...['InventoryLayer', 'InventoryOrder', 'InventoryTemplate', 'InventoryCluster', 'ManagementPlane'],
    ]);
  });

  it('the JSON Schema refuses a field that a kind does not have', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, stringDate: {} };
    expect(fits(secret)).toBe(false);
  });
});
