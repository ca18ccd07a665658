/**
 * The runner is killed (kill -9, with kubeone) in the middle of `kubeone apply`: the next attempt ends well. Lists of moments, `6` (seconds
 * after the start of an apply) or `Joining worker+2` (after KubeOne printed it): KUBELOOM_KILL_JOINS, a join for each; KUBELOOM_KILL_MINOR and
 * KUBELOOM_KILL_PATCH, one after the other in one upgrade. Not part of CI: a kill takes a minute or two.
 */
import { describe, expect, it } from 'vitest';
import { minorBefore, newest, patchBefore } from '#local/kubernetes/versions.ts';
import type { Moment } from './kill-runner.ts';
import { type Kills, type Manifest, realCluster, two } from './real-cluster.ts';
import { without } from './without-pools.ts';

const momentsIn = (variable: string, usual: string): readonly Moment[] =>
  (process.env[variable] ?? usual)
    .split(',')
    .filter(Boolean)
    .map((text) => {
      const [seconds = '', words] = text.split('+').reverse();
      return { seconds: Number(seconds), ...(words === undefined ? {} : { words }) };
    });
const joins = momentsIn('KUBELOOM_KILL_JOINS', '1,6,11');
const minor = momentsIn('KUBELOOM_KILL_MINOR', '');
const patch = momentsIn('KUBELOOM_KILL_PATCH', '25');
/** Each kill takes minutes on a busy machine; in milliseconds. */
const timeFor = (moments: readonly Moment[]) => ({ timeout: 600_000 * (1 + moments.length) });

const small = async (version: string): Promise<Manifest> => without(await two(version), 'compute-2');

describe('a runner that is killed', () => {
  const first = minor.length > 0 ? minorBefore : patchBefore;
  let now = first;
  const cluster = realCluster(() => small(first));

  /** All of them were in time. The first loss of a stage is retried automatically, each further one by a person. */
  function prove(what: string, moments: readonly Moment[], { killed, retries }: Kills): void {
    for (const [index, words] of killed.entries())
      process.stdout.write(`${what}: killed at ${JSON.stringify(moments[index])}: ${words}\n`);
    process.stdout.write(`${what}: ended well after ${retries} retries\n`);
    expect(killed).not.toContain('not killed');
    expect(retries).toBeLessThan(moments.length);
  }

  /** Its budget goes afterwards: with one compute node it would block each drain. */
  async function proveCluster(): Promise<void> {
    await cluster.prove();
    await cluster.kubectl('delete', 'pdb', 'hello');
  }

  it.runIf(minor.length > 0)(
    'the next attempt ends an upgrade by a minor version that was killed',
    timeFor(minor),
    async () => {
      now = patchBefore;
      prove('minor upgrade', minor, await cluster.applyWithKills(await small(now), minor));
      await proveCluster();
    },
  );

  it.runIf(patch.length > 0)('the next attempt ends an upgrade that was killed', timeFor(patch), async () => {
    now = newest;
    prove('patch upgrade', patch, await cluster.applyWithKills(await small(now), patch));
    await proveCluster();
  });

  it.runIf(joins.length > 0)('the next attempt ends what a killed join has started', timeFor(joins), async () => {
    for (const moment of joins) {
      prove('join', [moment], await cluster.applyWithKills(await two(now), [moment]));
      await proveCluster();
      await cluster.apply(await small(now));
    }
  });
});
