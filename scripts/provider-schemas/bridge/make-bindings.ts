/** Makes the committed file of one provider type from its package of bindings. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bindings, BoundFields } from './bridge-format.ts';
import { bridgePackages } from './packages.ts';
import { readDataSource, readResource } from './read-package.ts';

const root = join(import.meta.dirname, '../../..');

export function bindingsFile(type: string): string {
  return join(root, 'test/providers/bindings', `${type}.json`);
}

export function readBindings(type: string): Bindings {
  return JSON.parse(readFileSync(bindingsFile(type), 'utf8')) as Bindings;
}

/** Downloads the package into `directory` unless it is there, unpacks it (nothing of it is run) and reads it. */
export function makeBindings(type: string, directory: string): Bindings {
  const wanted = bridgePackages[type];
  if (!wanted) throw new Error(`${type} is no type in scripts/provider-schemas/bridge/packages.ts`);
  const archive = fetchArchive(wanted.package, wanted.version, directory);
  const unpacked = join(directory, wanted.folder);
  const zip = (...words: string[]): string =>
    execFileSync('python3', ['-m', 'zipfile', ...words], { encoding: 'utf8' });
  zip('-e', archive, unpacked);
  const days = [...zip('-l', archive).matchAll(/ (\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d /g)].map(([, day = '']) => day);
  const sources = join(unpacked, wanted.folder);
  const all = (read: typeof readResource, files: Readonly<Record<string, string>>): Record<string, BoundFields> =>
    Object.fromEntries(Object.entries(files).map(([name, file]) => [name, read(sources, file)]));
  return {
    package: wanted.package,
    version: wanted.version,
    made: days.sort().at(-1) ?? '',
    release: wanted.release,
    provider: readResource(sources, 'provider'),
    resources: all(readResource, wanted.resources),
    dataSources: all(readDataSource, wanted.dataSources),
  };
}

/** Formatted as everything else here. */
export function bindingsText(bindings: Bindings): string {
  const biome = join(root, 'node_modules/.bin/biome');
  const input = JSON.stringify(bindings);
  return execFileSync(biome, ['format', '--stdin-file-path=bindings.json'], { input, encoding: 'utf8', cwd: root });
}

function fetchArchive(name: string, version: string, directory: string): string {
  const start = `${name.replaceAll('-', '_')}-${version}-`;
  const find = (): string | undefined => readdirSync(directory).find((file) => file.startsWith(start));
  if (!find()) {
    const flags = ['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--quiet', '--dest', directory];
    execFileSync('python3', ['-m', 'pip', 'download', ...flags, `${name}==${version}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  const archive = find();
  if (!archive) throw new Error(`${name} ${version} came as another archive than a wheel`);
  return join(directory, archive);
}
