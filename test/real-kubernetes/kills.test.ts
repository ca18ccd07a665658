/**
 * The runner is killed (kill -9, with kubeone) in the middle of `kubeone apply`: the next attempt ends well. KUBELOOM_KILLS: how often in
 * joins, each at another moment. Not part of CI: a kill takes a minute or two.
 */
import { describe, expect, it } from 'vitest';
import { grown, realCluster, two } from './real-cluster.ts';
import { minorBefore, newest, patchBefore } from './versions.ts';

const rounds = Number(process.env.KUBELOOM_KILLS ?? 3);

describe('a runner that is killed', () => {
  const cluster = realCluster(() => two(minorBefore));

  it('the next attempt ends what a killed join has started', async () => {
    for (let round = 0; round < rounds; round += 1) {
      // A join takes about 15 seconds.
      expect(await cluster.applyWithKills(await grown(minorBefore), [1 + (round * 14) / rounds])).toBe(1);
      await cluster.prove();
      await cluster.apply(await two(minorBefore));
    }
  });

  it.each([
    ['of the minor version', patchBefore, [8, 60]],
    ['of the patch', newest, [25, 20]],
  ])('the next attempt ends an upgrade %s that was killed twice', async (_, version, moments) => {
    expect(await cluster.applyWithKills(await two(version), moments)).toBe(2);
    await cluster.prove();
  });
});
