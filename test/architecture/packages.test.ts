/** Packages of this repository know nothing of the product: they could be in a repository of their own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import product from '../../package.json' with { type: 'json' };
import { filesBelow, importsOf } from '../../scripts/import-graph.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const names = readdirSync(join(root, 'packages'));

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private: boolean;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest;

/** `@scope/name` or `name` of what is imported; types of a package without its own are in `@types/`. */
const packageOf = (target: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target;

/** Imports of a package's files that are neither its own files, nor Node's, nor packages that it declares for them. */
function strangersIn(name: string): string[] {
  const { dependencies, devDependencies } = manifestOf(name);
  return filesBelow(`packages/${name}`).flatMap((file) => {
    const declared = file.startsWith(`packages/${name}/src/`) ? dependencies : { ...dependencies, ...devDependencies };
    const mayImport = (target: string): boolean =>
      target.startsWith(`packages/${name}/src/`) ||
      (target.startsWith(`packages/${name}/`) && !file.startsWith(`packages/${name}/src/`)) ||
      target.startsWith('node:') ||
      [packageOf(target), `@types/${packageOf(target)}`].some((one) => one in declared);
    return importsOf(file)
      .filter((target) => !mayImport(target))
      .map((target) => `${file} imports ${target}`);
  });
}

describe('packages', () => {
  it('the stand-ins of AWS services are a package', () => {
    expect(names).toContain('aws-on-loopback');
    expect(filesBelow('packages/aws-on-loopback/src').length).toBeGreaterThan(50);
  });

  it.each(names)(
    'the files of %s import their own files, Node and declared packages, and nothing of the product',
    (name) => {
      expect(strangersIn(name)).toEqual([]);
    },
  );

  it.each(names)('the package %s names no file, word or address of the product', (name) => {
    const naming = filesBelow(`packages/${name}`).filter((file) =>
      /kubeloom/i.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(naming).toEqual([]);
  });

  it.each(names)('the package %s cannot be published by mistake, and has the versions that the product has', (name) => {
    const { name: own, version, private: isPrivate, dependencies, devDependencies } = manifestOf(name);
    expect({ own, isPrivate }).toEqual({ own: name, isPrivate: true });
    const ofProduct: Readonly<Record<string, string>> = { ...product.devDependencies, ...product.dependencies };
    expect(ofProduct[name]).toBe(version);
    for (const [dependency, wanted] of Object.entries({ ...dependencies, ...devDependencies })) {
      expect(wanted, dependency).toMatch(/^\d+\.\d+\.\d+$/);
      expect(wanted, dependency).toBe(ofProduct[dependency] ?? wanted);
    }
  });
});
