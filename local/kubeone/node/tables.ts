/** Objects as the server-side tables that `kubectl get` prints. */
import { at, type Json, type JsonObject, type KubeObject, listAt } from './json.ts';
import type { ApiResource } from './resources.ts';

type Cell = (object: KubeObject, now: Date) => Json;
interface Column {
  readonly name: string;
  /** 1 = only with `-o wide`. */
  readonly priority?: number;
  readonly cell: Cell;
}

const name: Column = { name: 'Name', cell: (object) => object.metadata.name };
const age: Column = { name: 'Age', cell: (object, now) => ageOf(object.metadata.creationTimestamp, now) };
const text =
  (...path: readonly string[]): Cell =>
  (object) =>
    String(at(object, ...path) ?? '<none>');

const ofNodes: readonly Column[] = [
  name,
  { name: 'Status', cell: nodeStatus },
  { name: 'Roles', cell: nodeRoles },
  age,
  { name: 'Version', cell: text('status', 'nodeInfo', 'kubeletVersion') },
  { name: 'Internal-IP', priority: 1, cell: (node) => addressOf(node, 'InternalIP') },
  { name: 'External-IP', priority: 1, cell: (node) => addressOf(node, 'ExternalIP') },
  { name: 'OS-Image', priority: 1, cell: text('status', 'nodeInfo', 'osImage') },
  { name: 'Kernel-Version', priority: 1, cell: text('status', 'nodeInfo', 'kernelVersion') },
  { name: 'Container-Runtime', priority: 1, cell: text('status', 'nodeInfo', 'containerRuntimeVersion') },
];

/** A Table; `includeObject` says how much of each object travels along. */
export function tableOf(
  resource: ApiResource,
  objects: readonly KubeObject[],
  options: { readonly revision: string; readonly includeObject: string; readonly now: Date },
): JsonObject {
  const shown = resource.name === 'nodes' && resource.group === '' ? ofNodes : [name, age];
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: options.revision },
    columnDefinitions: shown.map((column) => ({
      name: column.name,
      type: 'string',
      format: column.name === 'Name' ? 'name' : '',
      description: '',
      priority: column.priority ?? 0,
    })),
    rows: objects.map((object) => ({
      cells: shown.map((column) => column.cell(object, options.now)),
      ...(options.includeObject === 'None' ? {} : { object: rowObject(object, options.includeObject) }),
    })),
  };
}

function rowObject(object: KubeObject, includeObject: string): JsonObject {
  if (includeObject === 'Object') return object;
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}

function nodeStatus(node: KubeObject): string {
  const ready = listAt(node, 'status', 'conditions').find((condition) => at(condition, 'type') === 'Ready');
  const words = [at(ready, 'status') === 'True' ? 'Ready' : 'NotReady'];
  if (at(node, 'spec', 'unschedulable') === true) words.push('SchedulingDisabled');
  return words.join(',');
}

function nodeRoles(node: KubeObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.keys(node.metadata.labels ?? {}).filter((label) => label.startsWith(prefix));
  return roles.map((label) => label.slice(prefix.length)).join(',') || '<none>';
}

function addressOf(node: KubeObject, type: string): string {
  const found = listAt(node, 'status', 'addresses').find((address) => at(address, 'type') === type);
  return String(at(found, 'address') ?? '<none>');
}

/** `45s`, `3m`, `5h`, `2d`. */
function ageOf(created: string | undefined, now: Date): string {
  if (created === undefined) return '<unknown>';
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(created)) / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
