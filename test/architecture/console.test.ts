/** The web console knows the API by the types of its contracts, and nothing else of the product. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import product from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = readdirSync(join(root, 'console'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, 'console', path), 'utf8') }));

it('the console imports only types of the contracts, and nothing of Node', () => {
  const loaded = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/^import (?!type )[^;]*?from '(#[^']+|node:[^']+|zod)'/gm)].map(
      ([, what]) => `${path} loads ${what}`,
    ),
  );
  expect(loaded).toEqual([]);
});

/** A clone whose packages are older than its lock file: scripts/setup.sh installs them. */
const isStale = !existsSync(join(root, 'node_modules', 'react')) && process.env.CI !== 'true';

it.skipIf(isStale)('the console agrees with the types of the contracts', () => {
  // Its types are those of a browser: the check of all other types leaves it out.
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const check = () =>
    execFileSync(process.execPath, [tsc, '--noEmit', '-p', 'console'], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  expect(outputOf(check)).toBe('');
});

it('the console makes no markup from strings, and styles and scripts are files', () => {
  const odd = sources.flatMap(({ path, text }) =>
    [
      ...text.matchAll(/dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(/g),
    ].map(([what]) => `${path}: ${what}`),
  );
  expect(odd).toEqual([]);
});

it('the packages of the console have exact versions', () => {
  const packages: Readonly<Record<string, string>> = product.devDependencies;
  const names = ['react', 'react-dom', '@tanstack/react-query', 'vite', 'playwright-core', 'axe-core'];
  for (const name of names) expect(packages[name], name).toMatch(/^\d+\.\d+\.\d+$/);
});

function outputOf(run: () => string): string {
  try {
    return run();
  } catch (error) {
    const { stdout = '', message } = error as { readonly stdout?: string; readonly message: string };
    return stdout || message;
  }
}
