/** Refuses to switch storage off while volumes of it exist: nothing would serve them, or notice when they are lost. */
import { z } from 'zod';
import { closedText } from '#domain/observed/closed-texts.ts';
import { KubernetesName } from '#domain/observed/kubernetes-texts.ts';
import type { Kubectl } from '../kubernetes/kubectl.ts';
import { complaintsOnly } from '../process.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { readToolJson } from '../tool-answer.ts';

const driver = 'driver.longhorn.io';

export const PersistentVolumes = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: KubernetesName }),
      spec: z.object({
        csi: z.object({ driver: closedText(253, /^[\w.-]+$/) }).optional(),
        claimRef: z.object({ namespace: KubernetesName, name: KubernetesName }).optional(),
      }),
    }),
  ),
});

/** Throws `StorageInUse` with the list. Other ends of the waypoint had storage, the target has none. */
export async function refuseStorageInUse({ target, others }: StageContext, kubectl: Kubectl): Promise<void> {
  if (target === null || target.storage !== undefined || !others.some(({ storage }) => storage !== undefined)) return;
  const args = ['get', 'persistentvolumes', '-o', 'json', '--request-timeout=30s'];
  const { stdout } = await kubectl.run(args, { onLine: complaintsOnly });
  const used = readToolJson(PersistentVolumes, stdout, { tool: 'kubectl', what: 'its list of volumes' }).items.filter(
    ({ spec }) => spec.csi?.driver === driver,
  );
  if (used.length === 0) return;
  const names = used.map(({ metadata, spec }) => {
    const claim = spec.claimRef === undefined ? 'no claim' : `${spec.claimRef.namespace}/${spec.claimRef.name}`;
    return `${metadata.name} (${claim})`;
  });
  const shown = names.slice(0, 20).join(', ');
  const more = names.length > 20 ? ` and ${names.length - 20} more` : '';
  throw new StageFailure({
    class: 'user',
    code: 'StorageInUse',
    message: `Storage is not switched off: ${used.length} volumes of Longhorn exist: ${shown}${more}.`,
    resource: 'storage',
    hint: 'Move the data and delete these claims and volumes, then retry; or set storage to "longhorn" again.',
  });
}
