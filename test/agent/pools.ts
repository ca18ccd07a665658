/** The API as the agent sees it, in memory: sizes within bounds, machines that come when the test says so. */
import { type AgentApi, ApiRefusal } from '#agent/agent-api.ts';
import type { AgentGroup, AgentSize } from '#contracts/agent.ts';

export const aPool = (over: Partial<AgentGroup> = {}): AgentGroup => ({
  pool: 'work',
  min: 0,
  max: 5,
  size: 1,
  nodes: [{ name: 'work-01', state: 'running' }],
  template: {
    labels: { 'claudie.io/nodepool': 'work', 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux' },
    taints: [],
    capacity: { cpu: '2', memory: '4Gi' },
  },
  ...over,
});

export interface Pools extends AgentApi {
  readonly asked: readonly { readonly pool: string; readonly count: number; readonly remove: readonly string[] }[];
  readonly looks: number;
  change(pool: string, over: Partial<AgentGroup>): void;
  find(pool: string): AgentGroup;
}

export function pools(...initial: readonly AgentGroup[]): Pools {
  const groups = new Map(initial.map((group) => [group.pool, group]));
  const asked: { pool: string; count: number; remove: readonly string[] }[] = [];
  let looks = 0;
  const find = (pool: string): AgentGroup => {
    const group = groups.get(pool);
    if (!group) throw new ApiRefusal(404, `there is no pool ${pool}`);
    return group;
  };
  return {
    asked,
    get looks() {
      return looks;
    },
    find,
    change: (pool, over) => void groups.set(pool, { ...find(pool), ...over }),
    report: async () => [],
    groups: async () => {
      looks += 1;
      return [...groups.values()];
    },
    resize: async (pool, { count, remove = [] }: AgentSize) => {
      const { failure: _forgotten, ...group } = find(pool);
      if (count < group.min || count > group.max)
        throw new ApiRefusal(422, `${pool} has ${group.min} to ${group.max} nodes, not ${count}`);
      asked.push({ pool, count, remove });
      const nodes = group.nodes.map((node) =>
        remove.includes(node.name) ? { ...node, state: 'deleting' as const } : node,
      );
      groups.set(pool, { ...group, size: count, nodes });
      return find(pool);
    },
  };
}
