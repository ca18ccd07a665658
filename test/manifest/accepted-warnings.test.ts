/** Warnings that a document accepts by their ids. */
import { describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { acceptableWarnings } from '#domain/manifest/faults/fault.ts';
import { validateSecret } from '#domain/manifest/secrets/validate-secret.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { aManifest } from '../api/documents.ts';

const warningsWith = (accept?: string) => {
  const { metadata, ...manifest } = aManifest();
  const annotations = accept === undefined ? {} : { annotations: { 'kubeloom.dev/accept': accept } };
  return validateManifest({ ...manifest, metadata: { ...metadata, ...annotations } }, { readObjects }).warnings;
};

describe('kubeloom.dev/accept', () => {
  it('an accepted warning is silent, and no other is', () => {
    expect(warningsWith().map(({ id }) => id)).toContain('single-control-node');
    expect(warningsWith('no-compute-pool, single-control-node').map(({ id }) => id)).not.toContain(
      'single-control-node',
    );
    expect(warningsWith('no-compute-pool').map(({ id }) => id)).toContain('single-control-node');
  });

  it('an unknown warning id in kubeloom.dev/accept is refused with the id that was probably meant', () => {
    expect(warningsWith('single-control-nodes')).toEqual(
      expect.arrayContaining([expect.objectContaining({ fix: 'did you mean single-control-node?' })]),
    );
    expect(acceptableWarnings).not.toContain('cluster-renamed');
  });

  it('a warning of a Secret can be accepted too', () => {
    const secret = (annotations: object) =>
      validateSecret({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', annotations }, stringData: {} })
        .warnings;
    expect(secret({}).map(({ id }) => id)).toEqual(['empty-secret']);
    expect(secret({ 'kubeloom.dev/accept': 'empty-secret' })).toEqual([]);
  });
});
