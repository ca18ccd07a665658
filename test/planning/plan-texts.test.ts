import { describe, expect, test } from 'vitest';
import type { ClusterState } from '#domain/cluster-state.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { describeClusterPlan } from '#domain/planning/text/describe-plan.ts';
import { desiredOf } from './arbitraries.ts';
import { withLb } from './change-cases.ts';
import { balancer, compute, control, type ManifestSpec, manifestOf } from './manifests.ts';
import { withoutHashes } from './work-text.ts';

interface TypicalChange {
  readonly title: string;
  readonly from?: ManifestSpec;
  readonly to?: ManifestSpec;
  readonly templates?: Readonly<Record<string, string>>;
  /** Target of an attempt that was interrupted. */
  readonly attempted?: ManifestSpec;
}

const far = { name: 'far', provider: 'azure-2', count: 2 };

const changes: readonly TypicalChange[] = [
  {
    title: 'create',
    to: withLb(['api', 'web'], { dynamic: [control(3), compute(2), far, balancer(1)], compute: ['compute', 'far'] }),
  },
  {
    title: 'add a pool in a second account and a load balancer',
    from: {},
    to: withLb(['web'], { dynamic: [control(1), compute(2), far, balancer(1)], compute: ['compute', 'far'] }),
  },
  {
    title: 'remove nodes',
    from: withLb(['web'], { dynamic: [control(3), compute(6), balancer(1)] }),
    to: withLb(['web']),
  },
  { title: 'API endpoint to a load balancer, and a new version', from: {}, to: withLb(['api'], { version: '1.36.0' }) },
  {
    title: 'replace the control pool',
    from: {},
    to: { dynamic: [{ name: 'brain', provider: 'azure-1' }, compute(2)], control: ['brain'] },
  },
  {
    title: 'settings',
    from: withLb(['web']),
    to: withLb(['web'], {
      dynamic: [
        control(1),
        compute(2, { labels: { tier: 'a' }, taints: [{ key: 'only', effect: 'NoSchedule' }] }),
        balancer(1),
      ],
      secrets: { 'aws-1': 'rotated' },
      loadBalancers: [{ name: 'lb', roles: ['web'], pools: ['balancer'], dns: { hostname: 'shop' } }],
    }),
  },
  { title: 'new templates: each pool is replaced', from: {}, to: {}, templates: { 'aws-1': 'git@2' } },
  { title: 'delete', from: withLb(['api']) },
  {
    title: 'another desired state after an interrupted create',
    attempted: { dynamic: [control(1), compute(5)] },
    to: {},
  },
  { title: 'refused', from: {}, to: { version: '1.33.0', dynamic: [control(1), compute(2, { serverType: 'large' })] } },
];

function textOf({ from, to, attempted, templates = {} }: TypicalChange, reportCurrent: boolean): string {
  const stateOf = (goal: ManifestSpec | undefined, ids: string, current: ClusterState | null = null) =>
    goal ? desiredOf({ manifest: manifestOf(goal), current, templates: current ? templates : {}, ids }) : null;
  const current = stateOf(from, 'x');
  const desired = stateOf(to, 'y', current);
  const plan = planClusterPath({ cluster: 'c', current, attempted: stateOf(attempted, 'x'), desired });
  const { summary, waypoints, refusals } = describeClusterPlan(plan, reportCurrent ? current : null);
  const lines = [
    summary,
    ...waypoints.flatMap(({ title, sentences, stages, forwardOnly }) => [
      `  ${title}${forwardOnly ? ' (forward-only)' : ''}`,
      ...sentences.map((sentence) => `    ${sentence}`),
      ...stages.map(({ stage, reasons }) => `    [${stage}] ${reasons.join('; ')}`),
    ]),
    ...refusals.map(({ path, reason, fix }) => `  ${path}: ${reason}: ${fix}`),
  ];
  return withoutHashes(lines.join('\n'));
}

describe('texts of plans', () => {
  test('the texts of typical plans match the golden file', async () => {
    const text = changes.map((change) => `# ${change.title}\n${textOf(change, true)}\n`).join('\n');
    await expect(text).toMatchFileSnapshot('golden/plans.txt');
  });

  test.each(changes)('the text of a plan is the same without the state before: $title', (change) => {
    expect(textOf(change, false)).toBe(textOf(change, true));
  });
});
