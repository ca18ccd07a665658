/** The rules of a submission: what follows from a document and from what is known, as tables without stores and clocks. */
import { describe, expect, it } from 'vitest';
import { error } from '#domain/manifest/faults/fault.ts';
import { assess } from '#functions/pipeline/assessment/assess.ts';
import { aClusterRecord, aState } from '#test/api/records.ts';
import { groupsWith, leaf } from '#test/machine-groups/groups.ts';
import { aManifest, type Knowing, knownOf, nextOf, noTemplates, reached, storedAs } from './known.ts';

const pathsOf = (faults: readonly { readonly path: string }[]): readonly string[] => faults.map(({ path }) => path);
const stored = (change = {}) => storedAs(aManifest(), change);
const existing = (change = {}) =>
  aClusterRecord({ status: 'Converged', current: { ...aState(['compute-00']), ...change } });

/** Frozen wholly: what is known is read, never changed. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
}

describe('what a document becomes', () => {
  const turned = () => Object.fromEntries(Object.entries(aManifest()).reverse());
  it.each([
    ['a new document', aManifest(), undefined, { generation: 1, attempt: 1, same: false }],
    ['a changed document', aManifest({ compute: 3 }), stored(), { generation: 2, attempt: 1, same: false }],
    ['the same document', aManifest(), stored(), { generation: 1, attempt: 2, same: true }],
    [
      'the same document with its fields in another order',
      turned(),
      stored(),
      { generation: 1, attempt: 2, same: true },
    ],
    [
      'the same document that failed',
      aManifest(),
      stored({ status: 'Failed' }),
      { generation: 1, attempt: 2, same: true },
    ],
    [
      'a document whose deletion has started',
      aManifest(),
      stored({ deleting: true }),
      { generation: 2, attempt: 1, same: false },
    ],
  ])('%s is the generation and attempt that follow', (_, document, before, { generation, attempt, same }) => {
    const next = nextOf(assess(knownOf(document, { stored: before })));
    expect(next).toMatchObject({ same, record: { generation, attempt, deleting: false, status: 'Pending' } });
    expect(next.record.uid).toBe(before?.uid ?? next.record.uid);
  });

  it('its record has what was pinned, and its plan depends on that', () => {
    const templates = { ...noTemplates, templates: { 'sim-1': 'git:github.com/team/templates@1#t' } };
    const plain = nextOf(assess(knownOf(aManifest())));
    const pinned = nextOf(assess(knownOf(aManifest(), { templates })));
    expect(plain.record.templates).toBeUndefined();
    expect(pinned.record.templates).toEqual(templates.templates);
    expect(pinned.basis).toMatchObject({ goal: plain.basis.goal, templates: templates.templates });
  });

  it('a document with a faulty form has all its faults, and neither a record nor a plan', () => {
    const known = knownOf(aManifest({ name: 'other', version: '1.2.3' }));
    const { faults, ...rest } = assess(known);
    expect(pathsOf(faults)).toEqual(['metadata.name', 'spec.kubernetes.clusters[0].version']);
    expect(rest).toEqual({ warnings: known.form.warnings, plans: [], refusals: [] });
    expect(known.existing).toBeUndefined();
  });

  it.each<[string, Knowing['context'], string]>([
    [
      'a provider type that the installation cannot build',
      { providerTypes: ['hetzner'] },
      'spec.providers[0].providerType',
    ],
  ])('%s is a fault', (_, context, path) => {
    expect(pathsOf(assess(knownOf(aManifest(), { context })).faults)).toEqual([path]);
  });

  it('the same is decided from the same, which is not changed by it', () => {
    const known = () =>
      frozen(
        knownOf(aManifest({ serverType: 'large' }), { stored: stored({ status: 'Running' }), clusters: [existing()] }),
      );
    expect(assess(known())).toEqual(assess(known()));
  });
});

describe('what is refused of a document with a good form', () => {
  it.each<[string, unknown, Knowing, { readonly faults?: readonly string[]; readonly refusals?: readonly string[] }]>([
    ['nothing', aManifest(), {}, {}],
    [
      'a change in place while a run may create the machines',
      aManifest({ serverType: 'large' }),
      { stored: stored({ status: 'Running' }) },
      { faults: ['spec.nodePools.dynamic[0].serverType', 'spec.nodePools.dynamic[1].serverType'] },
    ],
    [
      'a change in place once the run has failed and nothing exists',
      aManifest({ serverType: 'large' }),
      { stored: stored({ status: 'Failed' }) },
      {},
    ],
    [
      'what cannot be planned from the current state, once for each place',
      aManifest(),
      {
        stored: stored({ status: 'Failed' }),
        clusters: [existing({ kubernetesVersion: '1.36.0', network: '10.9.0.0/24' })],
      },
      { refusals: ['spec.kubernetes.clusters[0].network', 'spec.kubernetes.clusters[0].version'] },
    ],
    [
      'what the current state refuses, not again for the state that a run leads to',
      aManifest({ version: '1.35.0' }),
      { stored: stored({ status: 'Running' }), clusters: [existing({ network: '10.9.0.0/24' })] },
      { refusals: ['spec.kubernetes.clusters[0].network'] },
    ],
    [
      'a name in kubeloom.dev/replace without a pool, before templates that name nothing',
      { ...aManifest(), metadata: { ...aManifest().metadata, annotations: { 'kubeloom.dev/replace': 'gone' } } },
      {
        templates: {
          ...noTemplates,
          faults: [error(['spec', 'providers', 0, 'templatesRef'], 'names nothing', 'name something')],
        },
      },
      { faults: ['metadata.annotations["kubeloom.dev/replace"]', 'spec.providers[0].templatesRef'] },
    ],
  ])('%s', (_, document, change, { faults = [], refusals = [] }) => {
    const assessment = assess(knownOf(document, change));
    expect(pathsOf(assessment.faults)).toEqual(faults);
    expect(pathsOf(assessment.refusals)).toEqual(refusals);
    expect(nextOf(assessment).basis).toBeDefined();
  });

  it('a fault of a pool is at the group of a MachineGroups that made it', () => {
    const document = { ...groupsWith({ web: leaf }), metadata: { name: 'shop', namespace: 'team' } };
    const faults = [error(['spec', 'nodePools', 'dynamic', 0, 'properties'], 'is not known', 'leave it out')];
    const assessment = assess(knownOf(document, { templates: { ...noTemplates, faults } }));
    expect(pathsOf(assessment.faults)).toEqual(['spec.groups.web.properties']);
  });
});

describe('what a document costs and warns of', () => {
  it('a cluster with a new name warns that the old one is destroyed', () => {
    const document = structuredClone(aManifest());
    Object.assign(document.spec.kubernetes.clusters[0] ?? {}, { name: 'site' });
    const { warnings } = assess(knownOf(document, { stored: stored({ status: 'Done' }), clusters: reached() }));
    expect(warnings).toContainEqual(
      expect.objectContaining({
        id: 'cluster-renamed',
        path: 'spec.kubernetes.clusters[0].name',
        fix: 'write "web" again to keep it',
      }),
    );
  });

  it('it costs what its machines cost at the end of the plan, compared with those that exist', () => {
    const { costOfMonth } = assess(knownOf(aManifest({ compute: 4 }), { clusters: reached() }));
    expect(costOfMonth).toMatchObject({
      before: [{ amount: 15, currency: 'USD' }],
      after: [{ amount: 25, currency: 'USD' }],
      difference: [{ amount: 10, currency: 'USD' }],
    });
  });

  it('what is asked of a cluster in addition is part of what the plan follows from', () => {
    const clusters = reached();
    const replace = [{ node: 'compute-00', because: 'requested', at: '2026-11-20T11:00:00.000Z' }];
    const [{ cluster = '', current } = {}] = clusters;
    const demand = { namespace: 'team', manifest: 'shop', cluster, version: 1, sizes: {}, failures: {} };
    const nodes = current?.pools.flatMap((pool) => pool.nodes.slice(0, 1)) ?? [];
    const demands = [{ ...demand, replace: nodes.map(({ name }) => ({ ...replace[0], node: name })) }] as never;
    const demandOf = (known: Knowing) => nextOf(assess(knownOf(aManifest(), known))).basis.clusters.web?.demand;
    expect(demandOf({ clusters })).toBeNull();
    expect(demandOf({ clusters, demands })).toEqual(expect.any(String));
  });
});
