/** Healing in the product on real hosts, with a simulated control plane: machines lose their power, and hours pass at once. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ManifestDescription, NodeRow } from '#contracts/api-bodies.ts';
import { NodeRepair } from '#domain/manifest/schema/node-repair.ts';
import { ClockedInstallation } from './clocked-installation.ts';
import { isRoot } from './host-workshop.ts';
import { clusterOf, nodesOf } from './installation.ts';
import { smallManifest } from './small-manifest.ts';

const name = 'healed';
const repair = NodeRepair.parse({ onUnhealthy: 'replace', after: '10m', perHour: 1 });

interface Manifest {
  spec: { driftChecks?: unknown; nodePools: { dynamic: { repair?: NodeRepair }[] } };
}

function manifestWithRepair(): Manifest {
  const compute = { work: { provider: 'local-2', region: 'there', count: 6 } };
  const manifest = smallManifest({ name, controls: 3, compute }) as Manifest;
  for (const pool of manifest.spec.nodePools.dynamic) pool.repair = repair;
  manifest.spec.driftChecks = { interval: '30m', onDrift: 'report' };
  return manifest;
}

describe.runIf(isRoot)('a cluster of three control and six compute nodes with repair', () => {
  let installation: ClockedInstallation;
  let manifest: ManifestDescription;
  let worker: NodeRow;
  let control: NodeRow;

  const rowsOf = (pool: string) => clusterOf(manifest).nodes.filter((row) => row.pool === pool);
  const rowOf = (pool: string, place: number): NodeRow => {
    const row = rowsOf(pool)[place];
    if (row === undefined) throw new Error(`pool ${pool} has no node ${place}: ${nodesOf(manifest).join(', ')}`);
    return row;
  };
  const powerOff = (...nodes: readonly NodeRow[]) => installation.powerOff(manifest, nodes);

  beforeAll(async () => {
    // What has no power here gets none: a second look need not wait.
    vi.stubEnv('KUBELOOM_SECOND_LOOK_SECONDS', '1');
    vi.stubEnv('KUBELOOM_STAGE_RETRY_SECONDS', '0.2');
    vi.stubEnv('KUBELOOM_LOG', 'none');
    installation = await ClockedInstallation.open(name);
    manifest = await installation.apply(manifestWithRepair());
    expect(manifest.status, JSON.stringify(clusterOf(manifest).failure)).toBe('Done');
    worker = rowOf('work', 0);
    // The first one is the API endpoint.
    control = rowOf('control', 1);
    await powerOff(worker, control);
  });
  afterAll(async () => {
    await installation?.close();
    vi.unstubAllEnvs();
  });

  it('the first check that finds a machine without power reports it and replaces nothing', async () => {
    const before = nodesOf(manifest);
    manifest = await installation.pass(35);
    expect(nodesOf(manifest)).toEqual(before);
    expect(await installation.reported('NodeUnhealthy')).toHaveLength(2);
    expect(rowOf('work', 0)).toMatchObject({ name: worker.name, status: 'Gone' });
  });

  it('one of six and a control node of three are replaced by the next check after their time, with the quorum kept', async () => {
    manifest = await installation.pass(10);
    expect(manifest.status, JSON.stringify(clusterOf(manifest).failure)).toBe('Done');
    const replaced = await installation.reported('NodeReplaced');
    expect(replaced.map((text) => text.split(' is replaced: ')[0]).toSorted()).toEqual(
      [worker.name, control.name].toSorted(),
    );
    for (const [pool, count, lost] of [
      ['work', 6, worker],
      ['control', 3, control],
    ] as const) {
      expect(rowsOf(pool).map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 'Ready'));
      expect(rowsOf(pool).map((row) => row.name)).not.toContain(lost.name);
    }
    // Its replacement did not make the lost machine again first; a control node that KubeOne needs is.
    const created = await installation.reported('HostCreated');
    expect(created.filter((text) => text.includes(worker.name))).toHaveLength(1);
    expect(await installation.reported('NodeLeftOut')).toContainEqual(expect.stringContaining(worker.name));
  });

  it('a node is replaced once, and the next one only when the budget of its pool is free again', async () => {
    const before = nodesOf(manifest);
    await powerOff(rowOf('work', 1));
    manifest = await installation.pass(35);
    manifest = await installation.pass(11);
    expect(nodesOf(manifest)).toEqual(before);
    expect(await installation.reported('NodeReplaced')).toHaveLength(2);
    const [refused] = (await installation.reported('RepairRefused')).filter((text) => text.includes('within an hour'));
    expect(refused).toMatch(
      new RegExp(
        `^${rowOf('work', 1).name} is not replaced: pool work has had 1 replacements .*; compared again at 20`,
      ),
    );
  });

  it('four of six that are down at once are an outage: it is named, and nothing is replaced', async () => {
    const before = nodesOf(manifest);
    await powerOff(...[2, 3, 4].map((place) => rowOf('work', place)));
    manifest = await installation.pass(20);
    expect(nodesOf(manifest)).toEqual(before);
    expect(await installation.reported('OutageSuspected')).toEqual([
      '4 of 6 nodes of local-2 in there are down at once: that is an outage, and new machines would not help; nothing is replaced',
    ]);
    expect(await installation.reported('NodeReplaced')).toHaveLength(2);
  });
});
