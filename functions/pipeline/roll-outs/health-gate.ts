/** The health gate between two waves: what is done is compared, each cluster after a check for drift that is newer than its run. */
import type { RollOutRecord } from '#contracts/roll-outs.ts';
import { isPipelineError } from '#domain/errors.ts';
import { soakSecondsOf } from '#domain/roll-out/roll-out-settings.ts';
import { aheadOf } from '../../ahead.ts';
import { startDriftCheck } from '../drift/start-drift-check.ts';
import { type ClusterOutcome, clusterOutcome } from './cluster-outcome.ts';

/** Checks that are started together. */
const atOnce = 10;
/** A check takes minutes; one that hangs must not hold a roll-out for days. */
const mostHours = 2;

export type GatePorts = Parameters<typeof clusterOutcome>[0] & Parameters<typeof startDriftCheck>[0];

/** The health of each cluster that is done; undefined while checks are running: the caller calls again later. Without a soak time no check is started. */
export async function passGate(
  deps: GatePorts,
  { namespace, clusters, settings }: Pick<RollOutRecord, 'namespace' | 'clusters' | 'settings'>,
): Promise<ReadonlyMap<string, ClusterOutcome> | undefined> {
  const done = clusters.filter(({ state }) => state === 'done');
  const compared = aheadOf(done, async (one) => [one.name, await clusterOutcome(deps, namespace, one)] as const);
  const outcomes = new Map(await Array.fromAsync(compared));
  if (soakSecondsOf(settings) === 0) return outcomes;
  const tooLong = new Date(deps.clock.now().getTime() - mostHours * 3_600_000).toISOString();
  for (const [name, outcome] of outcomes) {
    if (outcome.kind === 'waits' && outcome.since < tooLong)
      outcomes.set(name, { kind: 'failed', because: `its check has not ended after ${mostHours} h` });
  }
  const waiting = done.filter(({ name }) => outcomes.get(name)?.kind === 'waits').length;
  let started = 0;
  for (const { name } of done) {
    if (waiting + started >= atOnce) break;
    if (outcomes.get(name)?.kind === 'done' && (await startCheck(deps, { namespace, name }))) started += 1;
  }
  return waiting + started > 0 ? undefined : outcomes;
}

/** False when its last run was such a check already. It repairs nothing: the next one does, as the manifest says. */
async function startCheck(
  deps: GatePorts,
  key: { readonly namespace: string; readonly name: string },
): Promise<boolean> {
  const manifest = await deps.manifests.head(key);
  if (manifest?.status !== 'Done' || manifest.paused) return false;
  if (manifest.check !== undefined && manifest.stateEdit === undefined) return false;
  const asked = { policy: 'reportAll', reason: 'drift check of a roll-out' } as const;
  await startDriftCheck(deps, manifest, asked).catch((error: unknown) => {
    // Another run was faster: it is waited for.
    if (!isPipelineError(error, 'VersionConflict')) throw error;
  });
  return true;
}
