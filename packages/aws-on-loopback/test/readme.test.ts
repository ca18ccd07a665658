/** What README.md shows works. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const folder = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(folder, 'README.md'), 'utf8');

it('the example in README.md starts a service, uses it and ends', async () => {
  const [, example = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
  // Inside of the package, whose name is resolved there.
  const directory = mkdtempSync(join(folder, 'test', '.example-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, 'example.ts'), example);
  await promisify(execFile)(process.execPath, ['example.ts'], { cwd: directory });
  const objects = join(directory, 'objects', 'photos', 'objects');
  const texts = readdirSync(objects).map((name) => readFileSync(join(objects, name), 'utf8'));
  expect(texts).toEqual([expect.stringMatching(/^meow/)]);
});
