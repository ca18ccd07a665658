/** Documents in a cluster as they are planned: which, in which order, and when. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtinDocuments } from '#domain/builtin-documents.ts';
import type { ClusterState } from '#domain/cluster-state.ts';
import { supportedMinors } from '#domain/kubernetes-versions.ts';
import { buildDesiredState } from '#domain/planning/desired/build-desired-state.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { countingIds, desiredOf } from './arbitraries.ts';
import { compute, control, type ManifestSpec, manifestOf } from './manifests.ts';
import { pathText } from './planned.ts';

const withStorage: ManifestSpec = { kubernetes: { storage: 'longhorn' } };
const own = (inline: string) => ({ name: 'own', inline });

function desired(
  spec: ManifestSpec,
  options: {
    current?: ClusterState;
    defaultStorage?: 'longhorn';
    agentUrl?: string;
    templates?: Readonly<Record<string, string>>;
  } = {},
) {
  const { current = null, ...rest } = options;
  const goal = { manifest: manifestOf(spec), cluster: 'c', current, attempted: null, templates: {} };
  const state = buildDesiredState({ ...goal, ...rest, ids: countingIds('x') });
  if (state === null) throw new Error('the manifest has no cluster c');
  return state;
}

const storing = { 'node.longhorn.io/create-default-disk': 'true' };

describe('storage of a cluster', () => {
  test('a new cluster that names no storage gets what the installation gives', () => {
    expect(desired({}, { defaultStorage: 'longhorn' }).storage).toBe('longhorn');
    expect(desired({}).storage).toBeUndefined();
  });

  test('a cluster that exists without storage gets none unasked', () => {
    expect(desired({}, { current: desired({}), defaultStorage: 'longhorn' }).documents).toBeUndefined();
  });

  test('a new cluster without compute nodes gets no storage by default', () => {
    const bare = desired({ dynamic: [control(1)], compute: [] }, { defaultStorage: 'longhorn' });
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
      const state = desired({ dynamic: [control(1), compute(2, pool)] }, { defaultStorage: 'longhorn' });
      expect(state.storage).toBe(storage);
    },
  );

  test('each provider instance with compute nodes has a class, spelled like the tag of its nodes', () => {
    const state = desired({
      dynamic: [control(1), compute(1), { name: 'more', provider: 'azure-2' }],
      compute: ['compute', 'more'],
      ...withStorage,
    });
    expect(state.documents?.find(({ name }) => name === 'longhorn-classes')?.values).toEqual({
      zone: ['aws-1-zone', 'azure-2-zone'],
    });
  });

  test('Longhorn learns of the autoscaler with the first autoscaled compute pool', () => {
    const valuesOf = (spec: ManifestSpec) => desired(spec).documents?.[0]?.values;
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
    const state = desired({ dynamic, compute: ['compute', 'disks', 'spot'], ...withStorage });
    expect(state.documents?.[0]?.values).toMatchObject({
      tolerations: ['claudie.io/spot=true:NoSchedule', 'disks=only:NoExecute'],
      taintToleration: '\ntaint-toleration: "claudie.io/spot=true:NoSchedule;disks=only:NoExecute"',
    });
    expect(desired(withStorage).documents?.[0]?.values).toMatchObject({ tolerations: [], taintToleration: '' });
  });
});

describe('the autoscaler', () => {
  const agentUrl = 'https://kubeloom.example';
  const scaled = (version?: string): ManifestSpec => ({
    dynamic: [control(1), { name: 'compute', autoscaler: { min: 1, max: 3 } }],
    ...(version === undefined ? {} : { kubernetes: { version } }),
  });
  const names = (state: ClusterState) => state.documents?.map(({ name }) => name) ?? [];

  test('the autoscaler is installed with the first autoscaled pool and removed with the last, without touching a machine', () => {
    const fixed = desired({}, { agentUrl });
    expect(names(fixed)).toEqual([]);
    const on = desired(scaled(), { current: fixed, agentUrl });
    expect(names(on)).toEqual(['autoscaler']);
    const off = desired({}, { current: on, agentUrl });
    expect(names(off)).toEqual([]);
    const plans = [
      planClusterPath({ cluster: 'c', current: { ...fixed, pools: on.pools }, attempted: null, desired: on }),
      planClusterPath({ cluster: 'c', current: on, attempted: null, desired: { ...on, documents: [] } }),
    ];
    expect(plans.map(pathText)).toEqual([['settle: nodes'], ['settle: nodes']]);
  });

  test('other bounds change nothing in the cluster: the agent asks the API for them', () => {
    const on = desired(scaled(), { agentUrl });
    const wider = desired({ dynamic: [control(1), { name: 'compute', autoscaler: { min: 1, max: 9 } }] }, { agentUrl });
    expect(wider.documents).toEqual(on.documents);
  });

  test('an installation whose API no cluster reaches has none', () => {
    expect(names(desired(scaled()))).toEqual([]);
  });

  test('a manifest can switch off Longhorn, or bring its own documents for it', () => {
    const entry = (document: object) => desired({ ...scaled(), kubernetes: { documents: [document] } }, { agentUrl });
    expect(names(entry({ name: 'autoscaler', enabled: false }))).toEqual([]);
    expect(entry({ name: 'autoscaler', inline: 'a' }).documents).toMatchObject([{ version: 'inline', text: 'a' }]);
  });

  test('the agent of the autoscaler uses a proxy that the manifest requests, and not a proxy that is on by default', () => {
    const valuesOf = (proxy: object) =>
      desired({ ...scaled(), kubernetes: { installationProxy: proxy } }, { agentUrl }).documents?.[0]?.values;
    const endpoint = 'proxy.example:3128';
    expect(valuesOf({ mode: 'default', endpoint })).toMatchObject({ proxy: '', noProxy: '' });
    expect(valuesOf({ mode: 'on', endpoint, noProxy: 'kubeloom.example, .svc' })).toMatchObject({
      proxy: `http://${endpoint}`,
      noProxy: '127.0.0.1,localhost,.svc,kubeloom.example',
    });
  });

  test.each(supportedMinors)('a cluster of Kubernetes %s has the autoscaler of its minor', (minor) => {
    const [document] = desired(scaled(`v${minor}.1`), { agentUrl }).documents ?? [];
    expect(document?.values).toEqual({
      image: expect.stringMatching(new RegExp(`^registry\\.k8s\\.io/autoscaling/cluster-autoscaler:v${minor}\\.\\d+$`)),
      proxy: '',
      noProxy: '',
      api: agentUrl,
    });
  });
});

test('monitoring comes when the manifest names it, and follows the load balancers', () => {
  const named = desired({ kubernetes: { documents: [{ name: 'monitoring' }] } });
  expect(named.documents).toMatchObject([{ name: 'monitoring', values: { balancer: [] } }]);
  expect(desired({}).documents).toBeUndefined();
  const balanced = desired({
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
    const { documents } = desired({ kubernetes: { storage: 'longhorn', documents: entries } });
    expect(documents?.map(({ name, version, text }) => [name, version, text])).toEqual([
      ['longhorn', `builtin@${builtinDocuments.longhorn.version}`, undefined],
      ['longhorn-classes', 'inline', 'b'],
      ['own', 'inline', 'a'],
    ]);
  });

  test('an entry that is switched off is left out', () => {
    const off = { storage: 'longhorn', documents: [{ name: 'longhorn-classes', enabled: false }] };
    expect(desired({ kubernetes: off }).documents?.map(({ name }) => name)).toEqual(['longhorn']);
  });

  const git = (commit: string) => `git:github.com/team/ours@${commit.repeat(40)}#kubernetes`;
  const inGit = (names: readonly string[], commit: string): [ManifestSpec, { templates: Record<string, string> }] => [
    { kubernetes: { storage: 'longhorn', documents: names.map((name) => ({ name, templatesRef: { name: 'ours' } })) } },
    { templates: Object.fromEntries(names.map((name) => [`c/${name}`, git(commit)])) },
  ];

  test('an entry with a git repository takes the place of what comes with Kubeloom, with its values', () => {
    const { documents } = desired(...inGit(['own', 'longhorn-classes', 'autoscaler'], 'a'));
    expect(documents).toMatchObject([
      { name: 'longhorn', version: `builtin@${builtinDocuments.longhorn.version}` },
      { name: 'longhorn-classes', version: git('a'), values: { zone: ['aws-1-zone'] } },
      { name: 'own', version: git('a'), values: {} },
    ]);
  });

  test('documents of a repository need no upstream file, and another commit applies them again', () => {
    const options = { maxUnavailable: 1, upstreamDocuments: [] };
    const current = desired(...inGit(['longhorn', 'longhorn-classes'], 'a'));
    const goal = { cluster: 'c', attempted: null, options };
    expect(planClusterPath({ ...goal, current: null, desired: current }).refusals).toEqual([]);
    const [spec, { templates }] = inGit(['longhorn', 'longhorn-classes'], 'a');
    const moved = desired(spec, { current, templates: { ...templates, 'c/longhorn-classes': git('b') } });
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
    const goal = desired(withStorage);
    const plan = planClusterPath({ cluster: 'c', current: null, attempted: null, desired: goal });
    expect(pathText(plan)).toEqual(['grow: infrastructure configuration kubernetes nodes', 'settle: nodes']);
    expect(plan.waypoints.map(({ target }) => target?.documents?.length ?? 0)).toEqual([0, 2]);
    expect(plan.waypoints[1]?.undo).toEqual([]);
  });

  test('a create that was interrupted before its documents continues with them', () => {
    const goal = desired(withStorage, { defaultStorage: 'longhorn' });
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
    const current = desired({});
    const attempted = desired({ kubernetes: { documents: [own('a')] } }, { current });
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
