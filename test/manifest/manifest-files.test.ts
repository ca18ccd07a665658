import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocuments } from '#documents/parse-documents.ts';
import { readObjects } from '#documents/read-objects.ts';
import { validateDocuments } from '#domain/documents/validate-documents.ts';
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import {
  azureFolder,
  examplesFolder,
  filesIn,
  filesOfSequence,
  invalidFolder,
  readRealInput,
  realInputs,
  sequenceNames,
  shortName,
  validFolder,
} from './manifest-files.ts';
import { refusedChanges } from './refused-changes.ts';

describe('invalid manifests', () => {
  const files = filesIn(invalidFolder, '*.yaml');
  it('the folder of invalid manifests has files', () => expect(files.length).toBeGreaterThan(15));
  it.each(files.map((file) => [shortName(file), file]))(
    'the invalid manifest %s gets all its faults at once, with path, reason and fix',
    (_, file) => {
      const expected: unknown = JSON.parse(readFileSync(file.replace('.yaml', '.faults.json'), 'utf8'));

      const read = parseDocuments(readFileSync(file));
      const verdicts = validateDocuments(read.documents, { readObjects });

      const faults = [
        ...read.faults,
        ...verdicts.flatMap((verdict, document) => verdict.faults.map((fault) => ({ document, ...fault }))),
      ];
      expect(faults.map(({ severity: _severity, ...fault }) => fault)).toEqual(expected);
      expect(faults.every(({ severity }) => severity === 'error')).toBe(true);
    },
  );
});

describe('valid documents', () => {
  const files = [...filesIn(validFolder, '*'), ...filesIn(examplesFolder, '*.yaml')];
  it.each(files.map((file) => [shortName(file), file]))('the valid document %s has no faults', (_, file) => {
    // A placeholder is a fault: what an example leaves open is filled in here.
    const read = parseDocuments(readFileSync(file, 'utf8').replaceAll('replace-me', 'Filled-in-1'));

    const verdicts = validateDocuments(read.documents, { readObjects });

    expect(read.faults).toEqual([]);
    expect(verdicts.flatMap(({ faults }) => faults)).toEqual([]);
    expect(verdicts.every(({ document }) => document !== undefined)).toBe(true);
  });
});

const azureManifests = ['single-subscription', 'two-subscriptions', 'working'];
const azureFile = (name: string): string => join(azureFolder, `${name}.yaml`);

describe('manifests of the test sequences', () => {
  const files = sequenceNames.flatMap(filesOfSequence);
  it.each(files.map((file) => [shortName(file), file]))('the manifest %s of a test sequence is valid', (_, file) => {
    expect(faultsIn(file)).toEqual([]);
  });

  it.each(sequenceNames)('the steps of %s are allowed changes', (name) => {
    expect(refusedSteps(filesOfSequence(name))).toEqual([]);
  });

  it.each(azureManifests)('the Azure manifest %s has only one fault, the Kubernetes version', (name) => {
    expect(faultsIn(azureFile(name))).toEqual([
      {
        path: 'spec.kubernetes.clusters[0].version',
        reason: 'Kubernetes 1.26.0 is not supported',
        fix: 'use one of 1.32.x, 1.33.x, 1.34.x, 1.35.x, 1.36.x',
        severity: 'error',
      },
    ]);
  });

  it.each(azureManifests)('the Azure manifest %s is valid with a supported Kubernetes version', (name) => {
    const text = readFileSync(azureFile(name), 'utf8').replace('v1.26.0', 'v1.36.0');

    expect(validateDocuments(parseDocuments(text).documents, { readObjects }).flatMap(({ faults }) => faults)).toEqual(
      [],
    );
  });

  it('a misspelt field of a Secret is one fault that names the right field', () => {
    expect(faultsIn(azureFile('secret-with-a-slip'))).toEqual([
      {
        path: 'strinData',
        reason: 'there is no field "strinData" here',
        fix: 'did you mean stringData?',
        severity: 'error',
      },
    ]);
  });
});

describe.skipIf(realInputs === undefined)('manifests of others next to this checkout', () => {
  const sets = filesIn(realInputs ?? '', 'claudie-e2e/*').map((folder) => filesIn(folder, '*.yaml'));
  const isTextTemplates = (file: string): boolean => basename(file) === 'templates.yaml';
  it.each(
    sets
      .flat()
      .filter((file) => !isTextTemplates(file))
      .map((file) => [shortName(file), file]),
  )('the manifest %s of others is valid as it is', (_, file) => {
    expect(faultsIn(file)).toEqual([]);
  });

  it.each(
    sets
      .flat()
      .filter(isTextTemplates)
      .map((file) => [shortName(file), file]),
  )('the text templates of %s are refused with what to do instead', (_, file) => {
    const refused = {
      path: 'spec.endpoint.url',
      reason: 'has the text templates (.tpl) of Claudie, which are not Terraform modules',
      fix: expect.stringContaining('remove templatesRef from the providers'),
      severity: 'error',
    };
    expect(faultsIn(file)).toEqual([refused, refused]);
  });

  it.each(sets.map((files) => [shortName(files[0] ?? ''), files]))(
    'the steps from %s on are allowed changes',
    (_, files) => {
      expect(refusedSteps(files)).toEqual([]);
    },
  );
});

function faultsIn(file: string): readonly unknown[] {
  return validateDocuments(readRealInput(file), { readObjects }).flatMap(({ faults }) => faults);
}

function refusedSteps(files: readonly string[]): readonly unknown[] {
  const steps = files.flatMap((file) =>
    readRealInput(file).flatMap((document) => InputManifest.safeParse(document).data ?? []),
  );
  return steps.slice(1).flatMap((step, index) => refusedChanges(steps[index] ?? step, step));
}
