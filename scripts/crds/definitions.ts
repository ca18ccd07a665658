/** The CustomResourceDefinitions of the operator: the shapes of documents, with the rules between fields that need no context. */
import type { z } from 'zod';
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { TemplateGitReference } from '#domain/manifest/schema/template-git-reference.ts';
import { ObjectStatus, ReferenceStatus } from '#operator/object-status.ts';
import { resources } from '#operator/resources.ts';
import { type Additions, type StructuralSchema, structuralSchema } from './structural-schema.ts';

const rule = (expression: string, message: string) => ({ rule: expression, message });
const rules = (...list: readonly ReturnType<typeof rule>[]) => ({ 'x-kubernetes-validations': list });
const byName = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
const byType = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] };

const oneSource = rules(
  rule(
    'has(self.vault) ? !has(self.name) && !has(self.namespace) : has(self.name) && has(self.namespace)',
    'name a Secret with `name` and `namespace`, or give `vault` instead of both',
  ),
);

const manifestAdditions: Additions = {
  // A pool of a load balancer has none, and a disk that is written there is a warning.
  'spec.nodePools.dynamic[].storageDiskSize': { default: undefined },
  'spec.providers': byName,
  'spec.providers[].secretRef': oneSource,
  'spec.nodePools.static[].nodes[].secretRef': oneSource,
  'spec.nodePools.dynamic': byName,
  'spec.nodePools.dynamic[]': rules(
    rule(
      '(has(self.count) && self.count > 0) != has(self.autoscaler)',
      'give either `count`, at least 1, or `autoscaler`',
    ),
  ),
  'spec.nodePools.dynamic[].autoscaler': rules(rule('self.min <= self.max', '`min` is more than `max`')),
  'spec.nodePools.dynamic[].machineSpec': rules(
    rule('has(self.cpuCount) == has(self.memory)', '`cpuCount` and `memory` go together'),
  ),
  'spec.nodePools.static': byName,
  'spec.kubernetes.clusters': byName,
  'spec.kubernetes.clusters[].network': rules(rule('self == oldSelf', 'the network of a cluster cannot be changed')),
  'spec.loadBalancers.roles': byName,
  'spec.loadBalancers.clusters': byName,
};
/** Until the operator has seen an object, it is not observed: without a status, kstatus would take it for one that is as desired. */
const statusAdditions: Additions = { '': { default: { observedGeneration: -1 } }, conditions: byType };

const kinds: Readonly<Record<string, { readonly shape: z.ZodObject; readonly status: z.ZodObject }>> = {
  InputManifest: { shape: InputManifest, status: ObjectStatus },
  TemplateGitReference: { shape: TemplateGitReference, status: ReferenceStatus },
};

const column = (name: string, jsonPath: string, more: object = {}) => ({ name, type: 'string', jsonPath, ...more });
const condition = (type: string, field: string) => `.status.conditions[?(@.type=="${type}")].${field}`;
const age = column('Age', '.metadata.creationTimestamp', { type: 'date' });
const columns: Readonly<Record<string, readonly object[]>> = {
  InputManifest: [
    column('Status', '.status.state'),
    column('Ready', condition('Ready', 'status')),
    column('Accepted', condition('Accepted', 'status'), { priority: 1 }),
    column('Drift free', condition('DriftFree', 'status'), { priority: 1 }),
    column('Run', '.status.runId', { priority: 1 }),
    column('Message', '.status.message'),
    age,
  ],
  TemplateGitReference: [
    column('Repository', '.spec.endpoint.url'),
    column('Commit', '.spec.commit'),
    column('Accepted', condition('Accepted', 'status')),
    age,
  ],
};

/** One for each kind and group. */
export function customResourceDefinitions(): readonly { readonly file: string; readonly definition: object }[] {
  return resources.map(({ group, version, plural, kind }) => {
    const singular = kind.toLowerCase();
    const name = `${plural}.${group}`;
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name, labels: { 'app.kubernetes.io/part-of': 'kubeloom' } },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, listKind: `${kind}List`, plural, singular },
        versions: [
          {
            name: version,
            served: true,
            storage: true,
            subresources: { status: {} },
            additionalPrinterColumns: columns[kind],
            schema: { openAPIV3Schema: schemaOf(kind) },
          },
        ],
      },
    };
    return { file: `${name}.yaml`, definition };
  });
}

function schemaOf(kind: string): StructuralSchema {
  const { shape, status } = kinds[kind] ?? {};
  if (!shape || !status) throw new Error(`no shape of ${kind}`);
  const { spec } = structuralSchema(shape, '', manifestAdditions).properties ?? {};
  if (!spec) throw new Error(`${kind} has no spec`);
  return {
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec,
      status: structuralSchema(status, '', statusAdditions),
    },
    required: ['spec'],
    ...(kind === 'InputManifest' &&
      rules(rule('size(self.metadata.name) <= 63', 'the name has more than 63 characters; shorten it'))),
  };
}
