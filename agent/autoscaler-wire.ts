/**
 * The requests of the cluster-autoscaler to an external provider that the agent answers. Names and numbers of fields are those of
 * its wire format; `Node` is the part of the Node of Kubernetes that its simulation of the scheduler reads.
 */
import type { ServiceDefinition } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';

/** Request and answer of each method. */
const methods = {
  NodeGroups: ['Empty', 'Groups'],
  NodeGroupForNode: ['NodeQuestion', 'GroupAnswer'],
  GPULabel: ['Empty', 'Label'],
  GetAvailableGPUTypes: ['Empty', 'Empty'],
  Cleanup: ['Empty', 'Empty'],
  Refresh: ['Empty', 'Empty'],
  NodeGroupTargetSize: ['GroupId', 'TargetSize'],
  NodeGroupIncreaseSize: ['SizeChange', 'Empty'],
  NodeGroupDeleteNodes: ['Deletion', 'Empty'],
  NodeGroupDecreaseTargetSize: ['SizeChange', 'Empty'],
  NodeGroupNodes: ['GroupId', 'Instances'],
  NodeGroupTemplateNodeInfo: ['GroupId', 'Template'],
  PricingNodePrice: ['NodeQuestion', 'Price'],
  PricingPodPrice: ['PodQuestion', 'Price'],
} as const;

/** Number and type of each field; `[]` is a list of the type, `{}` a map from strings to the type. */
const messages: Readonly<Record<string, Readonly<Record<string, readonly [number, string]>>>> = {
  Empty: {},
  GroupId: { id: [1, 'string'] },
  Label: { label: [1, 'string'] },
  TargetSize: { targetSize: [1, 'int32'] },
  SizeChange: { delta: [1, 'int32'], id: [2, 'string'] },

  Group: { id: [1, 'string'], minSize: [2, 'int32'], maxSize: [3, 'int32'], debug: [4, 'string'] },
  Groups: { nodeGroups: [1, 'Group[]'] },
  GroupAnswer: { nodeGroup: [1, 'Group'] },

  ShortNode: { providerID: [1, 'string'], name: [2, 'string'], labels: [3, 'string{}'] },
  NodeQuestion: { node: [1, 'ShortNode'] },
  Deletion: { nodes: [1, 'ShortNode[]'], id: [2, 'string'] },

  // Both questions also have the time, which is always an hour. The pod is in two fields: up to 1.33 and from 1.34 on.
  PodQuestion: { pod: [1, 'Pod'], podBytes: [4, 'Pod'] },
  Pod: { spec: [2, 'PodSpec'] },
  PodSpec: { containers: [2, 'Container[]'] },
  Container: { resources: [8, 'Resources'] },
  Resources: { requests: [2, 'Quantity{}'] },
  Price: { price: [1, 'double'] },

  Instances: { instances: [1, 'Instance[]'] },
  Instance: { id: [1, 'string'], status: [2, 'Status'] },
  // 0 unknown, 1 running, 2 creating, 3 deleting
  Status: { instanceState: [1, 'int32'], errorInfo: [2, 'Error'] },
  // Class 1: out of resources, 99: another reason.
  Error: { errorCode: [1, 'string'], errorMessage: [2, 'string'], instanceErrorClass: [3, 'int32'] },

  // The node is sent in two fields: the autoscaler reads the first up to 1.34, and the second, as bytes, from 1.35 on.
  Template: { nodeInfo: [1, 'Node'], nodeBytes: [2, 'Node'] },
  Node: { metadata: [1, 'Metadata'], spec: [2, 'Spec'], status: [3, 'NodeStatus'] },
  Metadata: { name: [1, 'string'], labels: [11, 'string{}'] },
  Spec: { providerID: [3, 'string'], taints: [5, 'Taint[]'] },
  Taint: { key: [1, 'string'], value: [2, 'string'], effect: [3, 'string'] },
  Quantity: { string: [1, 'string'] },
  Condition: { type: [1, 'string'], status: [2, 'string'] },
  NodeStatus: { capacity: [1, 'Quantity{}'], allocatable: [2, 'Quantity{}'], conditions: [4, 'Condition[]'] },
};

const place = ['clusterautoscaler', 'cloudprovider', 'v1', 'externalgrpc'];

export const cloudProvider = serviceDefinition();

function serviceDefinition(): ServiceDefinition {
  const types = Object.entries(messages).map(([name, fields]) => {
    const shapes = Object.entries(fields).map(([field, [id, type]]) => [field, { id, ...shapeOf(type) }] as const);
    return [name, { fields: Object.fromEntries(shapes) }] as const;
  });
  const rows = Object.entries(methods).map(
    ([name, [requestType, responseType]]) => [name, { requestType, responseType }] as const,
  );
  const service = { methods: Object.fromEntries(rows) };
  const content = { ...Object.fromEntries(types), CloudProvider: service };
  const nested = place.reduceRight<object>((inner, name) => ({ [name]: { nested: inner } }), content);
  const definition = fromJSON({ nested } as Parameters<typeof fromJSON>[0], { defaults: true });
  return definition[[...place, 'CloudProvider'].join('.')] as ServiceDefinition;
}

function shapeOf(type: string): object {
  if (type.endsWith('[]')) return { rule: 'repeated', type: type.slice(0, -2) };
  return type.endsWith('{}') ? { keyType: 'string', type: type.slice(0, -2) } : { type };
}
