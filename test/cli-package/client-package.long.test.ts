/** The typed client without a clone: packed, used by a program of someone else, compiled and run against a platform. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';
import { root } from '../cli/kubeloom-process.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeloom-client-'));
  const node = (...args: readonly string[]) =>
    execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' });
  const { file } = JSON.parse(node(join(root, 'scripts/pack-client.ts'), folder));
  const place = join(folder, 'node_modules/@kubeloom/client');
  mkdirSync(place, { recursive: true });
  execFileSync('tar', ['-xzf', file, '-C', place, '--strip-components=1']);
  // What npm would install next to it.
  symlinkSync(join(root, 'node_modules/zod'), join(folder, 'node_modules/zod'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = `
import { apiClient, itemsOf } from '@kubeloom/client';
import { ProblemAnswer } from '@kubeloom/client/faults';

const [, , apiUrl = '', token = ''] = process.argv;
const api = apiClient({ apiUrl, token });
const names: string[] = [];
for await (const { name } of itemsOf((next) => api.listManifests({ next }))) names.push(name);
const missing: unknown = await api.getManifest({ namespace: 'default', name: 'none' }).catch((error: unknown) => error);
// @ts-expect-error a manifest has a namespace
void (() => api.getManifest({ name: 'none' }));
// @ts-expect-error there is no such answer
void (async () => (await api.getVersion()).nothing);
console.log(JSON.stringify({ names, code: missing instanceof ProblemAnswer && missing.problem.code }));
`;

it('a program of someone else compiles with the types of the package and uses an API with it', async () => {
  writeFileSync(join(folder, 'use.ts'), program);
  const options = ['--strict', '--target', 'es2024', '--module', 'nodenext', '--types', 'node', '--outDir', 'out'];
  const types = ['--typeRoots', join(root, 'node_modules/@types'), '--allowImportingTsExtensions', 'false'];
  const tsc = [join(root, 'node_modules/typescript/bin/tsc'), ...options, ...types, '--skipLibCheck', 'use.ts'];
  const run = promisify(execFile);
  const compiled = await run(process.execPath, tsc, { cwd: folder }).catch(({ stdout }) => ({ stdout }));
  expect(compiled.stdout).toBe('');
  const platform = await startSimulatedPlatform();
  try {
    const { stdout } = await run(process.execPath, ['out/use.js', platform.apiUrl, platform.token], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({ names: [], code: 'NotFound' });
  } finally {
    await platform.stop();
  }
});

it('the package of the client depends on zod alone, in the version of the clone, and cannot be published', () => {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
  const own = read(join(root, 'package.json'));
  const packed = read(join(folder, 'node_modules/@kubeloom/client/package.json'));
  const { zod } = { ...own.devDependencies, ...own.dependencies };
  expect(packed).toMatchObject({ private: true, version: own.version });
  expect(packed.dependencies).toEqual({ zod });
});

it.each(['LICENSE', 'SECURITY.md'])('the package of the client has the %s of the clone', (name) => {
  const file = join(folder, 'node_modules/@kubeloom/client', name);
  expect(readFileSync(file, 'utf8')).toBe(readFileSync(join(root, name), 'utf8'));
});

it('the package of the client lists what it is made of, zod included, which npm installs next to it', () => {
  const { components } = JSON.parse(readFileSync(join(folder, 'node_modules/@kubeloom/client/sbom.cdx.json'), 'utf8'));
  expect(components.map(({ name }: { name: string }) => name)).toContain('zod');
});
