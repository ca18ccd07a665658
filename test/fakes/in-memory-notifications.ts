/** `NotificationStore` in memory. */
import { type NotificationKey, NotificationRecord } from '#contracts/notifications.ts';
import { PipelineError } from '#domain/errors.ts';
import type { NotificationStore } from '#functions/ports.ts';

const idOf = ({ namespace, name }: NotificationKey): string => `${namespace}#${name}`;

export class InMemoryNotifications implements NotificationStore {
  readonly #records = new Map<string, NotificationRecord>();

  async get(key: NotificationKey): Promise<NotificationRecord | undefined> {
    return structuredClone(this.#records.get(idOf(key)));
  }

  async list(namespace?: string): Promise<readonly NotificationRecord[]> {
    const ids = [...this.#records.keys()].filter((id) => namespace === undefined || id.startsWith(`${namespace}#`));
    return structuredClone(ids.sort().flatMap((id) => this.#records.get(id) ?? []));
  }

  async put(record: NotificationRecord): Promise<void> {
    const stored = this.#records.get(idOf(record))?.version ?? 0;
    if (stored !== record.version - 1)
      throw new PipelineError('VersionConflict', `${record.name} is version ${stored}`);
    this.#records.set(idOf(record), structuredClone(NotificationRecord.parse(record)));
  }

  async remove(key: NotificationKey): Promise<void> {
    this.#records.delete(idOf(key));
  }
}
