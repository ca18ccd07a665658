/**
 * Prints, as JSON, for each function how many bytes a cold start loads and of which packages, how many with its largest part and
 * in all, how many calls of functions its import makes (the same on every machine), and its CPU time: the median of 15 processes
 * that have nothing else. With a directory of earlier bundles (`--keep DIR` writes one, `--before DIR` reads it) these are measured
 * in turn, so that both had the same machine.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleFunctions } from '../cdk/bundle-functions.ts';
import { callsOfImport } from '../cdk/import-calls.ts';

const { values } = parseArgs({ options: { keep: { type: 'string' }, before: { type: 'string' } } });
const processes = 15;
const directory = values.keep ?? mkdtempSync(join(tmpdir(), 'kubeloom-bundles-'));
const script = `
const began = process.cpuUsage();
await import(process.argv[1]);
const { user, system } = process.cpuUsage(began);
process.stdout.write(String((user + system) / 1000));
`;

/** In ms. */
function cpuOf(file: string): number {
  const given = ['--input-type=module', '-e', script, file];
  return Number(execFileSync(process.execPath, given, { encoding: 'utf8', env: { AWS_REGION: 'eu-central-1' } }));
}

const bundleIn = (bundles: string | undefined, name: string): string => join(bundles ?? '', name, 'index.mjs');

async function importCalls(name: string): Promise<object> {
  const earlier = bundleIn(values.before, name);
  const before = existsSync(earlier) && { before: await callsOfImport(earlier) };
  return { now: await callsOfImport(bundleIn(directory, name)), ...before };
}

function importCpuMs(name: string): object {
  const [file, earlier] = [bundleIn(directory, name), bundleIn(values.before, name)];
  const times: Record<string, number[]> = { now: [], before: [] };
  for (let round = 0; round < processes; round += 1) {
    times.now?.push(cpuOf(file));
    if (existsSync(earlier)) times.before?.push(cpuOf(earlier));
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
  const functions: object[] = [];
  for (const [name, size] of Object.entries(sizes))
    functions.push({ name, ...size, calls: await importCalls(name), cpuMs: importCpuMs(name) });
  const aim = { start: 400_000, cpuMs: 80 };
  process.stdout.write(`${JSON.stringify({ node: process.version, aim, functions }, null, 2)}\n`);
} finally {
  if (values.keep === undefined) rmSync(directory, { recursive: true, force: true });
}
