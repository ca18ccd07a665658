/** Forgets a manifest with a part that cannot be read: no run could plan for it, so it is removed by its key alone. */
import type { LeftBehind } from '#contracts/api-bodies.ts';
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import { leftBehind } from '../pipeline/manifests/orphan-manifest.ts';
import { storedOrRemains, wayOut } from '../pipeline/manifests/stored-manifest.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { remainsWithout } from './views/unreadable-manifest.ts';

type Ports = Pick<ApiPorts, 'manifests' | 'clusters'>;

/** What is left of a manifest that cannot be deleted by a run; undefined when a run can, or when there is none. */
export async function undeletable(
  deps: Ports,
  key: ManifestKey,
): Promise<Awaited<ReturnType<ApiPorts['manifests']['remainsOf']>>> {
  const found = await storedOrRemains(deps, key);
  if (found === undefined || 'reason' in found) return found;
  try {
    await deps.clusters.list(key);
    return undefined;
  } catch (error) {
    return remainsWithout(found, error);
  }
}

/** Removes everything that is stored of it. Returns what is known of the resources that keep running. */
export async function discardManifest(
  deps: Ports & Pick<ApiPorts, 'artifacts' | 'workflows'>,
  key: ManifestKey,
  { lease }: ManifestRecord,
): Promise<readonly LeftBehind[]> {
  // A run that is under way would write into what is forgotten.
  if (lease) await deps.workflows.stop(lease.owner, 'the manifest is forgotten');
  const left = await leftOf(deps, key);
  await deps.clusters.discard(key);
  await deps.manifests.discard(key);
  return left;
}

/** Throws `Unreadable` that says how to go on, for everything but forgetting it as a whole. */
export function refuseUnlessForgotten(remains: Parameters<typeof wayOut>[0], orphans: unknown): void {
  if (orphans !== 'all') throw new PipelineError('Unreadable', wayOut(remains));
}

async function leftOf(
  deps: Pick<ApiPorts, 'clusters' | 'artifacts'>,
  key: ManifestKey,
): Promise<readonly LeftBehind[]> {
  try {
    return await leftBehind(deps, key, { clusters: await deps.clusters.list(key), orphans: 'all' });
  } catch (error) {
    if (!isPipelineError(error, 'Unreadable')) throw error;
    const states = await deps.artifacts.list(`terraform/${key.namespace}/${key.name}/`);
    const terraformStates = states.map((state) => state.key);
    return [{ cluster: '(unreadable)', nodes: [], loadBalancers: [], terraformStates }];
  }
}
