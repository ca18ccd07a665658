/** Our check of kubeone.yaml refuses what KubeOne refuses, and every manifest that we render passes it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type KubeOneRelease, kubeoneReleases } from '#domain/kubernetes-versions.ts';
import { parseManifest } from '#local/kubeone/manifest.ts';
import { acceptedChanges, changed, refusedManifests } from './kubeone-manifests.ts';
import { renderedManifests } from './rendered-manifests.ts';

const refusalOf = (content: string, release?: KubeOneRelease) => {
  const read = parseManifest(content, release);
  return 'refusal' in read ? [read.refusal.doing, ...read.refusal.problems].join('\n') : '';
};

test.each(['kubeone.yaml', 'kubeone-air-gapped.yaml'])('the golden manifest %s is accepted', (name) => {
  expect(refusalOf(readFileSync(join(import.meta.dirname, '../rendering/golden', name), 'utf8'))).toBe('');
});

test.each(refusedManifests)('a manifest with $name is refused', ({ change, refusal }) => {
  expect(refusalOf(changed(change))).toContain(refusal);
});

test.each(acceptedChanges)('a manifest with %s is accepted', (_name, change) => {
  expect(refusalOf(changed(change))).toBe('');
});

test('each release accepts its own Kubernetes versions and refuses the others', () => {
  for (const release of kubeoneReleases) {
    for (const minor of ['1.31', '1.32', '1.33', '1.34', '1.35', '1.36', '1.37']) {
      const accepted = !('refusal' in parseManifest(changed(['1.34.2', `${minor}.0`]), release));
      expect([release.release, minor, accepted]).toEqual([release.release, minor, release.minors.includes(minor)]);
    }
  }
});

test.each(renderedManifests())('the manifest rendered for $name is accepted', ({ manifest, release }) => {
  expect(refusalOf(manifest, release)).toBe('');
});
