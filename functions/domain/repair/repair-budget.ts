/** How many machines may still be replaced: by pool and hour, by pool and day, and in the whole installation. */
import type { ObservedNode, RepairLedger, RepairPolicy } from './observed-node.ts';

export interface RepairAllowance {
  /** Nodes that this decision replaces, with their pools. */
  readonly taken: Pick<ReadonlyMap<string, string>, 'has' | 'size'>;
  take(node: ObservedNode): void;
  /** Why no more of this pool may be replaced now, and until when. */
  refusal(
    pool: readonly ObservedNode[],
    policy: RepairPolicy,
  ): { readonly because: string; readonly until: string } | undefined;
}

const hour = 3_600_000;
const day = 24 * hour;

export function repairAllowance({ replaced, installation }: RepairLedger, now: Date): RepairAllowance {
  const taken = new Map<string, string>();
  return {
    taken,
    take: ({ node, pool }) => void taken.set(node, pool),
    refusal(nodes, { perHour }) {
      const [{ pool = '' } = {}] = nodes;
      const mine = replaced.filter((one) => one.pool === pool).map(({ at }) => Date.parse(at));
      const also = [...taken.values()].filter((name) => name === pool).map(() => now.getTime());
      const spent = (length: number, most: number): string | undefined => {
        const times = [...mine, ...also].filter((at) => at > now.getTime() - length).toSorted((a, b) => a - b);
        const first = times[times.length - most];
        return first === undefined ? undefined : new Date(first + length).toISOString();
      };
      const thisHour = spent(hour, perHour);
      if (thisHour) return { because: `pool ${pool} has had ${perHour} replacements within an hour`, until: thisHour };
      // As many as it has nodes: replacing them does not help.
      const mostADay = Math.max(perHour, nodes.length);
      const today = spent(day, mostADay);
      if (today) return { because: `pool ${pool} has had ${mostADay} replacements within a day`, until: today };
      if (taken.size < installation.left) return undefined;
      return { because: 'the installation has no replacements left this hour', until: installation.freeAt };
    },
  };
}
