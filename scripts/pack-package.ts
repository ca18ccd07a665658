/** Packs what `fill` writes into a directory as an npm package, into the directory that the command names, else dist/. Prints file and size as JSON. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import { type BomComponent, bomOf, sourceDate } from './sbom/bom.ts';
import { npmPackages, packagesIn } from './sbom/npm-packages.ts';

const root = join(import.meta.dirname, '..');

/** People who have a package and no clone have these, too. */
const legalFiles = ['LICENSE', 'SECURITY.md'];

export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Exact versions of the lock file. */
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [more: string]: unknown;
}

/** `fill` returns which files its bundle has. The package lists what they are from in `sbom.cdx.json`. */
export async function packPackage(
  fill: (staging: string) => Promise<Metafile>,
  manifest: () => PackageManifest,
): Promise<void> {
  const destination = resolve(process.argv[2] ?? join(root, 'dist'));
  const staging = mkdtempSync(join(tmpdir(), 'kubeloom-pack-'));
  const write = (file: string, value: unknown): void =>
    writeFileSync(join(staging, file), `${JSON.stringify(value, null, 2)}\n`);
  try {
    const bundled = await fill(staging);
    for (const file of legalFiles) copyFileSync(join(root, file), join(staging, file));
    write('package.json', manifest());
    write('sbom.cdx.json', packageBom(manifest(), bundled));
    mkdirSync(destination, { recursive: true });
    const words = ['pack', '--json', '--pack-destination', destination];
    const packed = execFileSync('npm', words, { cwd: staging, encoding: 'utf8' });
    const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(packed);
    const report = { file: join(destination, filename), size, unpackedSize, entryCount };
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function packageBom({ name, version, license, dependencies = {} }: PackageManifest, bundled: Metafile): unknown {
  const packages = npmPackages();
  const installed = packages.components.filter((one) => dependencies[one.name] === one.version);
  const subject: BomComponent = {
    type: 'application',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ license: { id: license } }],
  };
  const timestamp = sourceDate(process.env.SOURCE_DATE_EPOCH);
  const contents = [...packagesIn(bundled, packages), ...installed];
  return bomOf(subject, contents, { dependencies: packages.dependencies, timestamp });
}
