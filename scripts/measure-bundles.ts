/** Prints, as JSON, how many bytes a cold start of each function loads, how many with its largest part, and how long Node takes (median of 5 processes). */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunctions } from '../cdk/bundle-functions.ts';

const repeats = 5;
const directory = mkdtempSync(join(tmpdir(), 'kubeloom-bundles-'));
try {
  const began = performance.now();
  const sizes = await bundleFunctions(directory);
  const bundlingMs = Math.round(performance.now() - began);
  const bundles = Object.entries(sizes).map(([name, { start, most }]) => {
    const file = join(directory, name, 'index.mjs');
    const script = `const t = performance.now(); await import(${JSON.stringify(file)}); console.log(performance.now() - t)`;
    const times = Array.from({ length: repeats }, () =>
      Number(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })),
    );
    const median = times.toSorted((a, b) => a - b)[Math.floor(repeats / 2)] ?? 0;
    return { name, bytes: start, most, importMs: Math.round(median) };
  });
  const largest = Math.max(...bundles.map(({ bytes }) => bytes));
  const slowest = Math.max(...bundles.map(({ importMs }) => importMs));
  const aim = { bytes: 470_000, importMs: 200 };
  process.stdout.write(
    `${JSON.stringify({ node: process.version, aim, bundlingMs, largest, slowest, bundles }, null, 2)}\n`,
  );
} finally {
  rmSync(directory, { recursive: true, force: true });
}
