import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocuments } from '#documents/parse-documents.ts';
import { readObjects } from '#documents/read-objects.ts';
import { validateDocuments } from '#domain/documents/validate-documents.ts';
import { isMap } from '#domain/json.ts';
import { firstFaults, parsePath, pathText } from '#domain/manifest/faults/fault.ts';
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { examplesFolder, filesIn, validFolder } from './manifest-files.ts';

const valid = [...filesIn(validFolder, '*.yaml'), ...filesIn(examplesFolder, '*.yaml')].flatMap(
  (file) => parseDocuments(readFileSync(file)).documents,
);
const manifests = valid.filter(
  (document) => InputManifest.safeParse(document).success || validateManifest(document, { readObjects }).manifest,
);

/** Every place of a document. */
function placesOf(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
  const inner = Array.isArray(value)
    ? value.map((item, i) => [i, item] as const)
    : isMap(value)
      ? Object.entries(value)
      : [];
  return [[...path], ...inner.flatMap(([key, item]) => placesOf(item, [...path, key]))];
}

/** The document with another value at a place; `undefined` removes it. */
function changed(value: unknown, [key, ...rest]: readonly (string | number)[], to: unknown): unknown {
  if (key === undefined) return to;
  if (Array.isArray(value)) return value.map((item, i) => (i === key ? changed(item, rest, to) : item));
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, name === key ? changed(item, rest, to) : item]);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

function exists(document: unknown, path: readonly (string | number)[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  if (Array.isArray(document)) return typeof key === 'number' && key in document && exists(document[key], rest);
  return isMap(document) && Object.hasOwn(document, key) && exists(document[String(key)], rest);
}

describe('random input', () => {
  it('random values are validated without an exception', () => {
    fc.assert(
      fc.property(fc.array(fc.anything({ withNullPrototype: true }), { maxLength: 3 }), (documents) => {
        const verdicts = validateDocuments(documents, { readObjects });
        expect(verdicts).toHaveLength(documents.length);
        expect(verdicts.every(({ faults }) => faults.length > 0)).toBe(true);
      }),
    );
  });

  it('random texts and bytes are read or refused', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 200 })), (source) => {
        const { documents, faults } = parseDocuments(source);
        expect(documents.length + faults.length).toBeGreaterThan(0);
      }),
    );
  });

  it('one random value in a good manifest gives faults whose places exist, unless it is missing', () => {
    const mutation = fc.constantFrom(...manifests).chain((document) =>
      fc.record({
        document: fc.constant(document),
        place: fc.constantFrom(...placesOf(document)),
        to: fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 2 }), fc.integer(), fc.string()),
      }),
    );
    fc.assert(
      fc.property(mutation, ({ document, place, to }) => {
        const mutant = changed(document, place, to);
        const { manifest, faults, warnings } = validateManifest(mutant, { readObjects });
        expect(manifest === undefined).toBe(faults.length > 0);
        for (const { path, reason, fix } of [...faults, ...warnings]) {
          expect(reason.length * fix.length).toBeGreaterThan(0);
          const parts = parsePath(path);
          expect(exists(mutant, parts) || exists(mutant, parts.slice(0, -1)) || parts.length === 1).toBe(true);
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('a vast document is refused with a short message', () => {
    const names = (count: number) => Array.from({ length: count }, (_, i) => `name-${i}`);
    const manifest = (spec: unknown) => ({ apiVersion: 'kubeloom.dev/v1', kind: 'InputManifest', metadata: {}, spec });
    const long = manifest({ providers: names(1001) });
    const many = manifest({ nodePools: { dynamic: names(900).map((name) => ({ name, labels: names(200) })) } });
    const faulty = manifest({ nodePools: { dynamic: names(900).map((name) => ({ name, count: -1 })) } });

    expect(validateManifest(long, { readObjects }).faults.map(({ reason }) => reason)).toEqual([
      'has 1001 entries, at most 1000 are accepted',
    ]);
    expect(validateManifest(many, { readObjects }).faults.map(({ reason }) => reason)).toEqual([
      'the document is far larger than any manifest',
    ]);
    const reported = firstFaults(validateManifest(faulty, { readObjects }).faults);
    expect(reported).toHaveLength(101);
    expect(reported.at(-1)?.reason).toMatch(/^and \d+ more faults$/);
  });

  it('an accepted manifest is accepted again as it was stored', () => {
    for (const document of manifests) {
      const { manifest } = validateManifest(document, { readObjects });
      const stored: unknown = JSON.parse(JSON.stringify(manifest));
      expect(validateManifest(stored, { readObjects })).toMatchObject({ manifest, faults: [] });
      expect(JSON.stringify(InputManifest.parse(stored))).toBe(JSON.stringify(manifest));
    }
  });

  it('paths are parsed as they are written', () => {
    const part = fc.oneof(fc.nat(), fc.string({ minLength: 1 }), fc.constantFrom('spec', 'a-b', '0', 'x.y', '"'));
    fc.assert(
      fc.property(fc.array(part), (path) => {
        expect(parsePath(pathText(path))).toEqual(path);
      }),
    );
  });
});
