/** The agent and the autoscaler of a cluster as they are planned. */
import { describe, expect, test } from 'vitest';
import type { ClusterState } from '#domain/cluster-state.ts';
import { supportedMinors } from '#domain/kubernetes-versions.ts';
import { noticeValues } from '#domain/planning/desired/notice-values.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { desiredWith } from './desired-documents.ts';
import { control, type ManifestSpec } from './manifests.ts';
import { pathText } from './planned.ts';

describe('the agent and the autoscaler', () => {
  const agentUrl = 'https://kubeloom.example';
  const scaled = (version?: string): ManifestSpec => ({
    dynamic: [control(1), { name: 'compute', autoscaler: { min: 1, max: 3 } }],
    ...(version === undefined ? {} : { kubernetes: { version } }),
  });
  const names = (state: ClusterState) => state.documents?.map(({ name }) => name) ?? [];

  test('the autoscaler is installed with the first autoscaled pool and removed with the last, without touching a machine', () => {
    const fixed = desiredWith({}, { agentUrl });
    expect(names(fixed)).toEqual(['kubeloom-agent']);
    const on = desiredWith(scaled(), { current: fixed, agentUrl });
    expect(names(on)).toEqual(['kubeloom-agent', 'autoscaler']);
    const off = desiredWith({}, { current: on, agentUrl });
    expect(names(off)).toEqual(['kubeloom-agent']);
    const plans = [
      planClusterPath({ cluster: 'c', current: { ...fixed, pools: on.pools }, attempted: null, desired: on }),
      planClusterPath({ cluster: 'c', current: on, attempted: null, desired: { ...on, documents: [] } }),
    ];
    expect(plans.map(pathText)).toEqual([['settle: nodes'], ['settle: nodes']]);
  });

  test('other bounds change nothing in the cluster: the agent asks the API for them', () => {
    const on = desiredWith(scaled(), { agentUrl });
    const wider = desiredWith(
      { dynamic: [control(1), { name: 'compute', autoscaler: { min: 1, max: 9 } }] },
      { agentUrl },
    );
    expect(wider.documents).toEqual(on.documents);
  });

  test('an installation whose API no cluster reaches has none', () => {
    expect(names(desiredWith(scaled()))).toEqual([]);
  });

  test('an installation that only the control nodes of some providers reach has them in clusters with no other control nodes', () => {
    const reached = (...agentProviders: string[]) => names(desiredWith(scaled(), { agentUrl, agentProviders }));
    expect(reached('hetzner')).toEqual(['kubeloom-agent', 'autoscaler']);
    expect(reached('local')).toEqual([]);
  });

  test('a manifest can switch off Longhorn, or bring its own documents for it', () => {
    const entry = (document: object) =>
      desiredWith({ ...scaled(), kubernetes: { documents: [document] } }, { agentUrl });
    expect(names(entry({ name: 'autoscaler', enabled: false }))).toEqual(['kubeloom-agent']);
    expect(entry({ name: 'autoscaler', inline: 'a' }).documents?.[1]).toMatchObject({ version: 'inline', text: 'a' });
  });

  test('a manifest that switches off the agent has no autoscaler', () => {
    const documents = [{ name: 'kubeloom-agent', enabled: false }];
    expect(names(desiredWith({ ...scaled(), kubernetes: { documents } }, { agentUrl }))).toEqual([]);
  });

  test('a cluster that was made before its agent gets the agent with its next change, in a waypoint that touches no machine', () => {
    const current = desiredWith({});
    const next = desiredWith({}, { current, agentUrl });
    const { waypoints } = planClusterPath({ cluster: 'c', current, attempted: null, desired: next });
    expect(waypoints.map(({ direction }) => direction)).toEqual(['settle']);
    expect(JSON.stringify(waypoints)).toContain('kubeloom-agent');
  });

  test('the agent trusts the authority of the installation', () => {
    const [agent] = desiredWith({}, { agentUrl, agentCa: 'an authority' }).documents ?? [];
    expect(agent?.values).toMatchObject({ api: agentUrl, ca: 'an authority', proxy: '', noProxy: '' });
  });

  test('what reads notices of clouds comes with nodes of these clouds, and leaves with the last of them', () => {
    const noticed = (type: string) => {
      const { documents = [], pools } = desiredWith({}, { agentUrl });
      const others = pools.map((pool) =>
        pool.source.kind === 'static'
          ? pool
          : { ...pool, source: { ...pool.source, provider: { ...pool.source.provider, type } } },
      );
      return { values: documents[0]?.values, of: noticeValues(others) };
    };
    expect(noticed('aws').of).toEqual({ cloud: ['aws'], acting: ['notices'], notices: 'on' });
    expect(noticed('aws').values).toMatchObject(noticed('aws').of);
    expect(noticed('gcp').of).toMatchObject({ cloud: ['gcp'] });
    expect(noticed('hetzner').of).toEqual({});
  });

  test('the agent of the autoscaler uses a proxy that the manifest requests, and not a proxy that is on by default', () => {
    const valuesOf = (proxy: object) =>
      desiredWith({ ...scaled(), kubernetes: { installationProxy: proxy } }, { agentUrl }).documents?.[0]?.values;
    const endpoint = 'proxy.example:3128';
    expect(valuesOf({ mode: 'default', endpoint })).toMatchObject({ proxy: '', noProxy: '' });
    expect(valuesOf({ mode: 'on', endpoint, noProxy: 'kubeloom.example, .svc' })).toMatchObject({
      proxy: `http://${endpoint}`,
      noProxy: '127.0.0.1,localhost,.svc,kubeloom.example',
    });
  });

  test.each(supportedMinors)('a cluster of Kubernetes %s has the autoscaler of its minor', (minor) => {
    const [, document] = desiredWith(scaled(`v${minor}.1`), { agentUrl }).documents ?? [];
    expect(document?.values).toEqual({
      ca: '',
      image: expect.stringMatching(new RegExp(`^registry\\.k8s\\.io/autoscaling/cluster-autoscaler:v${minor}\\.\\d+$`)),
      proxy: '',
      noProxy: '',
      api: agentUrl,
      expander: 'least-waste',
      inTurn: 'true',
      priorities: [],
    });
  });
});

