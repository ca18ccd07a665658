/** Fails when a committed generated file differs from what its script makes now. */
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
];
const stale = made.filter(
  (what) => spawnSync('node', [`scripts/generate-${what}.ts`, '--check'], { stdio: 'inherit' }).status !== 0,
);
process.exitCode = stale.length > 0 ? 1 : 0;
