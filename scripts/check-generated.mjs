/** Fails when a committed generated file differs from what its script makes now. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const generated = [
  ['scripts/generate-schema.ts', 'schema/input-manifest.schema.json'],
  ['scripts/generate-openapi.ts', 'docs/openapi.json'],
  ['scripts/generate-rights.ts', 'functions/rights/uses.json'],
  ['scripts/generate-manifest-docs.ts', 'docs/manifest.md'],
];
const providerDocs = 'scripts/generate-provider-docs.ts';
const pages = execFileSync('node', [providerDocs, '--list'], { encoding: 'utf8' }).trim().split('\n');
for (const page of pages) generated.push([providerDocs, page, page]);
let stale = 0;
for (const [script, file, ...more] of generated) {
  const fresh = execFileSync('node', [script, '--stdout', ...more], { encoding: 'utf8', maxBuffer: 64 << 20 });
  if (fresh === readFileSync(file, 'utf8')) continue;
  stale += 1;
  console.error(`${file} is not what ${script} makes: run \`node ${script}\` and commit`);
}
// Many files from one script: it compares them itself, and names those that differ.
if (spawnSync('node', ['scripts/generate-module-variables.ts', '--check'], { stdio: 'inherit' }).status !== 0)
  stale += 1;
process.exitCode = stale ? 1 : 0;
