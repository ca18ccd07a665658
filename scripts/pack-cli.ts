/** `npm run pack:cli`: the command line as an npm package without dependencies, in dist/. Prints the file and its size as JSON. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCli } from './cli-package/bundle-cli.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const destination = resolve(process.argv[2] ?? join(root, 'dist'));
const staging = mkdtempSync(join(tmpdir(), 'kubeloom-pack-'));
try {
  await bundleCli(join(staging, 'lib'));
  cpSync(join(root, 'cli/kubeloom.mjs'), join(staging, 'bin/kubeloom.mjs'));
  cpSync(join(root, 'schema'), join(staging, 'schema'), { recursive: true });
  cpSync(join(root, 'scripts/cli-package/README.md'), join(staging, 'README.md'));
  writeFileSync(join(staging, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  mkdirSync(destination, { recursive: true });
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', destination], {
    cwd: staging,
    encoding: 'utf8',
  });
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(packed);
  const report = { file: join(destination, filename), size, unpackedSize, entryCount };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
} finally {
  rmSync(staging, { recursive: true, force: true });
}

/** Private, so that no one can publish it by mistake. The scope keeps the name apart from whatever a registry calls `kubeloom`. */
function manifest(): unknown {
  const { version, description, license, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    name: '@kubeloom/cli',
    ...{ version, description, license, type, private: true },
    engines: { node: '>=22.13' },
    bin: { kubeloom: 'bin/kubeloom.mjs' },
  };
}
