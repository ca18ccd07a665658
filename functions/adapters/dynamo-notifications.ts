/** `NotificationStore` on DynamoDB: all of them in one partition. */
import { type NotificationKey, NotificationRecord } from '#contracts/notifications.ts';
import { PipelineError } from '#domain/errors.ts';
import type { NotificationStore } from '../ports.ts';
import { followsStored, type Item, itemsIn, TableStore } from './dynamo-table.ts';
import { readableOnes, readJsonRecord } from './stored-record.ts';
import { manifestsOf, notificationItem, notifications } from './table-keys.ts';

export class DynamoNotifications extends TableStore implements NotificationStore {
  async get(key: NotificationKey): Promise<NotificationRecord | undefined> {
    const item = await this.table.get(notificationItem(key));
    return item && read(item);
  }

  async list(namespace?: string): Promise<readonly NotificationRecord[]> {
    const prefix = namespace === undefined ? undefined : manifestsOf(namespace);
    return readableOnes(await this.table.queryAll(itemsIn(notifications, prefix)), read);
  }

  async put(record: NotificationRecord): Promise<void> {
    const { version, namespace, name } = record;
    const item = { ...notificationItem(record), version, record: JSON.stringify(record) };
    if (await this.table.put(item, followsStored('version', version))) return;
    const message = `Notification "${namespace}/${name}" was changed by someone else meanwhile; read it again`;
    throw new PipelineError('VersionConflict', message);
  }

  async remove(key: NotificationKey): Promise<void> {
    await this.table.remove(notificationItem(key));
  }
}

function read({ sk, record, format }: Item): NotificationRecord {
  const [namespace, name] = String(sk).split('#');
  return readJsonRecord(NotificationRecord, record, { what: `Notification ${namespace}/${name}`, format });
}
