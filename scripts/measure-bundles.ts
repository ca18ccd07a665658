/**
 * Prints, as JSON, for each function how many bytes a cold start loads and of which packages, how many with its largest part and
 * in all, and the CPU time of its import: the median of 15 processes that have nothing else. With a directory of earlier bundles
 * (`--keep DIR` writes one) the CPU time of these is measured in turn, so that both had the same machine.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleFunctions } from '../cdk/bundle-functions.ts';

const { values } = parseArgs({ options: { keep: { type: 'string' }, before: { type: 'string' } } });
const processes = 15;
const directory = values.keep ?? mkdtempSync(join(tmpdir(), 'kubeloom-bundles-'));
const script = `
const began = process.cpuUsage();
await import(process.argv[1]);
const { user, system } = process.cpuUsage(began);
process.stdout.write(String((user + system) / 1000));
`;

/** In ms. `options`: of Node, as the function had them. */
function cpuOf(file: string, options: readonly string[]): number {
  const given = [...options, '--input-type=module', '-e', script, file];
  return Number(execFileSync(process.execPath, given, { encoding: 'utf8', env: { AWS_REGION: 'eu-central-1' } }));
}

function importCpuMs(name: string): object {
  const file = join(directory, name, 'index.mjs');
  const earlier = values.before === undefined ? '' : join(values.before, name, 'index.mjs');
  const times: Record<string, number[]> = { now: [], before: [] };
  for (let round = 0; round < processes; round += 1) {
    times.now?.push(cpuOf(file, []));
    // Bundles had source maps at work until a function read them itself, when it fails.
    if (existsSync(earlier)) times.before?.push(cpuOf(earlier, ['--enable-source-maps']));
  }
  const measured = Object.entries(times).filter(([, list]) => list.length > 0);
  return Object.fromEntries(
    measured.map(([when, list]) => {
      const sorted = list.toSorted((one, other) => one - other);
      return [when, { median: Math.round(sorted[sorted.length >> 1] ?? 0), least: Math.round(sorted[0] ?? 0) }];
    }),
  );
}

try {
  const sizes = await bundleFunctions(directory);
  const functions = Object.entries(sizes).map(([name, size]) => ({ name, ...size, cpuMs: importCpuMs(name) }));
  const aim = { start: 400_000, cpuMs: 80 };
  process.stdout.write(`${JSON.stringify({ node: process.version, aim, functions }, null, 2)}\n`);
} finally {
  if (values.keep === undefined) rmSync(directory, { recursive: true, force: true });
}
