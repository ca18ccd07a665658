/** Documents as they are rendered: the templates of Kubeloom against goldens, and the rules of templates. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { autoscalerImage } from '#domain/autoscaler-image.ts';
import { builtinDocuments } from '#domain/builtin-documents.ts';
import { builtinDocument } from '#domain/cluster-documents.ts';
import { nameOfObject, objectText, parseObjectText } from '#domain/kubernetes-objects.ts';
import { applySteps, type DocumentFiles, isAvailable, isKept, renderDocument } from '#rendering/documents.ts';

const directory = fileURLToPath(new URL('../../templates/kubernetes', import.meta.url));

function templatesOf(name: string): DocumentFiles['templates'] {
  const folder = join(directory, name);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml'));
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

const upstream = {
  text: [
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: longhorn-default-setting, namespace: longhorn-system }',
    'apiVersion: apps/v1\nkind: DaemonSet\nmetadata: { name: longhorn-manager, namespace: longhorn-system }\nspec: { template: { spec: { tolerations: [{ key: own }] } } }',
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: longhorn-ui, namespace: longhorn-system, labels: { app: ui } }',
  ].join('\n---\n'),
  without: ['v1 ConfigMap longhorn-system/longhorn-default-setting'],
};

describe('templates of Kubeloom', () => {
  const values = {
    longhorn: {
      autoscaled: 'true',
      tolerations: ['disks=only:NoExecute', 'gpu:NoSchedule'],
      taintToleration: '\ntaint-toleration: "disks=only:NoExecute;gpu:NoSchedule"',
    },
    'longhorn-classes': { zone: ['aws-1-zone', 'static-zone'] },
    autoscaler: {
      image: autoscalerImage('1.34.2'),
      api: 'https://kubeloom.example',
      ca: '',
      proxy: 'http://proxy.example:3128',
      noProxy: '.svc,kubeloom.example',
      expander: 'priority,price,least-waste',
      inTurn: 'false',
      priorities: ['100:\n  - ^home$\n0:\n  - ^cloud$\n'],
    },
    'kubeloom-agent': {
      api: 'https://kubeloom.example',
      ca: 'an authority',
      cloud: ['aws', 'gcp'],
      acting: ['notices'],
      notices: 'on',
      proxy: 'http://proxy.example:3128',
      noProxy: '.svc,kubeloom.example',
    },
  };
  const ofRunner = { agent: 'the program', agentHash: '0123456789abcdef' };
  test.each(Object.keys(values) as (keyof typeof values)[])(
    'the documents %s are rendered as in their golden',
    async (name) => {
      const files = { templates: templatesOf(name), values: ofRunner, ...(name === 'longhorn' ? { upstream } : {}) };
      const objects = renderDocument(builtinDocument(name, values[name]), files);
      const text = objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n');
      await expect(`# ${builtinDocuments[name].version}\n${text}`).toMatchFileSnapshot(`golden/documents-${name}.yaml`);
    },
  );

  test.each([
    ['longhorn', { autoscaled: 'true' }],
    ['autoscaler', { image: autoscalerImage('1.34.2'), api: 'https://kubeloom.example' }],
  ] as const)('%s in a state of an older version are rendered with what was true then', (name, older) => {
    const files = { templates: templatesOf(name), values: ofRunner };
    const order = { expander: 'least-waste', inTurn: 'true', priorities: [] };
    const added = { taintToleration: '', tolerations: [], proxy: '', noProxy: '', ...order };
    expect(renderDocument({ ...builtinDocument(name, older), version: 'builtin@1' }, files)).toEqual(
      renderDocument(builtinDocument(name, { ...added, ...older }), files),
    );
  });

  test('the ConfigMap of priorities, and the right to watch it, are there while a pool has a priority', () => {
    const namesWith = (priorities: string[]) => {
      const document = builtinDocument('autoscaler', { ...values.autoscaler, priorities });
      const objects = renderDocument(document, { templates: templatesOf('autoscaler'), values: ofRunner });
      return objects.map((object) => objectText(nameOfObject(object)));
    };
    const without = namesWith([]);
    expect(namesWith(['1:\n  - ^a$\n']).filter((name) => !without.includes(name))).toEqual([
      'v1 ConfigMap kube-system/cluster-autoscaler-priority-expander',
      'rbac.authorization.k8s.io/v1 Role kube-system/kubeloom-autoscaler-priorities',
      'rbac.authorization.k8s.io/v1 RoleBinding kube-system/kubeloom-autoscaler-priorities',
    ]);
  });

  test('the agent runs in the image of Node that the runners have', () => {
    const dockerfile = readFileSync(new URL('../../runner-images/Dockerfile', import.meta.url), 'utf8');
    const [, image = 'none'] = /^ARG NODE_IMAGE=(node:\S+)$/m.exec(dockerfile) ?? [];
    for (const [name, file] of [
      ['autoscaler', 'autoscaler.yaml'],
      ['kubeloom-agent', 'agent.yaml'],
      ['kubeloom-agent', 'each-cloud/notices.yaml'],
    ] as const)
      expect(templatesOf(name)[file]).toContain(`image: docker.io/library/${image}\n`);
  });

  test('the class that Longhorn makes itself is the one that Kubeloom applies, so neither replaces that of the other', () => {
    const objects = renderDocument(builtinDocument('longhorn-classes', { zone: [] }), {
      templates: templatesOf('longhorn-classes'),
    });
    const [ours, config] = objects;
    if (ours === undefined || config === undefined) throw new Error('there is no class');
    const { 'storageclass.yaml': text = '' } = config.data as Record<string, string>;
    const own = ours.metadata.annotations as Record<string, string>;
    const { 'longhorn.io/last-applied-configmap': last, ...annotations } = own;
    expect(last).toBe(text);
    const document = { name: 'longhorn-classes', version: 'inline', values: {}, text };
    expect(renderDocument(document, { templates: {} })).toEqual([
      { ...ours, metadata: { ...ours.metadata, annotations } },
    ]);
  });
});

describe('rules of templates', () => {
  const render = (templates: Record<string, string>, values: Record<string, string | string[]> = {}) =>
    renderDocument({ name: 'demo', version: 'builtin@1', values }, { templates });
  const config = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;

  test('a value is text wherever it is put: nothing of it becomes YAML', () => {
    const [object] = render(
      { 'a.yaml': `${config('a')}data: { key: "<\${value}>" }` },
      { value: 'x", own: "y\n---\n' },
    );
    expect(object?.data).toEqual({ key: '<x", own: "y\n---\n>' });
  });

  test('a template without a value for one of its names is a fault', () => {
    expect(() => render({ 'a.yaml': config('a-${none}') })).toThrow('there is no value for ${none}');
    expect(() => render({ 'each-none/a.yaml': config('a') })).toThrow('the list "none"');
  });

  test('a text of a manifest is not a template: "${…}" in it stays', () => {
    const text = `${config('a')}data: { key: "\${HOME}" }`;
    const [object] = renderDocument({ name: 'own', version: 'inline', values: {}, text }, { templates: {} });
    expect(object?.data).toEqual({ key: '${HOME}' });
  });
});

test('namespaces and definitions are applied first, and objects of kinds that the same documents define last', () => {
  const kinds = [
    'a.example/v1 Garden',
    'v1 ConfigMap',
    'apiextensions.k8s.io/v1 CustomResourceDefinition',
    'v1 Namespace',
  ];
  const objects = kinds.map((kind) => {
    const { namespace: _, ...named } = parseObjectText(`${kind} x/${kind.length}`);
    return { apiVersion: named.apiVersion, kind: named.kind, metadata: { name: 'x' }, spec: { group: 'a.example' } };
  });
  const steps = applySteps(objects).map((step) => step.map(({ kind }) => kind));
  expect(steps).toEqual([['CustomResourceDefinition', 'Namespace'], ['ConfigMap'], ['Garden']]);
});

test('the name of an object is read as it was written', () => {
  for (const text of ['v1 Namespace shop', 'apps/v1 Deployment shop/web'])
    expect(objectText(parseObjectText(text))).toBe(text);
  expect(nameOfObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } })).not.toHaveProperty('namespace');
});

test('objects that hold data, and namespaces and definitions, are never removed', () => {
  const kept = ['PersistentVolumeClaim', 'PersistentVolume', 'Namespace', 'CustomResourceDefinition'];
  expect(kept.every((kind) => isKept({ kind }))).toBe(true);
  expect(['Deployment', 'StorageClass', 'ConfigMap'].some((kind) => isKept({ kind }))).toBe(false);
});

const ready = { type: 'Available', status: 'True' };
test.each([
  ['Deployment', { replicas: 2 }, { observedGeneration: 3, updatedReplicas: 2, conditions: [ready] }, true],
  ['Deployment', { replicas: 2 }, { observedGeneration: 2, updatedReplicas: 2, conditions: [ready] }, false],
  ['Deployment', { replicas: 2 }, { observedGeneration: 3, updatedReplicas: 1, conditions: [ready] }, false],
  ['Deployment', {}, { observedGeneration: 3, updatedReplicas: 1, conditions: [{ ...ready, status: 'False' }] }, false],
  ['Deployment', { replicas: 0 }, { observedGeneration: 3 }, true],
  [
    'DaemonSet',
    {},
    { observedGeneration: 3, desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2 },
    false,
  ],
  [
    'DaemonSet',
    {},
    { observedGeneration: 3, desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 },
    true,
  ],
  ['DaemonSet', {}, {}, false],
  ['StatefulSet', { replicas: 1 }, { observedGeneration: 3, updatedReplicas: 1, readyReplicas: 0 }, false],
  ['StatefulSet', { replicas: 1 }, { observedGeneration: 3, updatedReplicas: 1, readyReplicas: 1 }, true],
  [
    'CustomResourceDefinition',
    {},
    { conditions: [{ type: 'Established', status: 'True' }], observedGeneration: 3 },
    true,
  ],
  ['CustomResourceDefinition', {}, {}, false],
  ['ConfigMap', {}, {}, true],
])('a %s with spec %j and status %j works: %s', (kind, spec, status, works) => {
  const object = { apiVersion: 'v1', kind, metadata: { name: 'x', generation: 3 }, spec, status };
  expect(isAvailable(object)).toBe(works);
});
