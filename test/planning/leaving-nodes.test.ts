/** A change that both removes nodes and upgrades Kubernetes: what leaves is gone before anything is upgraded. */
import { describe, expect, it, test } from 'vitest';
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { desiredOf } from './arbitraries.ts';
import { type ManifestSpec, manifestOf } from './manifests.ts';
import { withoutHashes } from './work-text.ts';

interface Row {
  readonly title: string;
  readonly from: ManifestSpec;
  readonly to: ManifestSpec;
  readonly templates?: Readonly<Record<string, string>>;
  readonly leaving?: RegExp;
  /** Direction of each waypoint; of an upgrade also the nodes that it is about. */
  readonly path: readonly string[];
}

const three = (name: string, provider = 'hz-1') => ({ name, provider, count: 3 });
const work = { name: 'compute', count: 2 };
const balancer = { name: 'balancer', count: 1 };
const api = [{ name: 'lb', roles: ['api'], pools: ['balancer'] }];

const rows: readonly Row[] = [
  {
    title: 'a new control pool, a new endpoint and a new version',
    from: { dynamic: [three('control'), work] },
    to: {
      dynamic: [three('brain', 'azure-1'), work, balancer],
      control: ['brain'],
      version: '1.35.0',
      roles: [{ name: 'api', protocol: 'tcp', port: 6443, targetPort: 6443, targetPools: ['brain'] }],
      loadBalancers: api,
    },
    path: ['grow', 'move', 'shrink', 'upgrade brain 3, compute 2', 'settle'],
  },
  {
    title: 'a new control pool and two minor versions',
    from: { dynamic: [three('control'), work] },
    to: { dynamic: [three('brain', 'azure-1'), work], control: ['brain'], version: '1.36.0' },
    path: ['grow', 'move', 'shrink', 'upgrade brain 3, compute 2', 'upgrade brain 3, compute 2'],
  },
  {
    title: 'fewer control nodes and a new version',
    from: { dynamic: [three('control'), work] },
    to: { dynamic: [{ ...three('control'), count: 1 }, work], version: '1.35.0' },
    path: ['shrink', 'upgrade compute 2, control 1'],
  },
  {
    title: 'a compute pool that goes and a new version',
    from: { dynamic: [three('control'), work, { name: 'old', count: 4 }], compute: ['compute', 'old'] },
    to: { dynamic: [three('control'), work], version: '1.35.0' },
    path: ['shrink', 'upgrade compute 2, control 3'],
  },
  {
    title: 'control machines that are replaced because of new templates, and a new version',
    from: { dynamic: [three('control'), work] },
    to: { dynamic: [three('control'), work], version: '1.35.0' },
    templates: { 'hz-1': 'v2' },
    path: ['grow', 'move', 'shrink', 'upgrade compute 2, control 3'],
  },
  {
    title: 'a control node that is replaced, and a new version',
    from: { dynamic: [three('control'), work] },
    to: { dynamic: [three('control'), work], version: '1.35.0' },
    leaving: /^control.*-02$/,
    path: ['grow', 'shrink', 'upgrade compute 2, control 3'],
  },
  {
    title: 'a new version alone',
    from: { dynamic: [three('control'), work] },
    to: { dynamic: [three('control'), work], version: '1.35.0' },
    path: ['upgrade compute 2, control 3'],
  },
];

function planOf({ from, to, templates = {}, leaving }: Row): ClusterPlan & { readonly desired: ClusterState } {
  const current = desiredOf({ manifest: manifestOf(from), ids: 'x' });
  const gone = allNodes(current).flatMap(({ node }) => (leaving?.test(node.name) ? [node.name] : []));
  const desired = desiredOf({ manifest: manifestOf(to), current, templates, leaving: gone, ids: 'y' });
  return { ...planClusterPath({ cluster: 'c', current, attempted: null, desired }), desired };
}

function counted(state: ClusterState | null): string {
  return (state?.pools ?? [])
    .map(({ id, nodes }) => `${withoutHashes(id)} ${nodes.length}`)
    .toSorted()
    .join(', ');
}

describe('nodes that leave', () => {
  test.each(rows)('no node is upgraded that the same change removes: $title', (row) => {
    const { waypoints, refusals, desired } = planOf(row);
    expect(refusals).toEqual([]);
    const path = waypoints.map(({ direction, target }) =>
      direction === 'upgrade' ? `upgrade ${counted(target)}` : direction,
    );
    expect(path).toEqual(row.path);
    const kept = new Set(allNodes(desired).map(({ node }) => node.name));
    const upgraded = waypoints.filter(({ direction }) => direction === 'upgrade');
    for (const { target } of upgraded)
      expect(target && allNodes(target).filter(({ node }) => !kept.has(node.name))).toEqual([]);
  });

  it('an upgrade that was interrupted is continued first, whatever leaves now', () => {
    const current = desiredOf({ manifest: manifestOf({ dynamic: [three('control'), work] }), ids: 'x' });
    const attempted = { ...current, kubernetesVersion: '1.35.0' };
    const to = { dynamic: [{ ...three('control'), count: 1 }, work], version: '1.35.0' };
    const desired = desiredOf({ manifest: manifestOf(to), current, ids: 'y' });
    const { waypoints } = planClusterPath({ cluster: 'c', current, attempted, desired });
    expect(waypoints.map(({ direction }) => direction)).toEqual(['upgrade', 'shrink']);
  });
});
