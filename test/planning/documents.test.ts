/** Documents in a cluster as they are planned: which, in which order, and when. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtinDocuments } from '#domain/builtin-documents.ts';
import { buildDesiredState } from '#domain/planning/desired/build-desired-state.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { countingIds, desiredOf } from './arbitraries.ts';
import { desiredWith } from './desired-documents.ts';
import { compute, control, type ManifestSpec, manifestOf } from './manifests.ts';
import { pathText } from './planned.ts';

const withStorage: ManifestSpec = { kubernetes: { storage: 'longhorn' } };
const own = (inline: string) => ({ name: 'own', inline });

const storing = { 'node.longhorn.io/create-default-disk': 'true' };

describe('storage of a cluster', () => {
  test('a new cluster that names no storage gets what the installation gives', () => {
    expect(desiredWith({}, { defaultStorage: 'longhorn' }).storage).toBe('longhorn');
    expect(desiredWith({}).storage).toBeUndefined();
  });

  test('a cluster that exists without storage gets none unasked', () => {
    expect(desiredWith({}, { current: desiredWith({}), defaultStorage: 'longhorn' }).documents).toBeUndefined();
  });

  test('a new cluster without compute nodes gets no storage by default', () => {
    const bare = desiredWith({ dynamic: [control(1)], compute: [] }, { defaultStorage: 'longhorn' });
    expect(bare.storage).toBeUndefined();
  });

  test.each([
    ['a spot pool', { spot: true }, undefined],
    ['a pool with a taint', { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] }, undefined],
    [
      'a pool with a taint and the label of storage',
      { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }], labels: storing },
      'longhorn',
    ],
    ['a pool with a mild taint', { taints: [{ key: 'old', value: 'yes', effect: 'PreferNoSchedule' }] }, 'longhorn'],
  ])(
    'a new cluster whose only compute pool is %s gets storage unasked only if Longhorn runs there',
    (_, pool, storage) => {
      const state = desiredWith({ dynamic: [control(1), compute(2, pool)] }, { defaultStorage: 'longhorn' });
      expect(state.storage).toBe(storage);
    },
  );

  test('each provider instance with compute nodes has a class, spelled like the tag of its nodes', () => {
    const state = desiredWith({
      dynamic: [control(1), compute(1), { name: 'more', provider: 'azure-2' }],
      compute: ['compute', 'more'],
      ...withStorage,
    });
    expect(state.documents?.find(({ name }) => name === 'longhorn-classes')?.values).toEqual({
      zone: ['aws-1-zone', 'azure-2-zone'],
    });
  });

  test('Longhorn learns of the autoscaler with the first autoscaled compute pool', () => {
    const valuesOf = (spec: ManifestSpec) => desiredWith(spec).documents?.[0]?.values;
    expect(valuesOf(withStorage)).toMatchObject({ autoscaled: 'false' });
    const scaled = { name: 'compute', autoscaler: { min: 1, max: 3 } };
    expect(valuesOf({ dynamic: [control(1), scaled], ...withStorage })).toMatchObject({ autoscaled: 'true' });
  });

  test('Longhorn tolerates the taints of pools that have its label, also without a node, and no others', () => {
    const taint = (key: string, value: string, effect = 'NoSchedule') => ({ key, value, effect });
    const dynamic = [
      control(1),
      compute(1, { taints: [taint('team', 'shop')] }),
      {
        name: 'disks',
        labels: storing,
        taints: [taint('disks', 'only', 'NoExecute'), taint('old', 'yes', 'PreferNoSchedule')],
      },
      { name: 'spot', labels: storing, spot: true, autoscaler: { min: 0, max: 3 } },
    ];
    const state = desiredWith({ dynamic, compute: ['compute', 'disks', 'spot'], ...withStorage });
    expect(state.documents?.[0]?.values).toMatchObject({
      tolerations: ['claudie.io/spot=true:NoSchedule', 'disks=only:NoExecute'],
      taintToleration: '\ntaint-toleration: "claudie.io/spot=true:NoSchedule;disks=only:NoExecute"',
    });
    expect(desiredWith(withStorage).documents?.[0]?.values).toMatchObject({ tolerations: [], taintToleration: '' });
  });
});

test('monitoring comes when the manifest names it, and follows the load balancers', () => {
  const named = desiredWith({ kubernetes: { documents: [{ name: 'monitoring' }] } });
  expect(named.documents).toMatchObject([{ name: 'monitoring', values: { balancer: [] } }]);
  expect(desiredWith({}).documents).toBeUndefined();
  const balanced = desiredWith({
    dynamic: [control(1), compute(1), { name: 'front' }],
    loadBalancers: [{ name: 'lb', roles: ['web'], pools: ['front'] }],
    kubernetes: { documents: [{ name: 'monitoring' }] },
  });
  const [node] = balanced.loadBalancers[0]?.pools[0]?.nodes ?? [];
  expect(balanced.documents?.[0]?.values).toEqual({ balancer: [node?.privateAddress] });
});

describe('documents of the manifest', () => {
  test('an entry with a text takes the place of what comes with Kubeloom, and others come last', () => {
    const entries = [own('a'), { name: 'longhorn-classes', inline: 'b' }];
    const { documents } = desiredWith({ kubernetes: { storage: 'longhorn', documents: entries } });
    expect(documents?.map(({ name, version, text }) => [name, version, text])).toEqual([
      ['longhorn', `builtin@${builtinDocuments.longhorn.version}`, undefined],
      ['longhorn-classes', 'inline', 'b'],
      ['own', 'inline', 'a'],
    ]);
  });

  test('an entry that is switched off is left out', () => {
    const off = { storage: 'longhorn', documents: [{ name: 'longhorn-classes', enabled: false }] };
    expect(desiredWith({ kubernetes: off }).documents?.map(({ name }) => name)).toEqual(['longhorn']);
  });

  const git = (commit: string) => `git:github.com/team/ours@${commit.repeat(40)}#kubernetes`;
  const inGit = (names: readonly string[], commit: string): [ManifestSpec, { templates: Record<string, string> }] => [
    { kubernetes: { storage: 'longhorn', documents: names.map((name) => ({ name, templatesRef: { name: 'ours' } })) } },
    { templates: Object.fromEntries(names.map((name) => [`c/${name}`, git(commit)])) },
  ];

  test('an entry with a git repository takes the place of what comes with Kubeloom, with its values', () => {
    const { documents } = desiredWith(...inGit(['own', 'longhorn-classes', 'autoscaler'], 'a'));
    expect(documents).toMatchObject([
      { name: 'longhorn', version: `builtin@${builtinDocuments.longhorn.version}` },
      { name: 'longhorn-classes', version: git('a'), values: { zone: ['aws-1-zone'] } },
      { name: 'own', version: git('a'), values: {} },
    ]);
  });

  test('documents of a repository need no upstream file, and another commit applies them again', () => {
    const options = { maxUnavailable: 1, upstreamDocuments: [] };
    const current = desiredWith(...inGit(['longhorn', 'longhorn-classes'], 'a'));
    const goal = { cluster: 'c', attempted: null, options };
    expect(planClusterPath({ ...goal, current: null, desired: current }).refusals).toEqual([]);
    const [spec, { templates }] = inGit(['longhorn', 'longhorn-classes'], 'a');
    const moved = desiredWith(spec, { current, templates: { ...templates, 'c/longhorn-classes': git('b') } });
    const plan = planClusterPath({ ...goal, current, desired: moved });
    expect(plan.waypoints.map(({ direction, stages }) => [direction, ...stages.map(({ work }) => work)])).toEqual([
      [
        'settle',
        {
          patch: [],
          remove: [],
          maxUnavailable: 1,
          documents: [{ name: 'longhorn-classes', version: git('b') }],
        },
      ],
    ]);
  });
});

describe('the plan of documents', () => {
  test('a new cluster gets its documents in a waypoint of their own, whose failure does not undo the cluster', () => {
    const goal = desiredWith(withStorage);
    const plan = planClusterPath({ cluster: 'c', current: null, attempted: null, desired: goal });
    expect(pathText(plan)).toEqual(['grow: infrastructure configuration kubernetes nodes', 'settle: nodes']);
    expect(plan.waypoints.map(({ target }) => target?.documents?.length ?? 0)).toEqual([0, 2]);
    expect(plan.waypoints[1]?.undo).toEqual([]);
  });

  test('a create that was interrupted before its documents continues with them', () => {
    const goal = desiredWith(withStorage, { defaultStorage: 'longhorn' });
    const { documents: _, ...bare } = goal;
    const plan = planClusterPath({ cluster: 'c', current: bare, attempted: null, desired: goal });
    expect(plan.waypoints[0]?.stages[0]?.work).toMatchObject({
      documents: [{ name: 'longhorn' }, { name: 'longhorn-classes' }],
    });
    expect(
      buildDesiredState({
        manifest: manifestOf({}),
        cluster: 'c',
        current: bare,
        attempted: null,
        templates: {},
        ids: countingIds('y'),
      })?.documents,
    ).toHaveLength(2);
  });

  test('documents that an interrupted settle may have applied are removed when they are not desired any more', () => {
    const current = desiredWith({});
    const attempted = desiredWith({ kubernetes: { documents: [own('a')] } }, { current });
    const plan = planClusterPath({ cluster: 'c', current, attempted, desired: current });
    expect(plan.waypoints.map(({ stages }) => stages.map(({ work }) => work))).toEqual([
      [{ patch: [], remove: [], maxUnavailable: 1, documentsRemoved: ['own'] }],
    ]);
  });

  test('documents whose upstream file no runner has are refused before anything starts', () => {
    const goal = desiredOf({ manifest: manifestOf(withStorage) });
    const options = { maxUnavailable: 1, upstreamDocuments: [] };
    const plan = planClusterPath({ cluster: 'c', current: null, attempted: null, desired: goal, options });
    expect(plan.waypoints).toEqual([]);
    expect(plan.refusals).toMatchObject([
      { reason: expect.stringContaining('upstream file of the documents "longhorn"') },
    ]);
    const there = { ...options, upstreamDocuments: ['longhorn'] };
    expect(
      planClusterPath({ cluster: 'c', current: null, attempted: null, desired: goal, options: there }).refusals,
    ).toEqual([]);
  });
});

test('the versions of documents are those of their upstream files', () => {
  const upstream: Record<string, { version: string }> = JSON.parse(
    readFileSync(new URL('../../templates/kubernetes/upstream.json', import.meta.url), 'utf8'),
  );
  const needed = Object.entries(builtinDocuments).flatMap(([name, row]) =>
    'upstream' in row ? [[name, row.version.split('-')[0]]] : [],
  );
  expect(Object.entries(upstream).map(([name, { version }]) => [name, version])).toEqual(needed);
});
