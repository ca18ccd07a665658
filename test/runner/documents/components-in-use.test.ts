/** Components that leave a cluster: not while objects of their kinds exist, and the last one first. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ComponentState, DocumentState } from '#domain/cluster-documents.ts';
import { noFacts } from '#domain/cluster-state.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from '../stage-world.ts';

const source = { url: 'https://releases.example/file.yaml', sha256: 'a'.repeat(64) };
const component = (name: string, provider: string, change: Partial<ComponentState> = {}): DocumentState => ({
  name,
  version: 'component@v1.11.1',
  values: {},
  component: { kind: 'infrastructure', provider, source, ...change },
});
const core = component('capi.cluster-api', 'cluster-api', { kind: 'core' });
const demo = component('capi.infrastructure-demo', 'infrastructure-demo');
const instance = (name: string, change: Partial<ComponentState> = {}) =>
  component(`capi.infrastructure-demo.${name}`, 'infrastructure-demo', {
    watchNamespace: `clusters-${name}`,
    ...change,
  });

const definition = (plural: string) => `apiextensions.k8s.io/v1 CustomResourceDefinition ${plural}.x-k8s.io`;
const deployment = (name: string) => `apps/v1 Deployment ${name}-system/manager`;
const row = (kind: string, place: string, change: { documents?: string; uid?: string; owners?: string } = {}) => {
  const [namespace, name] = place.split('/');
  const { documents = '<none>', uid = `u${place.replaceAll(/\W/g, '-')}`, owners = '<none>' } = change;
  return `${kind}   ${namespace}   ${name}   ${documents}   ${uid}   ${owners}`;
};

let world: StageWorld;
beforeEach(async () => {
  world = stageWorld();
  const plurals = ['clusters', 'demoes', 'certificates'];
  const live = [
    ...plurals.map((plural) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.x-k8s.io` },
    })),
    ...[core, demo].map(({ name }) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'manager', namespace: `${name}-system`, labels: { 'kubeloom.dev/documents': name } },
    })),
  ];
  writeFileSync(join(world.directory, 'live'), JSON.stringify({ kind: 'List', items: live }));
  writeFileSync(join(world.directory, 'using'), '');
  const script = [
    `echo "$*" >> ${world.directory}/calls`,
    'case "$*" in',
    `*custom-columns*) cat ${world.directory}/using;;`,
    `*" get "*) cat >/dev/null; cat ${world.directory}/live;;`,
    `*" delete "*) cat >> ${world.directory}/deleted;;`,
    'esac; exit 0',
  ];
  world.set('KUBELOOM_KUBECTL', world.script('kubectl', `#!/bin/sh\n${script.join('\n')}\n`));
  await world.ports.artifacts.putText('kubeconfigs/team/shop/shop-1234567', kubeconfigTo());
});
afterEach(() => world.close());

const read = (name: string) => {
  const file = join(world.directory, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};
const using = (...rows: readonly string[]) => writeFileSync(join(world.directory, 'using'), `${rows.join('\n')}\n`);

/** The nodes stage that removes documents. `objects`: of each, in the facts. */
async function remove(
  removed: readonly DocumentState[],
  objects: Readonly<Record<string, readonly string[]>>,
  left: readonly DocumentState[] = [],
) {
  const documents = Object.fromEntries(
    Object.entries(objects).map(([name, of]) => [name, { version: 'component@v1.11.1', hash: '', objects: [...of] }]),
  );
  const facts = { ...noFacts, documents };
  const before = twoProviderState({ documents: [...removed, ...left] });
  const target = twoProviderState({ documents: [...left] });
  const names = removed.map(({ name }) => name);
  const work = { patch: [], remove: [], maxUnavailable: 1, documentsRemoved: names };
  await world.put(
    aDocument([{ stage: 'nodes', reasons: [], work }], { direction: 'settle', before, target, facts }),
    facts,
  );
  return world.run('nodes');
}

describe('components that leave', () => {
  const both = {
    [core.name]: [definition('clusters'), deployment(core.name)],
    [demo.name]: [definition('demoes'), deployment(demo.name)],
  };

  test('CO-1: they are not removed while objects of their kinds exist, which are named', async () => {
    using(row('Cluster', 'team/shop'), row('Demo', 'team/shop-demo'));
    const { error } = await remove([core, demo], both);
    expect(error).toMatchObject({ class: 'user', code: 'ComponentInUse', retryable: false });
    expect(error?.message).toContain('objects of their kinds exist: Cluster team/shop, Demo team/shop-demo');
    expect(read('deleted')).toBe('');
    expect(Object.keys((await world.facts()).documents ?? {})).toHaveLength(2);
  });

  test('CO-1: without such objects the last that was applied goes first', async () => {
    expect((await remove([core, demo], both)).error).toBeUndefined();
    const deleted = read('deleted');
    expect(deleted.indexOf(`${demo.name}-system`)).toBeGreaterThan(-1);
    expect(deleted.indexOf(`${demo.name}-system`)).toBeLessThan(deleted.indexOf(`${core.name}-system`));
  });

  test('objects of the components themselves do not count as use', async () => {
    const own = row('Certificate', 'demo-system/serving', { documents: demo.name, uid: 'u1' });
    using(
      row('Order', 'demo-system/c', { uid: 'u3', owners: 'u2' }),
      row('Request', 'demo-system/b', { uid: 'u2', owners: 'u0,u1' }),
      own,
    );
    expect((await remove([core, demo], both)).error).toBeUndefined();
  });

  test('definitions that a component which stays has, too, do not count', async () => {
    using(row('Demo', 'team/shop-demo'));
    const moved = component('other.infrastructure-demo', 'infrastructure-demo');
    const result = await remove([demo], { ...both, [moved.name]: [definition('demoes')] }, [core, moved]);
    expect(result.error).toBeUndefined();
    expect(read('calls')).not.toContain('custom-columns');
  });

  test('CO-3: an instance is not removed while the namespace that it works on has objects', async () => {
    const [east, west] = [instance('east'), instance('west', { shared: 'elsewhere' })];
    const facts = { [east.name]: [definition('demoes')], [west.name]: [deployment(west.name)] };
    using(row('Demo', 'clusters-west/shop'), row('DemoIdentity', '<none>/of-all'));
    const { error } = await remove([west], facts, [east]);
    expect(error?.message).toContain('objects of their kinds exist: Demo clusters-west/shop. ');
    expect(read('calls')).toContain('get demoes.x-k8s.io --namespace clusters-west');
    using(row('DemoIdentity', '<none>/of-all'));
    expect((await remove([west], facts, [east])).error).toBeUndefined();
  });
});
