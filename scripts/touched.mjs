/** `npm run touched [-- BASE]`: types, lint, words and the unit tests of what differs from BASE, side by side. Without BASE: of what is not committed. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (process.argv.includes('--help')) {
  console.log(
    'node scripts/touched.mjs [BASE]: types, lint, words and unit tests of what differs from the commit BASE (default: of what is not committed); long tests are left out',
  );
  process.exit();
}

spawnSync('scripts/setup.sh', ['--tests'], { stdio: 'inherit' });
const base = process.argv[2] ?? 'HEAD';
const git = (...args) => spawnSync('git', args, { encoding: 'utf8' });
const differs = git('diff', '--name-only', '--diff-filter=d', base, '--');
if (differs.status !== 0) {
  console.error(differs.stderr.trim());
  process.exit(2);
}
const untracked = git('ls-files', '--others', '--exclude-standard').stdout;
const files = `${differs.stdout}${untracked}`.split('\n').filter((file) => file !== '' && existsSync(file));
if (files.length === 0) {
  console.log(`nothing differs from ${base}`);
  process.exit();
}
const code = files.filter((file) => /\.(?:[cm]?ts|tsx|json)$/.test(file));
const steps = [
  ['types', 'tsc', ['--noEmit']],
  ['lint', 'biome', ['check', '--no-errors-on-unmatched', ...files]],
  ['words', 'node', ['scripts/word-lint.mjs', ...files]],
  ...(code.length === 0
    ? []
    : [['tests', 'vitest', ['related', '--run', '--project', 'unit', '--passWithNoTests', ...code]]]),
];

/** Runs it, and shows what it printed when it has ended. */
function step([name, command, args]) {
  const started = Date.now();
  return new Promise((resolve) => {
    const env = { ...process.env, KUBELOOM_TEST_PART: 'short' };
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = [];
    child.stdout.on('data', (part) => printed.push(part));
    child.stderr.on('data', (part) => printed.push(part));
    child.on('error', (error) => resolve({ name, ok: false, text: error.message }));
    child.on('close', (status) => {
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      if (status !== 0) process.stdout.write(Buffer.concat(printed));
      console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
      resolve({ name, ok: status === 0 });
    });
  });
}

const results = await Promise.all(steps.map(step));
const failed = results.filter(({ ok }) => !ok).map(({ name }) => name);
console.log(`${files.length} files touched: ${failed.length === 0 ? 'all is well' : `failed: ${failed.join(', ')}`}`);
process.exitCode = failed.length > 0 ? 1 : 0;
