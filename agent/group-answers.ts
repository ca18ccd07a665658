/** A pool as the cluster-autoscaler sees it, in the shapes of autoscaler.proto. */
import type { AgentGroup } from '#contracts/agent.ts';

const states = { running: 1, creating: 2, deleting: 3 } as const;
const errorClasses = { outOfResources: 1, other: 99 } as const;

export interface AutoscalerInstance {
  readonly id: string;
  readonly status: {
    readonly instanceState: number;
    readonly errorInfo?: {
      readonly errorCode: string;
      readonly errorMessage: string;
      readonly instanceErrorClass: number;
    };
  };
}

/** The id by which the autoscaler recognises the node: the `providerID` that the nodes stage gives it. */
export const instanceId = (node: string): string => `kubeloom://${node}`;

/** Machines without a name yet: asked for, and not planned so far; or asked for, and refused by the provider. */
const placeholderId = (pool: string, index: number): string => `kubeloom:///${pool}/${index}`;

export const isPlaceholder = (id: string): boolean => id.startsWith('kubeloom:///');

/**
 * How many of these ids are machines that did not come. The autoscaler keeps its list of instances for minutes: where a machine has the place of a
 * placeholder by now, the deletion of the placeholder must not take that machine.
 */
export function machinesToCome(group: AgentGroup, ids: readonly string[]): number {
  const first = placesTaken(group).length;
  const last = targetSize(group);
  const places = Array.from({ length: Math.max(0, last - first) }, (_, place) =>
    placeholderId(group.pool, first + place),
  );
  return places.filter((id) => ids.includes(id)).length;
}

/** Nodes that no one asked to delete. */
export function placesTaken({ nodes }: Pick<AgentGroup, 'nodes'>): AgentGroup['nodes'] {
  return nodes.filter(({ state }) => state !== 'deleting');
}

/**
 * Nodes that were asked for. After a failure it is still the size that failed, until the autoscaler has deleted the instances
 * that are reported as failed: it would not see them fail otherwise, and would ask the same pool again.
 */
export function targetSize({ size, failure }: AgentGroup): number {
  return Math.max(size, failure?.count ?? 0);
}

export function instances(group: AgentGroup): readonly AutoscalerInstance[] {
  const known = group.nodes.map(({ name, state }) => ({
    id: instanceId(name),
    status: { instanceState: states[state] },
  }));
  const staying = placesTaken(group).length;
  const missing = Math.max(0, targetSize(group) - staying);
  return [...known, ...Array.from({ length: missing }, (_, index) => placeholder(group, staying + index))];
}

function placeholder({ pool, size, failure }: AgentGroup, index: number): AutoscalerInstance {
  const id = placeholderId(pool, index);
  if (!failure || index < size) return { id, status: { instanceState: states.creating } };
  const instanceErrorClass = failure.outOfResources ? errorClasses.outOfResources : errorClasses.other;
  const errorInfo = { errorCode: failure.code, errorMessage: failure.message, instanceErrorClass };
  return { id, status: { instanceState: states.creating, errorInfo } };
}

/** The next node as the scheduler will see it; undefined where its capacity is not known. */
export function templateNode({ pool, template }: AgentGroup): object | undefined {
  if (!template.capacity.cpu || !template.capacity.memory) return undefined;
  const name = `${pool}-next`;
  const quantities = Object.fromEntries(
    Object.entries({ pods: '110', ...template.capacity }).map(([resource, string]) => [resource, { string }]),
  );
  return {
    metadata: { name, labels: { ...template.labels, 'kubernetes.io/hostname': name } },
    spec: { providerID: instanceId(name), taints: template.taints },
    status: {
      capacity: quantities,
      allocatable: quantities,
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}
