/** What plans come to in numbers: clusters, nodes and load balancers added, changed and removed. */
import { z } from 'zod';
import type { ClusterPlan, Waypoint } from '#domain/plan.ts';
import { counted } from '../../words.ts';
import { type DescribedNode, nodeParts } from './node-groups.ts';

const Count = z.strictObject({ added: z.int(), changed: z.int(), removed: z.int() });
type Count = z.infer<typeof Count>;

export const PlanTotals = z
  .strictObject({ clusters: Count, nodes: Count, loadBalancers: Count })
  .meta({ id: 'PlanTotals', description: 'what a plan adds, changes and removes; orphaned nodes are not removed' });
export type PlanTotals = z.infer<typeof PlanTotals>;

export const noTotals: PlanTotals = sumOf([]);

/** Nodes in `orphans` stay as they are: they are not counted as removed. */
export function planTotals(plans: readonly ClusterPlan[], orphans: readonly string[] = []): PlanTotals {
  const kept = new Set(orphans);
  return sumOf(
    plans.map((plan) => {
      const has = (kind: 'ClusterCreated' | 'ClusterDeleted') =>
        plan.waypoints.some(({ changes }) => changes.some((change) => change.kind === kind));
      const [added, removed] = [has('ClusterCreated'), has('ClusterDeleted')];
      return {
        clusters: counts({ added, removed, changed: plan.waypoints.length > 0 && !added && !removed }),
        nodes: nodeTotals(plan, kept),
        loadBalancers: loadBalancerTotals(plan.waypoints),
      };
    }),
  );
}

/** True when anything that exists is removed. */
export function removesAnything({ clusters, nodes, loadBalancers }: PlanTotals): boolean {
  return clusters.removed + nodes.removed + loadBalancers.removed > 0;
}

/** "1 cluster added; 4 nodes added and 5 removed" */
export function totalsText(totals: PlanTotals): string {
  const parts = [
    countText(totals.clusters, 'cluster'),
    countText(totals.nodes, 'node'),
    countText(totals.loadBalancers, 'load balancer'),
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'no cluster, node or load balancer is added, changed or removed' : parts.join('; ');
}

/** Totals of several plans together. */
export function sumOf(all: readonly PlanTotals[]): PlanTotals {
  const sum = (part: keyof PlanTotals, how: keyof Count) => all.reduce((count, one) => count + one[part][how], 0);
  const count = (part: keyof PlanTotals): Count => ({
    added: sum(part, 'added'),
    changed: sum(part, 'changed'),
    removed: sum(part, 'removed'),
  });
  return { clusters: count('clusters'), nodes: count('nodes'), loadBalancers: count('loadBalancers') };
}

function nodeTotals(plan: ClusterPlan, kept: ReadonlySet<string>): Count {
  const steps = plan.waypoints.map((waypoint, at) => ({
    upgrade: waypoint.direction === 'upgrade',
    nodes: nodeParts(waypoint, plan.waypoints[at - 1]?.target ?? null),
  }));
  const names = (hit: (node: DescribedNode, upgrade: boolean) => boolean) =>
    new Set(steps.flatMap(({ nodes, upgrade }) => nodes.filter((node) => hit(node, upgrade)).map(({ name }) => name)));
  const added = names(({ part }) => part === 'made');
  const removed = names(({ part, name }) => (part === 'drained' || part === 'removed') && !kept.has(name));
  const changed = names(
    ({ part, name, role }, upgrade) =>
      (part === 'changed' || (upgrade && part === 'stays' && role !== 'loadBalancer')) &&
      !added.has(name) &&
      !removed.has(name),
  );
  return { added: added.size, changed: changed.size, removed: removed.size };
}

function loadBalancerTotals(waypoints: readonly Waypoint[]): Count {
  const changes = waypoints.flatMap((waypoint) => waypoint.changes);
  const namesOf = (...kinds: readonly string[]) =>
    new Set(
      changes.flatMap((change) =>
        'loadBalancer' in change && kinds.includes(change.kind) ? [change.loadBalancer] : [],
      ),
    );
  const added = namesOf('LoadBalancerAdded');
  const removed = namesOf('LoadBalancerRemoved');
  const changed = [...namesOf('RolesChanged', 'DnsChanged')].filter((name) => !added.has(name) && !removed.has(name));
  return { added: added.size, changed: changed.length, removed: removed.size };
}

function counts(is: Readonly<Record<keyof Count, boolean>>): Count {
  return { added: Number(is.added), changed: Number(is.changed), removed: Number(is.removed) };
}

function countText(count: Count, noun: string): string {
  const [first, ...rest] = (['added', 'changed', 'removed'] as const).filter((how) => count[how] > 0);
  if (first === undefined) return '';
  const more = rest.map((how) => `${count[how]} ${how}`);
  return [`${counted(count[first], noun)} ${first}`, ...more].join(', ');
}
