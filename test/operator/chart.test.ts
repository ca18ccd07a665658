/** What installs the operator: the chart with its values is the plain manifest, and its rights are few. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const folder = fileURLToPath(new URL('../../operator', import.meta.url));
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');

/** Our templates use values and the namespace of the release, nothing else of Helm. */
function rendered(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{ \.(Values|Release)\.(\w+) \}\}/g, (_, from: string, key: string) =>
    from === 'Release' ? 'kubeloom' : (values[key] ?? `no value ${key}`),
  );
}

it('the chart with its default values is the plain manifest', () => {
  const text = rendered(read('chart/templates/operator.yaml'), parse(read('chart/values.yaml')));
  expect(text).not.toContain('{{');
  const documents = (yaml: string) => parseAllDocuments(yaml, { version: '1.1' }).map((one) => one.toJS());
  expect(documents(text)).toEqual(documents(read('manifests/operator.yaml')));
});

it('the chart has the same definitions as the plain manifests', () => {
  const names = readdirSync(join(folder, 'manifests/crds'));
  expect(readdirSync(join(folder, 'chart/crds'))).toEqual(names);
  for (const name of names) expect(read(`chart/crds/${name}`)).toBe(read(`manifests/crds/${name}`));
});

it('the operator may reach its objects, Secrets and events, and nothing else', () => {
  const documents = parseAllDocuments(read('manifests/operator.yaml')).map((one) => one.toJS());
  const { rules } = documents.find(({ kind }) => kind === 'ClusterRole');
  const resources = rules.flatMap((rule: { resources: string[] }) => rule.resources);
  expect(new Set(resources)).toEqual(
    new Set([
      'inputmanifests',
      'templategitreferences',
      'inputmanifests/status',
      'templategitreferences/status',
      'secrets',
      'events',
    ]),
  );
  expect(JSON.stringify(rules)).not.toContain('*');
});