describe('the order in which pools grow', () => {
  const agentUrl = 'https://kubeloom.example';
  const state = (pools: Readonly<Record<string, object>>, current?: ClusterState) => {
    const scaled = Object.entries(pools).map(([name, order]) => ({ name, autoscaler: { min: 1, max: 3, ...order } }));
    const spec = {
      dynamic: [control(1), ...scaled],
      kubernetes: { pools: { control: ['control'], compute: Object.keys(pools) } },
    };
    return desiredWith(spec, { agentUrl, ...(current && { current }) });
  };
  const valuesOf = (pools: Readonly<Record<string, object>>) =>
    state(pools).documents?.find(({ name }) => name === 'autoscaler')?.values;

  test('priorities are expressions for one pool each, highest first, and pools without one come last', () => {
    expect(
      valuesOf({ home: { priority: 100 }, 'cloud-1': { priority: 5 }, cloud_2: { priority: 5 }, rest: {} }),
    ).toMatchObject({
      expander: 'priority,least-waste',
      inTurn: 'false',
      priorities: ['100:\n  - ^home$\n5:\n  - ^cloud-1$\n  - ^cloud_2$\n0:\n  - ^rest$\n'],
    });
  });

  test('pools grow by price where one of them is to, after their priorities', () => {
    expect(valuesOf({ one: { price: true }, other: {} })).toMatchObject({
      expander: 'price,least-waste',
      inTurn: 'false',
      priorities: [],
    });
    expect(valuesOf({ one: { price: true }, other: { priority: 1 } })?.expander).toBe('priority,price,least-waste');
    expect(valuesOf({ one: { price: false } })).toMatchObject({ expander: 'least-waste', inTurn: 'true' });
  });

  test('other priorities change the documents in the cluster, and the plan names the pool and its order', () => {
    const before = state({ home: { priority: 100 }, cloud: {} });
    const after = state({ home: { priority: 100 }, cloud: { priority: 200 } }, before);
    const path = planClusterPath({ cluster: 'c', current: before, attempted: null, desired: after });
    expect(pathText(path)).toEqual(['settle: nodes']);
    expect(path.waypoints.flatMap(({ changes }) => changes)).toContainEqual(
      expect.objectContaining({ kind: 'GrowthOrderChanged', order: 'priority 200' }),
    );
  });
});
