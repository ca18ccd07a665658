/** `npm run check`: format and lint (modules too if Terraform is here), what is unused (knip.jsonc), types, tests (unit, contract, architecture, ASL), generated files, synth, advisories. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

if (process.argv.includes('--help')) {
  console.log(
    'node scripts/check.mjs [--no-tests]: format, lint (shell scripts and playbooks too), words, what is unused, types, generated files, synth, known holes in packages and the unit tests',
  );
  process.exit();
}

spawnSync('scripts/setup.sh', ['--checks'], { stdio: 'inherit' });
const ansible = 'templates/ansible';
const playbooks = readdirSync(ansible).filter((file) => file.endsWith('.yml'));

/** Terraform or OpenTofu, if either is there: the format of modules is theirs to know. */
const terraform = ['terraform', 'tofu'].find((name) => spawnSync(name, ['version']).status === 0);
const steps = [
  ['format and lint', 'biome', ['check', '.']],
  ...(terraform ? [['format of modules', terraform, ['fmt', '-check', '-recursive', 'templates']]] : []),
  ['shell scripts', 'node', ['scripts/shell-check.mjs'], { needs: 'shellcheck' }],
  [
    ...['playbooks', 'ansible-lint', ['--offline', '--strict', '--profile', 'production', '-p', ...playbooks]],
    { needs: 'ansible-lint', cwd: ansible, env: withoutOwnAnsible() },
  ],
  ['words of the glossary', 'node', ['scripts/word-lint.mjs']],
  ['nothing is unused: files, exports, packages', 'knip', ['--no-progress']],
  ['types', 'tsc', ['--noEmit']],
  ['generated files are current', 'node', ['scripts/generate.mjs', '--check']],
  ['synth', 'cdk', ['synth', '--quiet']],
  // Where no registry answers it says so and passes: nothing was found is not what it says then.
  ['advisories', 'npm', ['run', '--silent', 'advisories']],
  ...(process.argv.includes('--no-tests') ? [] : [['tests', 'vitest', ['run', '--project', 'unit', '--reporter=dot']]]),
];
/** Debian's linter works with Debian's Ansible only, and ours may come first. */
function withoutOwnAnsible() {
  const own = join(process.env.KUBELOOM_HOME ?? join(homedir(), '.kubeloom'), 'bin');
  const directories = (process.env.PATH ?? '').split(':').filter((directory) => directory !== own);
  return { ...process.env, PATH: directories.join(':') };
}

const failed = [];
let passed = 0;
for (const [name, command, args, { needs, cwd, env } = {}] of steps) {
  if (needs && spawnSync(needs, ['--version']).error) {
    console.log(`${process.env.CI ? 'FAIL' : 'skip'} ${name}: ${needs} is not installed (scripts/setup.sh --checks)`);
    if (process.env.CI) failed.push(name);
    continue;
  }
  const started = Date.now();
  const { status } = spawnSync(command, args, { stdio: 'inherit', cwd, env });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  if (status === 0) passed += 1;
  else failed.push(name);
}
console.log(`checks: ${passed} passed, ${failed.length} failed${failed.length ? `: ${failed.join(', ')}` : ''}`);
process.exitCode = failed.length ? 1 : 0;
