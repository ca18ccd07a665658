/** A manifest whose pools may have unhealthy nodes replaced, and nodes of it that are powered off. */
import { expect } from 'vitest';
import type { NodeObservation } from '#domain/drift.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { NodeRepair } from '#domain/manifest/schema/node-repair.ts';
import { manifestOf } from './manifests.ts';
import { Pipeline } from './pipeline.ts';

interface Wanted {
  readonly control?: number;
  readonly workers?: number;
  /** Names of more clusters. */
  readonly more?: readonly string[];
  readonly repair?: Partial<NodeRepair>;
  readonly onDrift?: 'report' | 'repair';
  readonly version?: string;
}

export function healed(wanted: Wanted = {}): InputManifest {
  const { control = 3, workers = 6, more = [], repair, onDrift = 'report', version = '1.36.0' } = wanted;
  const clusters = ['web', ...more].map((name) => ({ name, control, compute: { work: workers }, version }));
  const plain = manifestOf(clusters);
  // Each pool in a region of its own: what is down in one is no outage of the other.
  const dynamic = plain.spec.nodePools.dynamic.map((pool) => ({
    ...pool,
    providerSpec: { ...pool.providerSpec, region: pool.name },
    ...(repair && { repair: NodeRepair.parse(repair) }),
  }));
  const nodePools = { ...plain.spec.nodePools, dynamic };
  return { ...plain, spec: { ...plain.spec, nodePools, driftChecks: { interval: '30m', onDrift } } };
}

export async function existing(wanted: Wanted = { repair: { onUnhealthy: 'replace' } }): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.apply(healed(wanted));
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
  return pipeline;
}

/** Names of the nodes of a pool that are in the world. */
export const nodesOf = async (pipeline: Pipeline, pool: string): Promise<readonly string[]> =>
  (await pipeline.nodes()).filter((name) => name.startsWith(`web-${pool}-`));

export async function powerOff(
  pipeline: Pipeline,
  pool: string,
  { count = 1, health = 'notReady' as NodeObservation['health'] } = {},
): Promise<readonly string[]> {
  const down = (await nodesOf(pipeline, pool)).slice(0, count);
  for (const name of down) pipeline.runner.health.set(name, health);
  return down;
}
