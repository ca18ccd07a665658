/** Packages of package-lock.json, as `npm sbom` reads them, and those of them that a bundle contains. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';
import type { BomComponent, Dependencies, Hash } from './bom.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface LockedPackage {
  readonly version: string;
  /** `sha512-…` in base 64; absent for what is inside of the archive of another package. */
  readonly integrity?: string;
}

/** By folder, as in package-lock.json. */
function lockedPackages(): Readonly<Record<string, LockedPackage>> {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
}

export interface NpmPackages {
  readonly components: readonly BomComponent[];
  readonly dependencies: Dependencies;
}

/** npm writes CycloneDX 1.5, of which 1.6 accepts all that is taken here. Needs npm 10. */
export function npmPackages(): NpmPackages {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const bom = JSON.parse(
    execFileSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20, stdio: 'pipe' }),
  );
  const listed: readonly ListedComponent[] = bom.components;
  const components = listed.map(withOwnPurl);
  const all: readonly ListedComponent[] = [bom.metadata.component, ...components];
  const purls = new Map(all.map((component) => [component['bom-ref'], component.purl]));
  const purlOf = (ref: string): string => purls.get(ref) ?? ref;
  const hashes = hashesByName();
  return {
    components: components.map((component) => plain(component, hashes)),
    dependencies: new Map(
      bom.dependencies.map(({ ref, dependsOn }: { ref: string; dependsOn: readonly string[] }) => [
        purlOf(ref),
        dependsOn.map(purlOf),
      ]),
    ),
  };
}

type ListedComponent = BomComponent & { readonly 'bom-ref': string };

/** Packages of this repository are in no registry: what is called like them there is something else. */
function withOwnPurl(component: ListedComponent): ListedComponent {
  const isOwn = lockedPackages()[`packages/${component.name}`] !== undefined;
  return isOwn ? { ...component, purl: component.purl.replace(/^pkg:npm\//, 'pkg:generic/') } : component;
}

/** By `name@version`. npm loses the checksum of a package that is also inside of the archive of another one. */
function hashesByName(): ReadonlyMap<string, Hash> {
  const known = Object.entries(lockedPackages()).flatMap(([place, { version, integrity }]): [string, Hash][] => {
    if (integrity === undefined || !integrity.startsWith('sha512-')) return [];
    const content = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
    return [[`${nameOf(place)}@${version}`, { alg: 'SHA-512', content }]];
  });
  return new Map(known);
}

function nameOf(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** Packages whose files are in the bundle. Throws for one that the lock file does not have. */
export function packagesIn({ inputs }: Metafile, { components }: NpmPackages): readonly BomComponent[] {
  const locked = lockedPackages();
  const byName = new Map(components.map((component) => [`${component.name}@${component.version}`, component]));
  const places = new Set(Object.keys(inputs).flatMap((path) => packagePath.exec(path)?.[0] ?? []));
  return [...places].map((place) => {
    const name = `${nameOf(place)}@${locked[place]?.version}`;
    const found = byName.get(name);
    if (found === undefined) throw new Error(`${place} is in a bundle, and ${name} not in package-lock.json`);
    return { ...found, scope: 'required' };
  });
}

/** From the root of the clone to the folder of the innermost package. */
const packagePath = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

function plain(
  { type, name, version, purl, scope, licenses }: BomComponent,
  hashes: ReadonlyMap<string, Hash>,
): BomComponent {
  const hash = hashes.get(`${name}@${version}`);
  return {
    type,
    name,
    purl,
    scope,
    ...(version ? { version } : {}),
    ...(hash ? { hashes: [hash] } : {}),
    ...(licenses ? { licenses } : {}),
  };
}
