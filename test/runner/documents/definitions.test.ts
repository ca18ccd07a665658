/** What components may not do to a cluster: make definitions older, lose versions that are in use, take objects of others. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DocumentState } from '#domain/cluster-documents.ts';
import { noFacts } from '#domain/cluster-state.ts';
import { type ComponentWorld, componentWorld, definition, objects, yamlOf } from '../component-world.ts';

let world: ComponentWorld;
beforeEach(async () => {
  world = await componentWorld();
});
afterEach(() => world.close());

describe('definitions of components', () => {
  test('CO-1: a definition that does not know the version in which objects are stored is refused', async () => {
    world.live({ ...definition(['v1alpha4', 'v1beta1']), status: { storedVersions: ['v1alpha4', 'v1beta1'] } });
    const text = objects('core', yamlOf(definition(['v1beta1', 'v1beta2'])));
    const result = await world.apply([world.component('cluster-api', text)]);
    expect(result).toMatchObject({ ok: false, error: { code: 'StoredVersionUnknown' } });
    expect(result.error?.message).toContain(
      'gardens.demo.example has objects stored as v1alpha4, which is not among v1beta1, v1beta2',
    );
    expect(world.given('applied')).toBe('');
  });

  test('CO-1: another storage version is named in an event', async () => {
    const established = { conditions: [{ type: 'Established', status: 'True' }] };
    world.live({ ...definition(['v1beta1']), status: { storedVersions: ['v1beta1'], ...established } });
    const text = objects('core', yamlOf(definition(['v1beta1', 'v1beta2'])));
    expect(await world.apply([world.component('cluster-api', text)])).toMatchObject({ ok: true });
    expect(await world.reported()).toContainEqual(
      expect.stringContaining(
        'StorageVersionChanges: objects are stored in another version, v1beta1 to v1beta2: gardens.demo.example',
      ),
    );
  });

  test('CO-1: a definition carries the release that it is of', async () => {
    const text = objects('demo', yamlOf(definition(['v1beta1'])));
    await world.settleAtOnce([world.component('infrastructure-demo', text)]);
    expect(world.given('applied')).toContain('"kubeloom.dev/release":"infrastructure-demo@v1.11.1"');
  });

  test('CO-3: one of a newer release is not replaced by that of another instance, whichever document had it', async () => {
    world.live(definition(['v1beta1'], { 'kubeloom.dev/release': 'infrastructure-demo@v1.12.0' }));
    const text = objects('demo', yamlOf(definition(['v1beta1'])));
    const east = world.component('infrastructure-demo', text);
    const result = await world.apply([{ ...east, name: 'other.infrastructure-demo.east' }]);
    expect(result).toMatchObject({ ok: false, error: { code: 'ComponentDowngrade', class: 'user' } });
    expect(result.error?.message).toContain(
      'gardens.demo.example of infrastructure-demo v1.11.1, which now has release v1.12.0: nothing was changed',
    );
    expect(world.given('applied')).toBe('');
  });

  test('one of an older release, or of another provider, is replaced', async () => {
    const established = { status: { conditions: [{ type: 'Established', status: 'True' }] } };
    const text = objects('demo', yamlOf(definition(['v1beta1'])));
    for (const release of ['infrastructure-demo@v1.10.9', 'infrastructure-demo@v1.11.1', 'other@v2.0.0']) {
      world.live({ ...definition(['v1beta1'], { 'kubeloom.dev/release': release }), ...established });
      expect(await world.apply([world.component('infrastructure-demo', text)])).toMatchObject({ ok: true });
    }
  });

  test('CO-1: a definition that lacks a version which is served is refused, unless it is not served any more', async () => {
    const had = definition(['v1alpha4', 'v1beta1']);
    const established = { storedVersions: ['v1beta1'], conditions: [{ type: 'Established', status: 'True' }] };
    world.live({ ...had, status: established });
    const next = world.component('infrastructure-demo', objects('demo', yamlOf(definition(['v1beta1']))));
    const result = await world.apply([next]);
    expect(result).toMatchObject({ ok: false, error: { code: 'ServedVersionMissing', class: 'user' } });
    expect(result.error?.message).toContain('gardens.demo.example is served as v1alpha4, which is not among v1beta1');
    expect(world.given('applied')).toBe('');
    const versions = had.spec.versions.map((version) => ({ ...version, served: version.name === 'v1beta1' }));
    world.live({ ...had, spec: { ...had.spec, versions }, status: established });
    expect(await world.apply([next])).toMatchObject({ ok: true });
  });
});

describe('objects of two documents', () => {
  const login = 'v1 Secret demo-system/login';
  const inline = (name: string, text: string): DocumentState => ({ name, version: 'inline', values: {}, text });
  const facts = (name: string, ...texts: readonly string[]) => ({
    ...noFacts,
    documents: { [name]: { version: 'inline', hash: '', objects: [...texts] } },
  });

  test('CO-3: two components with one object are refused before anything is touched', async () => {
    const [east, west] = ['infrastructure-demo', 'infrastructure-other'].map((provider) =>
      world.component(provider, objects('demo')),
    );
    if (east === undefined || west === undefined) throw new Error('no components');
    const result = await world.apply([east, west]);
    expect(result).toMatchObject({ ok: false, error: { code: 'ObjectsTwice', class: 'user' } });
    expect(result.error?.message).toContain(`${login} of capi.infrastructure-demo and capi.infrastructure-other`);
    expect(result.error?.message).not.toContain('Namespace');
    expect(world.given('applied')).toBe('');
  });

  test('an object that a document of the cluster has is not taken by a component, nor the other way round', async () => {
    const own = inline('own', objects('demo'));
    const component = world.component('infrastructure-demo', objects('demo'));
    for (const [changing, other] of [
      [component, own],
      [own, component],
    ] as const) {
      const result = await world.apply([own, component], facts(other.name, login), [changing]);
      expect(result).toMatchObject({ ok: false, error: { code: 'ObjectsTwice' } });
    }
    expect(world.given('applied')).toBe('');
  });

  test('an object may move from a document that changes, or goes, to a component', async () => {
    const component = world.component('infrastructure-demo', objects('demo'));
    const changed = inline('own', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: other }\n');
    expect(await world.apply([changed, component], facts('own', login))).toMatchObject({ ok: true });
    expect(await world.apply([component], facts('own', login))).toMatchObject({ ok: true });
  });

  test('two documents without a component are as their user wrote them', async () => {
    const both = ['one', 'two'].map((name) => inline(name, objects('demo')));
    expect(await world.apply(both)).toMatchObject({ ok: true });
  });
});
