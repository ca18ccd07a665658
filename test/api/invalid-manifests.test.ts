/** Every manifest that is wrong on purpose: the API names all its faults at once, with paths, and starts nothing. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DnsLabel } from '#contracts/http-parameters.ts';
import { parseDocuments } from '#documents/parse-documents.ts';
import { documentName, kindOf } from '#domain/documents/validate-documents.ts';
import { filesIn, invalidFolder, shortName } from '#test/manifest/manifest-files.ts';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.ts';

interface Expected {
  readonly document?: number;
  readonly path: string;
}

async function nothingHappened({ deps }: ApiUnderTest): Promise<void> {
  expect(deps.workflows.started).toEqual([]);
  expect((await deps.manifests.list(undefined, 10)).items).toEqual([]);
}

const files = filesIn(invalidFolder, '*.yaml');
const expectedOf = (file: string): readonly Expected[] =>
  JSON.parse(readFileSync(file.replace(/\.yaml$/, '.faults.json'), 'utf8'));
const pathsOf = (faults: unknown): string[] => (faults as Expected[]).map(({ path }) => path);

describe('manifests that cannot be read', () => {
  const unreadable = files.filter((file) => parseDocuments(readFileSync(file)).faults.length > 0);
  it('the examples contain manifests that cannot be read', () => expect(unreadable.length).toBeGreaterThan(0));

  for (const file of unreadable) {
    it(`${shortName(file)} is a 400 with the places in the text`, async () => {
      const api = apiUnderTest();
      const answer = await api.call('PUT', '/v1/manifests/default/unreadable', { body: readFileSync(file) });
      expect(answer.status).toBe(400);
      expect(pathsOf(answer.json.faults).length).toBeGreaterThan(0);
      await nothingHappened(api);
    });
  }
});

describe('manifests that break rules', () => {
  const documents = files
    .flatMap((file) =>
      parseDocuments(readFileSync(file)).documents.map((document, place) => ({ file, document, place })),
    )
    .filter(({ document }) => kindOf(document) === 'InputManifest')
    .map((one) => ({ ...one, wanted: expectedOf(one.file).filter(({ document = 0 }) => document === one.place) }))
    .filter(({ wanted }) => wanted.length > 0);
  it('the examples contain many manifests that break rules', () => expect(documents.length).toBeGreaterThan(8));

  for (const { file, document, place, wanted } of documents) {
    it(`${shortName(file)} [${place}] is a 422 with all ${wanted.length} faults`, async () => {
      const api = apiUnderTest();
      const { namespace, name } = documentName(document);
      const [ns, own] = [namespace, name].map((label) => (DnsLabel.safeParse(label).success ? label : 'other'));
      const answer = await api.call('PUT', `/v1/manifests/${ns}/${own}`, { body: document });
      expect(answer.status).toBe(422);
      expect(pathsOf(answer.json.faults)).toEqual(expect.arrayContaining(wanted.map(({ path }) => path)));
      await nothingHappened(api);
    });
  }
});
