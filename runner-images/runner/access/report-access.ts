/** Who was given access to what, as an event of the manifest: access that cannot be reported is not given. */
import { levelOf } from '#domain/event-kinds.ts';
import type { AnswerContext } from '../answer-question.ts';

interface Place {
  readonly namespace: string;
  readonly manifest: string;
  readonly clusterName: string;
}

export async function reportAccess({ ports }: AnswerContext, place: Place, message: string): Promise<void> {
  const kind = 'AccessGiven' as const;
  const at = ports.clock.now().toISOString();
  const event = { at, runId: '', kind, level: levelOf({ kind }), cluster: place.clusterName, message };
  await ports.events.append({ namespace: place.namespace, name: place.manifest }, [event]);
}
