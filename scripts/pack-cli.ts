/** `npm run pack:cli`: the command line as an npm package without dependencies, in dist/. Prints the file and its size as JSON. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCli } from './cli-package/bundle-cli.ts';
import { type PackageManifest, packPackage } from './pack-package.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
await packPackage(async (staging) => {
  const bundled = await bundleCli(join(staging, 'lib'));
  cpSync(join(root, 'cli/kubeloom.mjs'), join(staging, 'bin/kubeloom.mjs'));
  cpSync(join(root, 'schema'), join(staging, 'schema'), { recursive: true });
  cpSync(join(root, 'scripts/cli-package/README.md'), join(staging, 'README.md'));
  return bundled;
}, manifest);

/** Private, so that no one can publish it by mistake. The scope keeps the name apart from whatever a registry calls `kubeloom`. */
function manifest(): PackageManifest {
  const { version, description, license, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    name: '@kubeloom/cli',
    version,
    description,
    license,
    type,
    private: true,
    engines: { node: '>=22.13' },
    bin: { kubeloom: 'bin/kubeloom.mjs', 'kubectl-kubeloom': 'bin/kubeloom.mjs' },
  };
}
