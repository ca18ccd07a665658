/** The example of docs/write-a-provider.md keeps the contract that the page explains. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findingsOf, goodType } from './type-directory.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/write-a-provider.md', import.meta.url)), 'utf8');
const files = [...page.matchAll(/^`([\w/.]+)`:\n```\w+\n([\s\S]*?)^```$/gm)].map((match) => [match[1], match[2]]);

it('the example of docs/write-a-provider.md keeps the contract', async () => {
  const variables = (goodType['nodepool/variables.tf'] ?? '').replace('firewall = string', 'firewall_id = string');
  const example = { ...Object.fromEntries(files), 'nodepool/variables.tf': variables } as Record<string, string>;

  expect(files.map(([name]) => name)).toEqual([
    'provider.json',
    'permissions.json',
    'network/main.tf',
    'network/outputs.tf',
    'nodepool/main.tf',
    'nodepool/outputs.tf',
  ]);
  expect(await findingsOf(example)).toEqual([]);
});
