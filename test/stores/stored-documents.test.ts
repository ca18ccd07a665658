import { describe, expect, test } from 'vitest';
import { LargeDocuments } from '#adapters/large-documents.ts';
import { manifestOf, readableManifest } from '../../functions/pipeline/records/stored-document.ts';
import type { Artifacts } from '../../functions/ports.ts';

const document = {
  apiVersion: 'kubeloom.dev/v1',
  kind: 'InputManifest',
  metadata: { name: 'shop' },
  spec: {},
};
const key = { namespace: 'team', name: 'shop' };

describe('the manifest in a record', () => {
  test('a stored manifest is parsed once for each document', () => {
    const record = { ...key, document };
    const manifest = manifestOf(record);
    expect(manifest.spec.kubernetes.clusters).toEqual([]);
    expect(manifestOf({ ...record })).toBe(manifest);
    expect(readableManifest({ document: manifest })).toBe(manifest);
    expect(readableManifest({ document: { ...document } })).not.toBe(manifest);
  });

  test('a stored manifest that this version refuses is Unreadable, with the reason and the fix', () => {
    const record = { ...key, document: { ...document, kind: 'Other' } };
    expect(readableManifest(record)).toBeUndefined();
    expect(() => manifestOf(record)).toThrow(
      /^the document of manifest "team\/shop" is no longer accepted: kind: .*; apply its document again$/,
    );
  });
});

describe('a large document', () => {
  const large = { text: 'x'.repeat(200_000) };

  test('a shared document is read from the artifacts once, unless others are read in between', async () => {
    const asked: string[] = [];
    const texts = new Map<string, string>();
    const documents = new LargeDocuments({
      getText: async (name: string) => {
        asked.push(name);
        return texts.get(name);
      },
      putText: async (name: string, text: string) => void texts.set(name, text),
    } as Artifacts);
    const kept = await documents.keep('documents', large);
    expect(await documents.readShared(kept, 'it')).toEqual(large);
    expect(await documents.readShared({ ...kept }, 'it')).toEqual(large);
    expect(asked).toHaveLength(1);
    for (let other = 0; other < 8; other += 1)
      await documents.readShared(await documents.keep('documents', { other }), 'it');
    expect(await documents.readShared(kept, 'it')).toEqual(large);
    expect(asked).toHaveLength(2);
    await documents.read(kept, 'it');
    expect(asked, 'what is read once is not remembered').toHaveLength(3);
  });
});
