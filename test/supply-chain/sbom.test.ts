/** The bills of materials: valid CycloneDX 1.6, the same at each run, and without a gap where lock file and Dockerfile name something. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import requirements from '../../requirements.json' with { type: 'json' };
import { pinnedVersions } from '../../scripts/provider-schemas/pinned.ts';
import { type Bom, type BomComponent, bomOf, sourceDate } from '../../scripts/sbom/bom.ts';
import { readDockerfile } from '../../scripts/sbom/dockerfile.ts';
import { everyBom } from '../../scripts/sbom/every-bom.ts';
import { debianPackages } from '../../scripts/sbom/fetched.ts';
import { imageContents, imageTargets } from '../../scripts/sbom/images.ts';
import upstream from '../../templates/kubernetes/upstream.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The official schema, with those that it names. Formats are not checked: ajv alone knows none. */
function validator() {
  const schema = (name: string) =>
    JSON.parse(read(`node_modules/@cyclonedx/cyclonedx-library/res/schema/${name}.schema.json`));
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  for (const name of ['spdx.SNAPSHOT', 'jsf-0.82.SNAPSHOT', 'cryptography-defs.SNAPSHOT'])
    ajv.addSchema({ ...schema(name), $id: `http://cyclonedx.org/schema/${name}.schema.json` });
  return ajv.compile(schema('bom-1.6.SNAPSHOT'));
}

const validate = validator();
const faultsOf = (bom: unknown): unknown => {
  validate(bom);
  return validate.errors ?? [];
};
let boms: Readonly<Record<string, Bom>>;
beforeAll(async () => {
  boms = await everyBom();
});
const purls = (name: string): readonly string[] => boms[name]?.components.map(({ purl }) => purl) ?? [];

describe('each bill of materials', () => {
  it('the clone and every image have one, and the schema of CycloneDX 1.6 accepts it', () => {
    expect(Object.keys(boms)).toEqual(['source', ...imageTargets.map((target) => `image-${target}`)]);
    for (const [name, bom] of Object.entries(boms)) expect(faultsOf(bom), name).toEqual([]);
  });

  it('the schema refuses a bill of materials with a fault', () => {
    const { source } = boms;
    expect(faultsOf({ ...source, components: [{ type: 'librari', name: 'a' }] })).not.toEqual([]);
    expect(
      faultsOf({ ...source, components: [{ type: 'library', name: 'a', hashes: [{ alg: 'SHA-256', content: 'x' }] }] }),
    ).not.toEqual([]);
  });

  it('the same clone gives the same text, without time or serial number', async () => {
    const text = JSON.stringify(boms);
    expect(JSON.stringify(await everyBom())).toBe(text);
    expect(text).not.toMatch(/"(timestamp|serialNumber)"/);
    // Nor does it say where the clone is.
    expect(text).not.toContain(root);
  });

  it('a release has the time that SOURCE_DATE_EPOCH says', () => {
    const app: BomComponent = { type: 'application', name: 'a', version: '1', purl: 'pkg:generic/a@1' };
    const bom = bomOf(app, [], { timestamp: sourceDate('86400') });
    expect(bom.metadata).toMatchObject({ timestamp: '1970-01-02T00:00:00.000Z' });
    expect(faultsOf(bom)).toEqual([]);
    expect(sourceDate(undefined)).toBeUndefined();
    expect(() => sourceDate('yesterday')).toThrow('SOURCE_DATE_EPOCH is "yesterday"');
  });

  it('a dependency names components of the same bill only', () => {
    for (const { components, dependencies } of Object.values(boms)) {
      const known = new Set(components.map(({ purl }) => purl));
      const edges = dependencies as readonly { readonly dependsOn: readonly string[] }[];
      expect(edges.flatMap(({ dependsOn }) => dependsOn).filter((purl) => !known.has(purl))).toEqual([]);
    }
  });
});

