/** Objects of Kubernetes, as text, that documents of the tests have: a namespace, settings, kinds of their own. */
import type { DocumentState } from '#domain/cluster-documents.ts';

export const settings = (data: Readonly<Record<string, string>>, name = 'settings') =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'demo' }, data });
export const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: demo }\n';
export const definitionOf = (kind: string, ...versions: readonly string[]) =>
  JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.toLowerCase()}s.demo.example` },
    spec: {
      group: 'demo.example',
      names: { plural: `${kind.toLowerCase()}s`, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  });
export const definition = definitionOf('Garden', 'v1');
export const ponds = definitionOf('Pond', 'v1', 'v2');
export const pondOf = (version: string) =>
  JSON.stringify({
    apiVersion: `demo.example/${version}`,
    kind: 'Pond',
    metadata: { name: 'koi', namespace: 'demo' },
    spec: { fish: 3 },
  });
export const garden =
  'apiVersion: demo.example/v1\nkind: Garden\nmetadata: { name: rose, namespace: demo }\nspec: { beds: 3 }\n';
export const named = (name: string, ...objects: readonly string[]): DocumentState => ({
  name,
  version: 'inline',
  values: {},
  text: objects.join('\n---\n'),
});
export const inline = (...objects: readonly string[]) => named('demo', ...objects);
export const classOf = (replicas: string) =>
  `apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: { name: "demo-\${zone}" }\nprovisioner: demo.example\nparameters: { replicas: "${replicas}", zone: "\${zone}" }\n`;
