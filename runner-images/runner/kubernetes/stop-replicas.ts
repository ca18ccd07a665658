/** Longhorn on a node that leaves: no replica is placed on it any more, and it does not go with the last healthy one of a volume. */
import { z } from 'zod';
import { volumesOnlyOn } from '#domain/healthy-replicas.ts';
import { closedText } from '#domain/observed/closed-texts.ts';
import { KubernetesName, KubernetesTime } from '#domain/observed/kubernetes-texts.ts';
import { complaintsOnly } from '../process.ts';
import { knownStates, type StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { readToolJson } from '../tool-answer.ts';
import type { Kubectl } from './kubectl.ts';
import { isAbsent } from './kubectl-failure.ts';
import { stayingNodes } from './staying-nodes.ts';

const place = ['--namespace=longhorn-system', '--request-timeout=30s'];

const empty = z.literal('');

export const LonghornReplicas = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ deletionTimestamp: KubernetesTime.optional() }).prefault({}),
      spec: z.object({
        volumeName: KubernetesName.or(empty).default(''),
        nodeID: KubernetesName.or(empty).default(''),
        healthyAt: KubernetesTime.or(empty).default(''),
        failedAt: KubernetesTime.or(empty).default(''),
      }),
      /** It is `stopped` while its volume is detached. */
      status: z.object({ currentState: closedText(30, /^[a-z]*$/).default('') }).prefault({}),
    }),
  ),
});

/** True when the cluster has storage of Longhorn, or may have it. */
function hasLonghorn(context: StageContext): boolean {
  return knownStates(context).some(({ storage }) => storage === 'longhorn');
}

/** Before the drain, which would have replicas rebuilt on this very node. Without Longhorn on the node there is nothing to stop. */
export async function stopReplicas(context: StageContext, kubectl: Kubectl, node: string): Promise<void> {
  if (!hasLonghorn(context)) return;
  const patch = [
    'patch',
    'nodes.longhorn.io',
    node,
    ...place,
    '--type=merge',
    '-p',
    '{"spec":{"allowScheduling":false}}',
  ];
  const { code, stderr } = await kubectl.try(patch);
  if (code === 0 || isAbsent(stderr)) return;
  context.log.write('runner', `${node}: Longhorn may still place replicas on it: ${stderr.trim()}`);
}

/** States of a replica in which its data may be lost. */
const doubtful = new Set(['error', 'unknown']);

/** After the drain. Throws `LastReplica` with the volumes that have no other healthy replica on a node that stays. */
export async function refuseLastReplica(context: StageContext, kubectl: Kubectl, node: string): Promise<void> {
  if (!hasLonghorn(context)) return;
  const get = ['get', 'replicas.longhorn.io', ...place, '-o', 'json'];
  const result = await kubectl.try(get, { onLine: complaintsOnly });
  if (result.code !== 0 && isAbsent(result.stderr)) return;
  if (result.code !== 0) throw kubectl.failure('get', result, node);
  const replicas = readToolJson(LonghornReplicas, result.stdout, {
    tool: 'kubectl',
    what: 'its list of replicas of Longhorn',
  }).items.map(({ metadata, spec, status }) => ({
    volume: spec.volumeName,
    node: spec.nodeID,
    healthy: spec.healthyAt !== '',
    failed: spec.failedAt !== '' || metadata.deletionTimestamp !== undefined,
    doubtful: doubtful.has(status.currentState),
  }));
  const alone = volumesOnlyOn(node, replicas, new Set(replicas.map((replica) => replica.node)));
  const volumes = alone.length > 0 ? alone : volumesOnlyOn(node, replicas, await stayingNodes(context, kubectl));
  if (volumes.length === 0) return;
  throw new StageFailure({
    class: 'conflict',
    code: 'LastReplica',
    message: `${node} has the last healthy replica of ${volumes.slice(0, 20).join(', ')}${volumes.length > 20 ? ` and ${volumes.length - 20} more` : ''}: no other one is on a node that is ready and stays, so it is drained and not removed.`,
    resource: node,
    hint: 'See in Longhorn whether other nodes have room for it. A volume that is detached is copied only while it is attached. Or delete the volumes.',
  });
}
