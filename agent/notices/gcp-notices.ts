/** Notices of Google Cloud: preemption of spot machines (30 s before), and maintenance of hosts (60 s before; an hour with a GPU). */
import { z } from 'zod';
import type { Notice } from '#domain/node-notice.ts';
import { type AskMetadata, answeredText } from './metadata-service.ts';

const headers = { 'Metadata-Flavor': 'Google' };
/** It has so long from its notice on. */
const preemptionMs = 30_000;
const Preempted = z.enum(['TRUE', 'FALSE']);
/** A machine that cannot be moved is stopped, and started again by the cloud: a spot machine that is stopped is `preempted`, too. */
const MaintenanceEvent = z.enum(['NONE', 'MIGRATE_ON_HOST_MAINTENANCE', 'TERMINATE_ON_HOST_MAINTENANCE']);

/** All notices there are now; throws when that is not known. The cloud only warns of maintenance who asks for it regularly. */
export function gcpNotices(ask: AskMetadata, now: () => Date): () => Promise<readonly Notice[]> {
  const read = async <Shape extends z.ZodType>(item: string, shape: Shape): Promise<z.infer<Shape>> => {
    const answer = await ask(`/computeMetadata/v1/instance/${item}`, { headers });
    if (answer.headers.get('metadata-flavor') !== 'Google') throw new Error(`${item}: another service answers`);
    return shape.parse(answeredText(answer, item).trim());
  };
  return async () => {
    const preempted = await read('preempted', Preempted);
    const maintenance = await read('maintenance-event', MaintenanceEvent);
    return [
      ...(preempted === 'TRUE'
        ? [{ kind: 'ends' as const, by: new Date(now().getTime() + preemptionMs).toISOString() }]
        : []),
      ...(maintenance === 'TERMINATE_ON_HOST_MAINTENANCE' ? [{ kind: 'returns' as const }] : []),
      ...(maintenance === 'MIGRATE_ON_HOST_MAINTENANCE' ? [{ kind: 'pauses' as const }] : []),
    ];
  };
}
