/** `TemplateReferenceStore` on DynamoDB. */
import type { TemplateReferenceStore } from '../ports.ts';
import { itemsIn, TableStore } from './dynamo-table.ts';
import { templateItem } from './table-keys.ts';

export class DynamoTemplates extends TableStore implements TemplateReferenceStore {
  async get(namespace: string, name: string): Promise<unknown> {
    const item = await this.table.get(templateItem(namespace, name));
    return item && JSON.parse(String(item.document));
  }

  async put(namespace: string, name: string, document: unknown): Promise<void> {
    await this.table.put({ ...templateItem(namespace, name), document: JSON.stringify(document) });
  }

  async remove(namespace: string, name: string): Promise<void> {
    await this.table.remove(templateItem(namespace, name));
  }

  async list(namespace: string): Promise<readonly string[]> {
    const { pk } = templateItem(namespace, '');
    const items = await this.table.queryAll(itemsIn(pk));
    return items.map((item) => String(item.sk));
  }
}
