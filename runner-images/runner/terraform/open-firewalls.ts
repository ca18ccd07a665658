/**
 * Firewalls of clouds allow only current nodes: addresses of machines are known only once they are created, so the
 * networks of all instances whose firewall was set for other nodes are applied once more, and nothing else of them.
 */
import { z } from 'zod';
import { allPools, type ClusterState, type ProviderInstance } from '#domain/cluster-state.ts';
import { assessStageFailure } from '#domain/failure-policy.ts';
import { observedWords } from '#domain/observed/closed-texts.ts';
import { dynamicPoolsOf, placesOf } from '#rendering/machines-root.ts';
import { peerCidrs } from '#rendering/peer-cidrs.ts';
import { networkModule, stateKeyOf } from '#rendering/terraform-names.ts';
import { settleBounded, unwrap } from '../bounded.ts';
import { ensurePoolKey } from '../ssh-keys.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { readToolJson } from '../tool-answer.ts';
import type { ChangeCounts } from './change-reporter.ts';
import type { ToApply } from './change-workspace.ts';
import { machinesJob, publicKeysOf } from './machines-job.ts';
import { providerFiles } from './templates/provider-files.ts';

type FirewallContext = StageContext<'secrets.get' | 'secrets.create'>;

/** The fields that are read from a Terraform state (version 4). */
const KeptState = z.object({
  outputs: z.object({ peer_cidrs: z.object({ value: z.array(observedWords(50)) }).optional() }).optional(),
});

/**
 * Applies them. `visited`: instances that this stage has work in. Of others a failure that a retry would not fix is
 * reported and left to the next change: nodes on both ends of the mesh dial, so the mesh works without it.
 */
export async function openFirewalls(
  context: FirewallContext,
  { target, open }: ToApply,
  visited: ReadonlySet<string>,
): Promise<readonly ChangeCounts[]> {
  if (target === null) return [];
  const peers = peerCidrs(target, context.facts.current);
  const instances = instancesOf(target);
  const outcomes = await settleBounded(instances, context.runner.workspacesAtOnce, async (provider) =>
    (await isOutdated(context, target, provider, peers))
      ? [await openFirewall(context, { target, open }, provider.name)]
      : [],
  );
  const judged = outcomes.filter((outcome, index) => {
    const name = instances[index]?.name ?? '';
    if (outcome.status === 'fulfilled' || visited.has(name) || !isForGood(context, outcome.reason)) return true;
    const message = `the firewall of ${name} could not be updated for new and removed nodes: ${outcome.reason.error.message}; Kubeloom retries with the next change of machines`;
    context.emit({ kind: 'FirewallOutdated', message });
    return false;
  });
  return unwrap(judged).flat();
}

function instancesOf(state: ClusterState): readonly ProviderInstance[] {
  const providers = allPools(state).flatMap(({ source }) => (source.kind === 'dynamic' ? [source.provider] : []));
  return [...new Map(providers.map((provider) => [provider.name, provider])).values()];
}

async function isOutdated(
  context: FirewallContext,
  { id: clusterId }: ClusterState,
  provider: ProviderInstance,
  peers: readonly string[],
): Promise<boolean> {
  const { namespace, manifest } = context.document;
  const key = stateKeyOf({ namespace, manifest, clusterId, kind: 'machines', name: provider.name });
  const text = await context.ports.artifacts.getText(key);
  // Nothing of it exists.
  if (text === undefined || (await providerFiles(context, provider)).template.firewall !== 'cloud') return false;
  const known = readToolJson(KeptState, text, { tool: 'terraform', what: `the state ${key}`, resource: provider.name })
    .outputs?.peer_cidrs?.value;
  return known?.join() !== peers.join();
}

async function openFirewall(
  context: FirewallContext,
  { target, open }: ToApply & { readonly target: ClusterState },
  name: string,
): Promise<ChangeCounts> {
  const places = placesOf(dynamicPoolsOf(target, name));
  const only = places.map(({ region, templates }) => `module.${networkModule(region, templates)}`);
  const publicKeys = await publicKeysOf(target, name, (...pool) => ensurePoolKey(context, ...pool));
  const job = machinesJob(context, name, { state: target, publicKeys });
  const { counts } = await (await open({ ...job, only })).apply();
  context.emit({
    kind: 'FirewallUpdated',
    message: `firewall of ${name} updated: only current cluster nodes are allowed`,
  });
  return counts;
}

function isForGood({ attempt, ports }: StageContext, reason: unknown): reason is StageFailure {
  if (!(reason instanceof StageFailure) || reason.error.code === 'StageCancelled') return false;
  return assessStageFailure({ ...reason.error, attempt, config: ports.config }).outcome === 'failed';
}
