/** Packs what `fill` writes into a directory as an npm package, into the directory that the command names, else dist/. Prints file and size as JSON. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');

/** People who have a package and no clone have these, too. */
const legalFiles = ['LICENSE', 'SECURITY.md'];

/** `manifest`: what is in its package.json. */
export async function packPackage(fill: (staging: string) => Promise<void>, manifest: () => unknown): Promise<void> {
  const destination = resolve(process.argv[2] ?? join(root, 'dist'));
  const staging = mkdtempSync(join(tmpdir(), 'kubeloom-pack-'));
  try {
    await fill(staging);
    for (const file of legalFiles) copyFileSync(join(root, file), join(staging, file));
    writeFileSync(join(staging, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
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
