/**
 * An official `kubeone` (KUBELOOM_KUBEONE, or on the PATH) reads every manifest that we render, and refuses and accepts
 * what our own check does. Without one this is skipped: its releases have to be downloaded by hand.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubeoneReleases } from '#domain/kubernetes-versions.ts';
import { parseManifest } from '#local/kubeone/manifest.ts';
import { acceptedChanges, changed, refusedManifests } from '#test/kubernetes/kubeone-manifests.ts';
import { renderedManifests } from '#test/kubernetes/rendered-manifests.ts';

const program = process.env.KUBELOOM_KUBEONE ?? 'kubeone';
const version = spawnSync(program, ['version'], { encoding: 'utf8' }).stdout ?? '';
const official = version !== '' && !/simulated|stand-in/i.test(version);
const series = official ? String(JSON.parse(version).kubeone.gitVersion).split('.').slice(0, 2).join('.') : '';
const release = kubeoneReleases.find((entry) => entry.release.startsWith(series)) ?? kubeoneReleases[0];

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-official-kubeone-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

describe.skipIf(!official)(`kubeone ${series}`, () => {
  // A version that each release builds, where the version is not what is tried.
  const inWindow = (content: string) =>
    content.replaceAll(/kubernetes: v?1\.3\d\.\d+/g, `kubernetes: ${release.minors[0]}.2`);

  test.each(renderedManifests())('the official kubeone accepts what is rendered for $name', ({ manifest }) => {
    expect(officialRefusal(inWindow(manifest))).toBe('');
  });

  test.each(refusedManifests.filter(({ change }) => !change[0].includes('1.34')))(
    'the official kubeone refuses a manifest with $name, as our check does',
    ({ change, refusal }) => expect(officialRefusal(inWindow(changed(change)))).toContain(refusal),
  );

  test.each(acceptedChanges)('the official kubeone accepts a manifest with %s, as our check does', (_name, change) => {
    expect(officialRefusal(inWindow(changed(change)))).toBe('');
  });

  test('the official kubeone builds the Kubernetes versions of our table and no others', () => {
    for (const minor of ['1.31', '1.32', '1.33', '1.34', '1.35', '1.36', '1.37']) {
      const content = changed(['1.34.2', `${minor}.2`]);
      expect([minor, officialRefusal(content) === '']).toEqual([
        minor,
        !('refusal' in parseManifest(content, release)),
      ]);
    }
  });
});

/** What it says of a manifest; '' = accepted. This command reads and checks the manifest and asks no host. */
function officialRefusal(content: string): string {
  const file = join(directory, 'kubeone.yaml');
  writeFileSync(file, content);
  const { status, stderr } = spawnSync(program, ['config', 'machinedeployments', '-m', file], { encoding: 'utf8' });
  return status === 0 ? '' : stderr;
}

const goldens = ['kubeone.yaml', 'kubeone-air-gapped.yaml'];
test.skipIf(!official).each(goldens)('the official kubeone reads the golden manifest %s', (name) => {
  const golden = readFileSync(join(import.meta.dirname, '../rendering/golden', name), 'utf8');
  // The directory of add-ons has to exist.
  const here = golden.replace(/path: \S+addons\S+/, `path: ${directory}`).replace('1.34.2', `${release.minors[0]}.2`);
  expect(officialRefusal(here)).toBe('');
});
