/** A component that does not work: those after it wait, what they replace stays, and the waypoint continues later. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noFacts } from '#domain/cluster-state.ts';
import { sharedDeadlines } from '#runner/documents/availability.ts';
import { type ComponentWorld, componentWorld, objects, yamlOf } from '../component-world.ts';

const manager = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'manager', namespace: 'core-system' },
};
const labels = (document: string) => ({ 'kubeloom.dev/documents': document });
const old = (document: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'moved', namespace: 'core-system', labels: labels(document) },
});
const had = 'v1 ConfigMap core-system/moved';

let world: ComponentWorld;
beforeEach(async () => {
  world = await componentWorld();
});
afterEach(() => world.close());

const pair = () => [
  world.component('cluster-api', objects('core', yamlOf(manager))),
  world.component('infrastructure-demo', objects('demo')),
];

describe('a component that does not work', () => {
  test('CO-1: it holds those after it, and the facts say so', async () => {
    world.live(manager);
    const { documents = {} } = (await world.settleAtOnce(pair())).facts;
    expect(documents).toMatchObject({
      'capi.cluster-api': { unfinished: 'these do not work yet: apps/v1 Deployment core-system/manager' },
    });
    expect(Object.keys(documents)).toEqual(['capi.cluster-api']);
    expect(await world.reported()).toContainEqual(
      expect.stringContaining('ComponentHeld: capi.infrastructure-demo is not applied: it waits for capi.cluster-api'),
    );
    expect(world.given('applied')).not.toContain('demo-system');
  });

  test('CO-1: the stage then fails as one that is continued after a pause, and the next one applies what was held', async () => {
    world.live(manager);
    const { result, facts } = await world.settleAtOnce(pair());
    expect(result).toMatchObject({
      ok: false,
      error: { class: 'transient', code: 'ComponentsHeld', resource: 'capi.cluster-api', retryable: false },
    });
    expect(result.error?.message).toContain(
      'capi.infrastructure-demo waits for capi.cluster-api, which does not work yet',
    );
    world.live();
    const next = await world.settleAtOnce(pair(), facts);
    expect(next.result).toMatchObject({ ok: true, summary: { documentsApplied: 2 } });
    expect(next.facts.documents?.['capi.cluster-api']).not.toHaveProperty('unfinished');
    expect(world.given('applied')).toContain('demo-system');
  });

  test('a last component that does not work holds nothing: it is a warning', async () => {
    world.live(manager);
    expect((await world.settleAtOnce(pair().slice(0, 1))).result).toMatchObject({ ok: true });
  });

  test('CO-1: what it had before stays meanwhile, and goes with its next application', async () => {
    world.live(old('capi.cluster-api'), manager);
    const known = { 'capi.cluster-api': { version: 'component@v1.11.1', hash: '', objects: [had] } };
    const held = await world.settleAtOnce(pair(), { ...noFacts, documents: known });
    expect(world.given('deleted')).toBe('');
    expect(held.facts.documents?.['capi.cluster-api']?.objects).toContain(had);
    world.live(old('capi.cluster-api'));
    const done = await world.settleAtOnce(pair(), held.facts);
    expect(world.given('deleted')).toContain('moved');
    expect(done.facts.documents?.['capi.cluster-api']?.objects).not.toContain(had);
  });

  test.each([
    ['a component that leaves the plane', 'capi.addon-helm'],
    ['a component of another plane', 'old-capi.cluster-api'],
    ['an ordinary document', 'own'],
  ])('CO-1: %s stays meanwhile: what takes its place may be held', async (_, leaving) => {
    const documents = { [leaving]: { version: 'component@v1.0.0', hash: '', objects: [had] } };
    world.live(old(leaving), manager);
    const held = await world.settleAtOnce(pair(), { ...noFacts, documents }, [leaving]);
    expect(world.given('deleted')).toBe('');
    expect(Object.keys(held.facts.documents ?? {})).toContain(leaving);
    world.live(old(leaving));
    const done = await world.settleAtOnce(pair(), held.facts, [leaving]);
    expect(world.given('deleted')).toContain('moved');
    expect(Object.keys(done.facts.documents ?? {})).not.toContain(leaving);
  });

  test('CO-1: what an ordinary document does not render any more stays meanwhile, too', async () => {
    const kept = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept', namespace: 'a' } };
    const own = { name: 'own', version: 'inline', values: {}, text: JSON.stringify(kept) };
    world.live(old('own'), manager);
    const known = { own: { version: 'inline', hash: '', objects: [had] } };
    const held = await world.settleAtOnce([own, ...pair()], { ...noFacts, documents: known });
    expect(world.given('deleted')).toBe('');
    expect(held.facts.documents?.own?.objects).toContain(had);
  });

  test('a waypoint that has used all pauses for a component is reached without the later components, and an event reports that', async () => {
    world.live(manager);
    const { result, facts } = await world.settleAtOnce(pair(), noFacts, [], { reachedWithHeld: true });
    expect(result).toMatchObject({ ok: true });
    expect(facts.documents?.['capi.cluster-api']).toHaveProperty('unfinished');
    expect(await world.reported()).toContainEqual(expect.stringContaining('the change ends without it'));
  });

  test('a waypoint that also has to remove documents is not reached without components', async () => {
    world.live(manager);
    const { result } = await world.settleAtOnce(pair(), noFacts, ['own'], { reachedWithHeld: true });
    expect(result).toMatchObject({ ok: false, error: { code: 'ComponentsHeld' } });
  });
});

test('documents of a cluster that never work take no time from those of a plane', () => {
  let now = 0;
  const deadlineOf = sharedDeadlines([undefined, undefined, 'capi', 'capi'], 600, () => now);
  expect(deadlineOf(undefined)).toBe(300);
  now = 300;
  expect(deadlineOf(undefined)).toBe(300);
  expect(deadlineOf('capi')).toBe(600);
  now = 400;
  expect(deadlineOf('capi')).toBe(600);
  expect(sharedDeadlines(['capi'], 600, () => now)('capi')).toBe(1000);
});