describe('the bill of the clone', () => {
  it('the clone has every package of package-lock.json, with its checksum where the lock file has one', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
    const all = boms.source?.components ?? [];
    const found = new Map(all.map((one) => [`${one.name}@${one.version}`, one]));
    // The clone itself, and links to packages in it.
    const places = Object.entries(packages).filter(([place, { link }]) => place !== '' && link !== true);
    expect(places.length).toBeGreaterThan(300);
    for (const [place, { version, integrity, inBundle }] of places) {
      const name = place.replace(/^(?:packages\/|.*node_modules\/)/, '');
      const one = found.get(`${name}@${version}`);
      expect(one, place).toBeDefined();
      if (inBundle || integrity === undefined) continue;
      const sums = one?.hashes?.map(({ content }) => Buffer.from(content, 'hex').toString('base64'));
      expect(sums, place).toContain(integrity.slice(integrity.indexOf('-') + 1));
    }
  });

  it('a package of the clone itself is not called a package of a registry', () => {
    const own = boms.source?.components.filter(({ name }) => name === 'aws-on-loopback');
    expect(own?.map(({ purl }) => purl)).toEqual(['pkg:generic/aws-on-loopback@0.1.0']);
  });

  it('the clone has every download of the set-up, document and plugin', () => {
    const text = JSON.stringify(boms.source);
    const sums = [requirements.downloads.tofu, requirements.downloads.kubectl, ...Object.values(upstream)].flatMap(
      ({ sha256 }) => (typeof sha256 === 'string' ? [sha256] : Object.values(sha256)),
    );
    for (const sum of sums) expect(text).toContain(sum);
    for (const [source, version] of pinnedVersions(join(root, 'templates/terraform')))
      expect(boms.source?.components).toContainEqual(expect.objectContaining({ name: source, version }));
  });
});

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly inBundle?: boolean;
  readonly link?: boolean;
}

describe('the bill of an image', () => {
  const dockerfile = readDockerfile(read('runner-images/Dockerfile'));

  it('an image names its base image by digest, and what the Dockerfile installs and copies', () => {
    for (const target of imageTargets)
      expect(purls(`image-${target}`).join()).toMatch(/pkg:oci\/node@sha256%3A[0-9a-f]{64}\?/);
    const has = (target: string, part: string): boolean =>
      purls(`image-${target}`).some((purl) => purl.startsWith(part));
    expect(has('ansible', 'pkg:deb/debian/openssh-client')).toBe(true);
    expect(has('terraform', 'pkg:oci/terraform@')).toBe(true);
    expect(has('terraform', 'pkg:github/hashicorp/terraform-provider-aws@v')).toBe(true);
    expect(has('kubeone', 'pkg:generic/kubeone@1.14.1')).toBe(true);
    expect(has('kubectl', 'pkg:generic/longhorn@')).toBe(true);
    expect(has('operator', 'pkg:deb/')).toBe(false);
    // What a program is bundled from, and nothing that only develops it.
    for (const target of imageTargets) expect(has(target, 'pkg:npm/zod@'), target).toBe(true);
    expect(imageTargets.filter((target) => has(target, 'pkg:npm/vitest@'))).toEqual([]);
  });

  it('an image that copies from an unknown stage has no bill, instead of one with a gap', () => {
    const text = read('runner-images/Dockerfile').replace(
      'FROM base AS ansible',
      'FROM base AS ansible\nCOPY --from=surprise /out/ /usr/local/bin/',
    );
    const programs = { runner: [], agent: [], operator: [] };
    expect(() => imageContents(readDockerfile(text), 'ansible', programs)).toThrow('the stage surprise, of which');
    expect(() => imageContents(dockerfile, 'nothing', programs)).toThrow('no stage nothing');
  });

  it('a package of Debian has its constraint, or says that the build takes the newest', () => {
    expect(
      debianPackages('RUN apt-get update && apt-get install --yes --no-install-recommends a=2.14.* b && rm x'),
    ).toMatchObject([
      { name: 'a', properties: [{ value: '2.14.*' }] },
      { name: 'b', properties: [{ value: expect.stringContaining('newest of Debian') }] },
    ]);
  });
});
