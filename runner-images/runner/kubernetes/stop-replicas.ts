/** Longhorn on a node that leaves: no replica is placed on it any more, and it does not go with the last healthy one of a volume. */
import { z } from 'zod';
import { volumesOnlyOn } from '#domain/healthy-replicas.ts';
import { KubernetesName, KubernetesTime } from '#domain/observed/kubernetes-texts.ts';
import { complaintsOnly } from '../process.ts';
import { knownStates, type StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { readToolJson } from '../tool-answer.ts';
import type { Kubectl } from './kubectl.ts';
import { isAbsent } from './kubectl-failure.ts';

const place = ['--namespace=longhorn-system', '--request-timeout=30s'];

const empty = z.literal('');

export const LonghornReplicas = z.object({
  items: z.array(
    z.object({
      spec: z.object({
        volumeName: KubernetesName.or(empty).default(''),
        nodeID: KubernetesName.or(empty).default(''),
        healthyAt: KubernetesTime.or(empty).default(''),
        failedAt: KubernetesTime.or(empty).default(''),
      }),
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

/** After the drain. Throws `LastReplica` with the volumes that have no other healthy replica. */
export async function refuseLastReplica(context: StageContext, kubectl: Kubectl, node: string): Promise<void> {
  if (!hasLonghorn(context)) return;
  const get = ['get', 'replicas.longhorn.io', ...place, '-o', 'json'];
  const result = await kubectl.try(get, { onLine: complaintsOnly });
  if (result.code !== 0 && isAbsent(result.stderr)) return;
  if (result.code !== 0) throw kubectl.failure('get', result, node);
  const replicas = readToolJson(LonghornReplicas, result.stdout, {
    tool: 'kubectl',
    what: 'its list of replicas of Longhorn',
  }).items.map(({ spec }) => ({
    volume: spec.volumeName,
    node: spec.nodeID,
    healthy: spec.healthyAt !== '',
    failed: spec.failedAt !== '',
  }));
  const volumes = volumesOnlyOn(node, replicas);
  if (volumes.length === 0) return;
  throw new StageFailure({
    class: 'conflict',
    code: 'LastReplica',
    message: `${node} has the last healthy replica of ${volumes.slice(0, 20).join(', ')}${volumes.length > 20 ? ` and ${volumes.length - 20} more` : ''}: it is drained and not removed.`,
    resource: node,
    hint: 'Kubeloom retries automatically until the data is elsewhere: see in Longhorn whether other nodes have room for it; or delete the volumes.',
  });
}
