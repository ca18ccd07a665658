import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDocuments } from '#contracts/documents.ts';
import { InputManifest } from '#domain/manifest/input-manifest.ts';
import { validateDocuments } from '#domain/manifest/validate-documents.ts';
import { validateUpdate } from '#domain/manifest/validate-update.ts';
import {
  examplesFolder,
  filesIn,
  invalidFolder,
  readRealInput,
  realInputs,
  shortName,
  validFolder,
} from './manifest-files.ts';

describe('an invalid manifest gets all its faults at once, with path, reason and fix', () => {
  const files = filesIn(invalidFolder, '*.yaml');
  it('has files to try', () => expect(files.length).toBeGreaterThan(15));
  it.each(files.map((file) => [shortName(file), file]))('%s', (_, file) => {
    const expected: unknown = JSON.parse(readFileSync(file.replace('.yaml', '.faults.json'), 'utf8'));

    const read = parseDocuments(readFileSync(file));
    const verdicts = validateDocuments(read.documents);

    const faults = [
      ...read.faults,
      ...verdicts.flatMap((verdict, document) => verdict.faults.map((fault) => ({ document, ...fault }))),
    ];
    expect(faults.map(({ severity: _severity, ...fault }) => fault)).toEqual(expected);
    expect(faults.every(({ severity }) => severity === 'error')).toBe(true);
  });
});

describe('a valid document has no faults', () => {
  const files = [...filesIn(validFolder, '*'), ...filesIn(examplesFolder, '*.yaml')];
  it.each(files.map((file) => [shortName(file), file]))('%s', (_, file) => {
    const read = parseDocuments(readFileSync(file));

    const verdicts = validateDocuments(read.documents);

    expect(read.faults).toEqual([]);
    expect(verdicts.flatMap(({ faults }) => faults)).toEqual([]);
    expect(verdicts.every(({ document }) => document !== undefined)).toBe(true);
  });
});

// On CI missing inputs are a failure, not a skip.
describe.skipIf(realInputs === undefined && process.env.CI !== 'true')('what others wrote is accepted as it is', () => {
  const endToEnd = filesIn(realInputs ?? '', 'claudie-e2e/*/*.yaml');

  it.each(endToEnd.map((file) => [shortName(file), file]))('%s', (_, file) => {
    const verdicts = validateDocuments(readRealInput(file));

    expect(verdicts.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it('the steps of each set are changes that can be made', () => {
    const sets = Map.groupBy(endToEnd, (file) => shortName(file).split('/')[0]);
    for (const [set, files] of sets) {
      const steps = files.flatMap((file) =>
        readRealInput(file).flatMap((document) => InputManifest.safeParse(document).data ?? []),
      );
      const refused = steps.slice(1).flatMap((step, i) => validateUpdate(steps[i] ?? step, step));
      expect({ set, refused }).toEqual({ set, refused: [] });
    }
  });

  it.each(['single-subscription', 'two-subscriptions', 'working'])(
    'of the Azure manifest %s only the Kubernetes version is refused',
    (name) => {
      const verdicts = validateDocuments(readRealInput(`${realInputs}/seeds/azure-${name}.yaml`));

      expect(verdicts.flatMap(({ faults }) => faults)).toEqual([
        {
          path: 'spec.kubernetes.clusters[0].version',
          reason: 'Kubernetes 1.26.0 is not supported',
          fix: 'use one of 1.32.x, 1.33.x, 1.34.x, 1.35.x, 1.36.x',
          severity: 'error',
        },
      ]);
    },
  );

  it('the Azure manifests are valid as soon as the version is', () => {
    const files = filesIn(realInputs ?? '', 'seeds/azure-*i*.yaml');
    const documents = files.flatMap((file) => {
      const text = readFileSync(file, 'utf8').replace('v1.26.0', 'v1.36.0');
      return validateDocuments(parseDocuments(text).documents);
    });

    expect(documents.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it('the slip in the Azure secret is understood, and said once', () => {
    const [verdict] = validateDocuments(readRealInput(`${realInputs}/seeds/azure-secret-typo.yaml`));

    expect(verdict?.faults).toEqual([
      {
        path: 'strinData',
        reason: 'there is no field "strinData" here',
        fix: 'did you mean stringData?',
        severity: 'error',
      },
    ]);
  });
});
