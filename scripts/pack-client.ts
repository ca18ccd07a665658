/** `npm run pack:client`: the typed client of the API as an npm package, in dist/. Prints the file and its size as JSON. */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { requireBanner } from '../runner-images/bundle-ballast.ts';
import { type PackageManifest, packPackage } from './pack-package.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
await packPackage(async (staging) => {
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: ['client/api-client.ts', 'client/faults.ts'],
    outdir: join(staging, 'lib'),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    // The shapes are part of the types, so the package has zod itself.
    target: 'node22.13',
    external: ['zod'],
    legalComments: 'none',
    logLevel: 'warning',
    banner: { js: requireBanner },
  });
  declarations(staging);
  cpSync(join(root, 'client/README.md'), join(staging, 'README.md'));
  return metafile;
}, manifest);

/** Files of the client and of its types. */
function declarations(staging: string): void {
  const project = join(staging, 'tsconfig.json');
  const files = ['client/api-client.ts', 'client/faults.ts'].map((file) => join(root, file));
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: root,
    outDir: join(staging, 'types'),
    typeRoots: [join(root, 'node_modules/@types')],
  };
  writeFileSync(project, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] }));
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project], {
    cwd: root,
    stdio: 'inherit',
  });
  rmSync(project);
}

/** Private, so that no one can publish it by mistake. */
function manifest(): PackageManifest {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { version, license, type, dependencies, devDependencies } = own;
  const entry = (name: string) => ({ types: `./types/client/${name}.d.ts`, default: `./lib/${name}.js` });
  return {
    name: '@kubeloom/client',
    description: 'The typed client of the API of Kubeloom',
    version,
    license,
    type,
    private: true,
    engines: { node: '>=22.13' },
    exports: { '.': entry('api-client'), './faults': entry('faults') },
    // As in the clone: the declarations name each other so.
    imports: Object.fromEntries(
      ['contracts', 'domain'].map((name) => [`#${name}/*.ts`, `./types/functions/${name}/*.d.ts`]),
    ),
    dependencies: { zod: { ...devDependencies, ...dependencies }.zod },
  };
}
