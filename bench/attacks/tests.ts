/** Attacks that the tests have: which files, and how many of their cases passed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

const files: Readonly<Record<string, readonly string[]>> = {
  'four eyes': ['test/api/plans.test.ts', 'test/api/access-of-routes.test.ts'],
  'tokens of an issuer': ['test/security/issuer-tokens.long.test.ts'],
  'addresses inside': ['test/security/inside-addresses.test.ts', 'test/templates/git-references.test.ts'],
  'other namespaces': ['test/security/other-namespaces.long.test.ts'],
  'damaged stores': ['test/stores'],
};

/** By attack. */
export function measureTests(): Readonly<Record<string, { readonly passed: number; readonly failed: number }>> {
  return Object.fromEntries(Object.entries(files).map(([attack, tests]) => [attack, counted(tests)]));
}

function counted(tests: readonly string[]): { readonly passed: number; readonly failed: number } {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-attacks-'));
  try {
    const outputFile = join(directory, 'report.json');
    const words = ['vitest', 'run', '--project', 'unit', '--reporter=json', `--outputFile=${outputFile}`, ...tests];
    spawnSync('npx', words, { cwd: root, stdio: 'ignore' });
    const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(readFileSync(outputFile, 'utf8'));
    return { passed, failed };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
