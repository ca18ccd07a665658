/** Shell scripts that no test runs: at least bash can read them. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the scripts of this repository', () => {
  it.each(['.ci/run', ...globSync('scripts/*.sh', { cwd: root }).toSorted()])(
    'the script %s can be parsed by bash',
    (script) => {
      const { status, stderr } = spawnSync('bash', ['-n', script], { cwd: root, encoding: 'utf8' });

      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  );
});
