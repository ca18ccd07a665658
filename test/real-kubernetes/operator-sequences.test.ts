/** Manifests that kubectl applies one after another end as those that the API gets: generations, clusters, pools, nodes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { referenceName, referencesIn } from '#domain/manifest/references-in.ts';
import { sequenceNames } from '#test/manifest/manifest-files.ts';
import { storedSet } from '#test/scenarios/e2e-sets.ts';
import { OperatorWorld, type RunningOperator } from './operator-world.ts';

let world: OperatorWorld;
let operator: RunningOperator;
beforeAll(async () => {
  world = await OperatorWorld.start();
  operator = world.operator();
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});

/** What a person sees of the end; ids are created for each. */
const endOf = ({ status, generation, clusters }: ManifestDescription) => ({
  status,
  generation,
  clusters: clusters.map(({ name, status: state, kubernetesVersion, nodes, loadBalancers }) => ({
    name,
    state,
    kubernetesVersion,
    pools: nodes.map(({ pool, role }) => `${role} ${pool.replace(/-[a-z0-9]{7}$/, '')}`).toSorted(),
    loadBalancers: loadBalancers.map((one) => one.name).toSorted(),
  })),
});

test.each(sequenceNames)('the manifests of %s end with kubectl as they end with the API', async (set) => {
  const { key, steps } = await storedSet(world.platform, set, `by-api-${set}`);
  let byApi: ManifestDescription | undefined;
  for (const step of steps) byApi = await world.platform.apply(step);
  if (byApi === undefined) throw new Error(`${set} has no manifests`);
  // A static machine is in one manifest at a time.
  expect(await world.platform.delete(key)).toBeUndefined();

  const { namespace = 'default' } = key;
  const kind = `inputmanifests.${String((steps[0] as { apiVersion?: string }).apiVersion).split('/')[0]}`;
  const secrets = new Map(
    steps
      .flatMap((step) => [...referencesIn(step, namespace)])
      .filter(({ field }) => field === 'secretRef')
      .map((one) => [referenceName(one), one]),
  );
  for (const place of new Set([namespace, ...[...secrets.values()].map((one) => one.namespace)]))
    await world.kubectl(['create', 'namespace', place]).catch(() => {});
  const name = `kubectl-${set}`;
  await world.apply(
    ...[...secrets.values()].map((one) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: one.namespace, name: one.name },
      stringData: { simulated: 'made up' },
    })),
  );
  for (const [index, step] of steps.entries()) {
    await world.apply({ ...step, metadata: { ...step.metadata, name } });
    await world.until(`step ${index + 1} has ended`, async () => {
      const { status, metadata } = (await world.get(name, kind, namespace)) ?? {};
      return status?.observedGeneration === metadata?.generation && status?.state === 'WATCHING_FOR_CHANGES';
    });
  }
  const shown = await world.platform.find({ ...key, name });
  expect(shown && endOf(shown)).toEqual(endOf(byApi));
  const status = await world.kubectl(['get', kind, name, '-n', namespace, '-o', 'jsonpath={.status}']);
  const { state, clusters } = JSON.parse(status);
  expect(state).toBe('WATCHING_FOR_CHANGES');
  expect(Object.keys(clusters).toSorted()).toEqual(byApi.clusters.map((one) => one.name).toSorted());
  for (const one of Object.values(clusters)) expect(one).toMatchObject({ state: 'DONE', phase: 'NONE' });
  // The made-up Secrets would be refused as those of a provider that is in use.
  await world.kubectl(['delete', kind, name, '-n', namespace, '--timeout=90s']);
});
