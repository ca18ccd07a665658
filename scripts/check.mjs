/** `npm run check`: format and lint (modules too if Terraform is here), types, tests (unit, contract, architecture, ASL), generated files, synth. */
import { spawnSync } from 'node:child_process';

if (process.argv.includes('--help')) {
  console.log(
    'node scripts/check.mjs [--no-tests]: format, lint, words, types, generated files, synth and the unit tests',
  );
  process.exit();
}

/** Terraform or OpenTofu, if either is there: the format of modules is theirs to know. */
const terraform = ['terraform', 'tofu'].find((name) => spawnSync(name, ['version']).status === 0);
const steps = [
  ['format and lint', 'biome', ['check', '.']],
  ...(terraform ? [['format of modules', terraform, ['fmt', '-check', '-recursive', 'templates']]] : []),
  ['words of the glossary', 'node', ['scripts/word-lint.mjs']],
  ['types', 'tsc', ['--noEmit']],
  ['generated files are current', 'node', ['scripts/check-generated.mjs']],
  ['synth', 'cdk', ['synth', '--quiet']],
  ...(process.argv.includes('--no-tests') ? [] : [['tests', 'vitest', ['run', '--project', 'unit', '--reporter=dot']]]),
];
const failed = [];
for (const [name, command, args] of steps) {
  const started = Date.now();
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  if (status !== 0) failed.push(name);
}
console.log(
  `checks: ${steps.length - failed.length} passed, ${failed.length} failed${failed.length ? `: ${failed.join(', ')}` : ''}`,
);
process.exitCode = failed.length ? 1 : 0;
