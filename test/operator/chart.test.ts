/** What installs the operator: the chart with its values is the plain manifest, and its rights are few. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { memoryVariables, nodeOptions } from '../../scripts/operator-objects.ts';

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

it('the pods start the program of the image, with the memory that it is measured with', () => {
  const image = read('../runner-images/Dockerfile').split(' AS operator\n')[1] ?? '';
  const [, program = 'none'] = /^CMD \["node", "(.+)"\]$/m.exec(image) ?? [];
  const deployment = read('manifests/operator.yaml');
  const [pods] = parseAllDocuments(deployment)
    .map((one) => one.toJS())
    .filter(({ kind }) => kind === 'Deployment');
  const [container] = pods.spec.template.spec.containers;
  expect(container.command).toEqual(['node', ...nodeOptions.split(' '), program]);
  expect(container.env).toEqual(
    expect.arrayContaining(Object.entries(memoryVariables).map(([name, value]) => ({ name, value }))),
  );
});

/** A helm that was built by hand; elsewhere the rendering above stands in for it. */
const helm = process.env.KUBELOOM_HELM;

it.skipIf(helm === undefined)(
  'helm itself accepts the chart and renders it, its definitions and values like the plain manifests',
  () => {
    const chart = join(folder, 'chart');
    const run = (...args: readonly string[]): string => execFileSync(helm ?? '', [...args], { encoding: 'utf8' });
    expect(run('lint', '--strict', chart)).toContain('0 chart(s) failed');
    const documents = (yaml: string) =>
      parseAllDocuments(yaml, { version: '1.1' }).flatMap((one) => (one.contents === null ? [] : [one.toJS()]));
    const titleOf = ({ kind, metadata }: { kind: string; metadata: { name: string } }) => `${kind} ${metadata.name}`;
    const byTitle = (all: ReturnType<typeof documents>) => Object.fromEntries(all.map((one) => [titleOf(one), one]));
    const template = ['template', 'kubeloom', chart, '--namespace', 'kubeloom'] as const;
    const crds = readdirSync(join(folder, 'chart/crds')).map((name) => read(`chart/crds/${name}`));
    const plain = [read('manifests/operator.yaml'), ...crds].flatMap(documents);
    expect(byTitle(documents(run(...template, '--include-crds')))).toEqual(byTitle(plain));
    expect(run(...template, '--set', 'apiUrl=https://api.example.com')).toContain('https://api.example.com');
  },
);

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
