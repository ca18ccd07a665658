/** The manifest that `kubeloom init` writes: valid, apart from what it says has to be filled in. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askFirstManifest } from '#cli/scaffold/ask-first-manifest.ts';
import { type FirstManifest, nodeTypes, placeholder, scaffold } from '#cli/scaffold/scaffold.ts';
import { parseDocuments } from '#documents/parse-documents.ts';
import { readObjects } from '#documents/read-objects.ts';
import { cataloguesOf } from '#domain/catalogue/catalogues.ts';
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
    verdict.faults.filter(({ path }) => String(at(documents[index], path)).trim() !== placeholder),
  );
  return [...faults, ...found].map(({ path, reason }) => `${path}: ${reason}`);
}

const firstManifest = (types: readonly string[], more: Partial<FirstManifest> = {}): string =>
  scaffold({ name: 'shop', types, ...more });

/** Lines with a value to fill in that are no credentials: after the last Secret. */
const placesOf = (text: string): readonly string[] => {
  const manifest = text.slice(text.lastIndexOf('---\n'));
  return manifest.split('\n').filter((line) => line.includes(placeholder));
};

describe('kubeloom init', () => {
  it.each(nodeTypes)(
    'init writes a manifest for %s that validate accepts, apart from what the user fills in',
    (type) => {
      expect(faultsIn(firstManifest([type]))).toEqual([]);
      expect(faultsIn(firstManifest([type], { dns: 'cloudflare' }))).toEqual([]);
    },
  );

  it.each(['azure', 'digitalocean', 'exoscale', 'gcp', 'hetzner', 'ovh', 'local', 'sim'])(
    'a first manifest for %s has nothing to fill in but credentials, and no rule warns of its values',
    async (type) => {
      const text = firstManifest([type]);
      expect(placesOf(text)).toEqual([]);
      const { documents } = parseDocuments(text);
      const clouds = { today: '2026-11-28', catalogues: await cataloguesOf([type]) };
      const verdict = validateDocuments(documents, { readObjects, clouds }).at(-1);
      expect(verdict).toMatchObject({ kind: 'InputManifest', faults: [], warnings: [] });
    },
  );

  it.each(['aws', 'oci'])('a first manifest for %s lacks only the image, whose form is named', (type) => {
    const places = placesOf(firstManifest([type]));
    expect(places.length).toBeGreaterThan(0);
    for (const line of places) expect(line).toMatch(/image: REPLACE-ME # .*(?:ami-|ocid1)/);
  });

  it('init puts a pool of each provider into one cluster, also of machines that exist', () => {
    const text = firstManifest(['hetzner', 'aws', 'static']);
    expect(faultsIn(text)).toEqual([]);
    expect(text).toContain('compute: [compute-1, compute-2, compute-3]');
    expect(text).toContain('    static:');
  });

  it('a load balancer has machines of its own, and the first provider with DNS serves its name', () => {
    const text = firstManifest(['verda', 'hetzner'], { balanced: true });
    expect(faultsIn(text)).toEqual([]);
    expect(text).toContain('pools: [edge]');
    expect(text).toContain('provider: hetzner-1, hostname: api.shop');
    expect(() => firstManifest(['static'], { balanced: true })).toThrow('--dns');
    expect(() => firstManifest(['hetzner'], { dns: 'verda' })).toThrow('serves no names');
  });

  it('init asks on a terminal, and takes the value in brackets for an empty answer', async () => {
    const answers = ['hetzner, static', '', 'y', 'cloudflare'];
    const asked: string[] = [];
    const question = async (text: string) => {
      asked.push(text);
      return answers.shift() ?? '';
    };
    const close = () => asked.push('closed');
    expect(await askFirstManifest('shop', { question, close })).toEqual({
      name: 'shop',
      types: ['hetzner', 'static'],
      balanced: true,
      dns: 'cloudflare',
    });
    expect(asked.at(-1)).toBe('closed');
  });

  it('--example writes an example, and names the one that was meant', async () => {
    const { stdout } = await kubeloom(['init', '--example', 'sim-minimal']);
    expect(stdout).toBe(readFileSync('examples/sim-minimal.yaml', 'utf8'));
    const { code, stderr } = await kubeloom(['init', '--example', 'sim-minmal']);
    expect([code, stderr]).toEqual([4, expect.stringContaining('did you mean sim-minimal?')]);
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
