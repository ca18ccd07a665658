/** Two roll-outs that touch one cluster never run at once: each claims its clusters before it does anything. */
import type { RollOutRecord } from '#contracts/roll-outs.ts';
import { PipelineError } from '#domain/errors.ts';
import { isEnded } from '#domain/roll-out/roll-out.ts';
import { listed } from '#domain/words.ts';
import type { Using } from '../../ports.ts';
import { retryOnConflict } from '../../retry-on-conflict.ts';

/** A claim without its roll-out is of a start that failed; by then it would have been stored. */
const abandonedAfterMs = 15 * 60_000;

type Ports = Using<'rollOuts.claims' | 'rollOuts.putClaims' | 'rollOuts.get' | 'clock'>;

/** Throws `InUse` with the roll-out that has one of them. Claims of roll-outs that ended are dropped. */
export async function claimClusters(
  deps: Ports,
  { namespace, id, clusters }: Pick<RollOutRecord, 'namespace' | 'id' | 'clusters'>,
): Promise<void> {
  const names = clusters.map(({ name }) => name);
  await retryOnConflict(async () => {
    const before = await deps.rollOuts.claims(namespace);
    const others = [];
    for (const claim of before.claims) {
      if (claim.id !== id && (await isLive(deps, namespace, claim))) others.push(claim);
    }
    for (const claim of others) {
      const common = claim.clusters.filter((name) => names.includes(name));
      if (common.length === 0) continue;
      const way = `wait for it, or resume, undo or cancel it (kubeloom rollout describe ${claim.id} -n ${namespace})`;
      throw new PipelineError('InUse', `roll-out ${claim.id} works on ${listed(common)}: ${way}; nothing was changed`);
    }
    const claims = [...others, { id, at: deps.clock.now().toISOString(), clusters: names }];
    await deps.rollOuts.putClaims({ namespace, version: before.version + 1, claims });
  });
}

/** For a roll-out that will not be. */
export async function releaseClusters(
  deps: Using<'rollOuts.claims' | 'rollOuts.putClaims'>,
  { namespace, id }: Pick<RollOutRecord, 'namespace' | 'id'>,
): Promise<void> {
  await retryOnConflict(async () => {
    const { version, claims } = await deps.rollOuts.claims(namespace);
    const others = claims.filter((claim) => claim.id !== id);
    if (others.length < claims.length)
      await deps.rollOuts.putClaims({ namespace, version: version + 1, claims: others });
  });
}

async function isLive(
  deps: Ports,
  namespace: string,
  { id, at }: { readonly id: string; readonly at: string },
): Promise<boolean> {
  const record = await deps.rollOuts.get({ namespace, id });
  if (record) return !isEnded(record);
  return deps.clock.now().getTime() - Date.parse(at) < abandonedAfterMs;
}
