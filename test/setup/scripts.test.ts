/** Shell scripts that no test runs: at least bash can read them. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import product from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the scripts of this repository', () => {
  it.each(['.ci/run', ...globSync('scripts/*.sh', { cwd: root }).toSorted()])(
    'the script %s can be parsed by bash',
    (script) => {
      const { status, stderr } = spawnSync('bash', ['-n', script], { cwd: root, encoding: 'utf8' });

      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  );

  it.each(Object.entries(product.scripts))(
    'npm run %s sets up what it needs first, also in a clean clone',
    (_, command) => {
      const [, shell, own] =
        /^(?:NODE_USE_ENV_PROXY=1 )?(?:bash (scripts\/[\w-]+\.sh)|node (scripts\/[\w-]+\.mjs))\b/.exec(command) ?? [];
      // An .mjs is run by the Node of the machine, so it may import nothing but Node's own modules.
      expect(readFileSync(join(root, shell ?? own ?? ''), 'utf8')).toMatch(/scripts\/setup\.sh\b/);
    },
  );
});
