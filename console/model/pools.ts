/** Nodes by pool: control first, then compute, then load balancers. */
import type { NodeRow } from '#contracts/api-bodies.ts';

export interface Pool {
  readonly pool: string;
  readonly role: NodeRow['role'];
  readonly provider: string;
  readonly region: string;
  readonly nodes: readonly NodeRow[];
  readonly ready: number;
}

const order: readonly NodeRow['role'][] = ['control', 'compute', 'machine', 'loadBalancer'];

/** With the nodes in which each word of `search` occurs; pools without any are left out. */
export function poolsOf(nodes: readonly NodeRow[], search: string): readonly Pool[] {
  const words = search.split(/\s+/).filter(Boolean);
  const found = nodes.filter((node) => {
    const { name, pool, provider, region = '', publicAddress = '', privateAddress, status } = node;
    const text = [name, pool, provider, region, publicAddress, privateAddress, status].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const pools = new Map<string, NodeRow[]>();
  for (const node of found) {
    const id = JSON.stringify([order.indexOf(node.role), node.provider, node.region ?? '', node.pool]);
    pools.set(id, [...(pools.get(id) ?? []), node]);
  }
  return [...pools]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, [first, ...rest]]) => {
      if (!first) return [];
      const all = [first, ...rest];
      const { pool, role, provider, region = '' } = first;
      return [
        { pool, role, provider, region, nodes: all, ready: all.filter(({ status }) => status === 'Ready').length },
      ];
    });
}
