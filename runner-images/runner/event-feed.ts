/** Sends a stage's events in order, without the tools having to wait and without ever failing the stage. */
import type { NewEvent } from '#contracts/records.ts';
import type { RunWork } from '#contracts/stage.ts';
import { levelOf, type Reported, type StageStart } from '#domain/event-kinds.ts';
import { nameOfCluster } from '#domain/naming.ts';
import { printableText } from '#domain/observed/printable-text.ts';
import type { RunnerPorts } from '#functions/rights/runner-rights.ts';
import type { SecretMask } from './secret-mask.ts';
import type { ClusterContext, StageEvent } from './stage-context.ts';

/** Characters; the log has the rest. */
const longestMessage = 4000;

export interface JobEventFeed {
  emit(event: StageEvent | Reported<StageStart>): void;
  /** Resolves once every event is stored or dropped. */
  close(): Promise<void>;
}

/** An event feed for one job on a cluster. */
export function openEventFeed(
  ports: Pick<RunnerPorts, 'events' | 'clock'>,
  about: { document: ClusterContext['document']; stage: RunWork; tried?: Pick<NewEvent, 'waypoint' | 'attempt'> },
  mask: SecretMask,
): JobEventFeed {
  const { document, stage, tried } = about;
  const key = { namespace: document.namespace, name: document.manifest };
  let waiting: NewEvent[] = [];
  let sending: Promise<void> | undefined;
  let lastAt = 0;

  const send = async (): Promise<void> => {
    while (waiting.length > 0) {
      const events = waiting;
      waiting = [];
      await ports.events.append(key, events).catch(() => undefined);
    }
    sending = undefined;
  };
  return {
    emit(event) {
      // Events are ordered by their time: two of the same millisecond would share one place.
      lastAt = Math.max(ports.clock.now().getTime(), lastAt + 1);
      waiting.push({
        at: new Date(lastAt).toISOString(),
        runId: document.runId,
        level: levelOf(event),
        kind: event.kind,
        cluster: nameOfCluster(document.cluster),
        stage,
        ...tried,
        ...(event.node === undefined ? {} : { node: event.node }),
        // It may quote what a machine or a tool said.
        message: printableText(mask.hide(event.message), longestMessage),
      });
      sending ??= send();
    },
    close: async () => sending,
  };
}
