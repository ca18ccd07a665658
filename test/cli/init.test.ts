/** The manifest that `kubeloom init` writes: valid, apart from what it says has to be filled in. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeTypes, placeholder, scaffold } from '#cli/scaffold/scaffold.ts';
import { parseDocuments } from '#documents/parse-documents.ts';
import { readObjects } from '#documents/read-objects.ts';
import { validateDocuments } from '#domain/documents/validate-documents.ts';
import { kubeloom } from './kubeloom.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeloom-init-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What is at a path such as `spec.pools[0].name`. */
function at(document: unknown, path: string): unknown {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  return keys.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
}

/** Faults at places that have nothing to be filled in. */
function faultsIn(text: string): string[] {
  const { documents, faults } = parseDocuments(text);
  const verdicts = validateDocuments(documents, { readObjects });
  const found = verdicts.flatMap((verdict, index) =>
    verdict.faults.filter(({ path }) => at(documents[index], path) !== placeholder),
  );
  return [...faults, ...found].map(({ path, reason }) => `${path}: ${reason}`);
}

describe('kubeloom init', () => {
  it.each(nodeTypes)(
    'init writes a manifest for %s that validate accepts, apart from what the user fills in',
    (type) => {
      expect(faultsIn(scaffold('shop', [type]))).toEqual([]);
    },
  );

  it('init puts a pool of each provider into one cluster', () => {
    const text = scaffold('shop', ['hetzner', 'aws']);
    expect(faultsIn(text)).toEqual([]);
    expect(text).toContain('compute: [compute-1, compute-2]');
  });

  it('init writes a file that only its owner can read, and overwrites none without --force', async () => {
    const file = join(folder, 'shop.yaml');
    const args = ['init', file, '--provider', 'hetzner', '--name', 'shop'];
    expect((await kubeloom(args)).stderr).toContain(placeholder);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await kubeloom(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect(readFileSync(file, 'utf8')).toContain('providerType: hetzner');
  });

  it('init lists the provider types when it does not know one', async () => {
    const { code, stderr } = await kubeloom(['init', '--provider', 'hetzer']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('hetzner')]);
  });
});
