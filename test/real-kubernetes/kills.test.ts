/**
 * The runner is killed (kill -9, with kubeone) in the middle of `kubeone apply`: the next attempt ends well. KUBELOOM_KILLS: how often in
 * joins, each at another moment; KUBELOOM_KILL_AT: after how many seconds of an upgrade. Not part of CI: a kill takes a minute or two.
 */
import { describe, expect, it } from 'vitest';
import { grown, realCluster, two } from './real-cluster.ts';
import { newest, patchBefore } from './versions.ts';

const rounds = Number(process.env.KUBELOOM_KILLS ?? 3);

describe('a runner that is killed', () => {
  const cluster = realCluster(() => two(patchBefore));

  it('the next attempt ends what a killed join has started', async () => {
    for (let round = 0; round < rounds; round += 1) {
      // A join takes about 15 seconds.
      expect(await cluster.applyWithKills(await grown(patchBefore), [1 + (round * 14) / rounds])).toBe(1);
      await cluster.prove();
      await cluster.apply(await two(patchBefore));
    }
  });

  it('the next attempt ends an upgrade that was killed', async () => {
    // A second loss of one stage stops the run: a person retries it.
    const moment = Number(process.env.KUBELOOM_KILL_AT ?? 25);
    expect(await cluster.applyWithKills(await two(newest), [moment])).toBe(1);
    await cluster.prove();
  });
});
