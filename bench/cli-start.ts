/**
 * Prints, as JSON, how long the command line takes to start, from the clone and from its npm package, and how large the package is.
 * CPU time and wall time are the smallest of several starts: what else runs on the machine only adds to them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const repeats = Number(process.argv[2] ?? 7);
const directory = mkdtempSync(join(tmpdir(), 'kubeloom-start-'));
const cpuOnExit = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs';
  process.on('exit', () => { const { user, system } = process.cpuUsage(); writeSync(3, String((user + system) / 1000)); });
`)}`;

interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
}

function start(program: string, args: readonly string[]): Start {
  const began = performance.now();
  const { output } = spawnSync(process.execPath, ['--import', cpuOnExit, program, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, HOME: directory, XDG_CACHE_HOME: join(directory, 'cache'), KUBELOOM_API_URL: '' },
  });
  return { wallMs: Math.round(performance.now() - began), cpuMs: Math.round(Number(output[3])) };
}

/** The first start fills the cache of compiled code. */
function fastest(program: string, args: readonly string[]): Start {
  start(program, args);
  const starts = Array.from({ length: repeats }, () => start(program, args));
  return {
    wallMs: Math.min(...starts.map(({ wallMs }) => wallMs)),
    cpuMs: Math.min(...starts.map(({ cpuMs }) => cpuMs)),
  };
}

try {
  const pack = execFileSync(process.execPath, [join(root, 'scripts/pack-cli.ts'), directory], { encoding: 'utf8' });
  const { file, size, unpackedSize } = JSON.parse(pack) as { file: string; size: number; unpackedSize: number };
  execFileSync('npm', ['install', '--global', '--offline', '--no-audit', '--no-fund', '--prefix', directory, file], {
    stdio: 'ignore',
  });
  const programs = { clone: join(root, 'cli/kubeloom.mjs'), package: join(directory, 'bin/kubeloom') };
  const commands = {
    version: ['version'],
    help: ['--help'],
    get: ['get'],
    validate: ['validate', '-f', join(root, 'examples/local-two-providers.yaml')],
  };
  const starts = Object.entries(programs).flatMap(([from, program]) =>
    Object.entries(commands).map(([command, args]) => ({ from, command, ...fastest(program, args) })),
  );
  const report = { node: process.version, repeats, aimMs: 300, package: { size, unpackedSize }, starts };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
