/**
 * Writes every generated file that is committed, by the script that makes it; with `--check` it compares them instead, and fails
 * when one differs. Snapshots of tests are not among them.
 */
import { spawnSync } from 'node:child_process';

const made = [
  'schema',
  'crds',
  'operator',
  'openapi',
  'rights',
  'manifest-docs',
  'option-docs',
  'provider-docs',
  'module-variables',
  'event-docs',
  'drift-docs',
  'examples',
  'command-list',
];
const failed = made.filter(
  (what) =>
    spawnSync(process.execPath, [`scripts/generate-${what}.ts`, ...process.argv.slice(2)], { stdio: 'inherit' })
      .status !== 0,
);
process.exitCode = failed.length > 0 ? 1 : 0;
