/** Kubeconfigs that are written to files: their mode, and what else is in the file. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { mergeKubeconfig, writeKubeconfig } from '#cli/access/kubeconfig-file.ts';

const text = `apiVersion: v1
kind: Config
clusters: [{ name: web, cluster: { server: https://192.0.2.1:6443 } }]
users: [{ name: admin, user: { client-key-data: a2V5 } }]
contexts: [{ name: admin@web, context: { cluster: web, user: admin } }]
current-context: admin@web
`;
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeloom-kubeconfig-'));
  file = join(folder, 'kube', 'config');
  vi.stubEnv('KUBECONFIG', file);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('kubeloom kubeconfig -o', () => {
  it('-o creates a file that only its owner can read, and overwrites none without --force', async () => {
    const path = join(folder, 'web.kubeconfig');
    await writeKubeconfig(path, text, false);
    expect([modeOf(path), readFileSync(path, 'utf8')]).toEqual([0o600, text]);
    await expect(writeKubeconfig(path, 'other', false)).rejects.toThrow('--force');
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('-o removes the access of others to a file that it overwrites', async () => {
    const path = join(folder, 'web.kubeconfig');
    writeFileSync(path, 'old', { mode: 0o644 });
    await writeKubeconfig(path, text, true);
    expect([modeOf(path), readFileSync(path, 'utf8')]).toEqual([0o600, text]);
  });
});

describe('kubeloom kubeconfig --merge', () => {
  it('--merge creates the file of kubectl if it does not exist, with the cluster in use', async () => {
    expect(await mergeKubeconfig(text, 'kubeloom-web', false)).toBe(file);
    expect(modeOf(file)).toBe(0o600);
    expect(parse(readFileSync(file, 'utf8'))).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'kubeloom-web',
      clusters: [{ name: 'kubeloom-web', cluster: { server: 'https://192.0.2.1:6443' } }],
      users: [{ name: 'kubeloom-web', user: { 'client-key-data': 'a2V5' } }],
      contexts: [{ name: 'kubeloom-web', context: { cluster: 'kubeloom-web', user: 'kubeloom-web' } }],
    });
  });

  it('--merge keeps the other entries, the comments and the context in use', async () => {
    const other = text.replaceAll('web', 'other');
    await mergeKubeconfig(text, 'kubeloom-web', false);
    writeFileSync(file, `# mine\n${other}`, { mode: 0o644 });
    await mergeKubeconfig(text, 'kubeloom-web', false);
    const merged = readFileSync(file, 'utf8');
    expect(merged).toContain('# mine');
    expect(modeOf(file)).toBe(0o600);
    expect(parse(merged)).toMatchObject({
      'current-context': 'admin@other',
      clusters: [{ name: 'other' }, { name: 'kubeloom-web' }],
      contexts: [{ name: 'admin@other' }, { name: 'kubeloom-web' }],
    });
  });

  it('--merge replaces an entry of the same name only with --force', async () => {
    await mergeKubeconfig(text, 'kubeloom-web', false);
    const changed = text.replace('192.0.2.1', '192.0.2.2');
    await expect(mergeKubeconfig(changed, 'kubeloom-web', false)).rejects.toThrow('--force');
    await mergeKubeconfig(changed, 'kubeloom-web', true);
    const { clusters } = parse(readFileSync(file, 'utf8'));
    expect(clusters).toEqual([{ name: 'kubeloom-web', cluster: { server: 'https://192.0.2.2:6443' } }]);
  });

  it('--merge does not change a file that it cannot read', async () => {
    await mergeKubeconfig(text, 'kubeloom-web', false);
    writeFileSync(file, 'clusters: [');
    await expect(mergeKubeconfig(text, 'kubeloom-web', true)).rejects.toThrow('nothing was changed');
    expect(readFileSync(file, 'utf8')).toBe('clusters: [');
  });
});
