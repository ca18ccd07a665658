/** `RoleBindingStore` on DynamoDB. What was read serves for a few seconds: every request asks for it. */
import { PipelineError } from '#domain/errors.ts';
import { parseJson } from '#domain/json.ts';
import { RoleBinding } from '#domain/manifest/role-binding.ts';
import type { RoleBindingStore } from '../ports.ts';
import { type DynamoTable, itemsIn, TableStore } from './dynamo-table.ts';
import { roleBindingItem, roleBindings } from './table-keys.ts';

export class DynamoRoleBindings extends TableStore implements RoleBindingStore {
  readonly #freshForMs: number;
  #read: { readonly at: number; readonly documents: Promise<readonly RoleBinding[]> } | undefined;

  /** @param freshForMs A revoked role has no effect anywhere after this time. */
  constructor(table: DynamoTable, freshForMs = 5_000) {
    super(table);
    this.#freshForMs = freshForMs;
  }

  list(): Promise<readonly RoleBinding[]> {
    const now = performance.now();
    if (this.#read === undefined || now - this.#read.at >= this.#freshForMs) {
      const documents = this.#query();
      this.#read = { at: now, documents };
      documents.catch(() => {
        this.#read = undefined;
      });
    }
    return this.#read.documents;
  }

  async put(binding: RoleBinding): Promise<void> {
    await this.table.put({ ...roleBindingItem(binding.metadata.name), document: JSON.stringify(binding) });
    this.#read = undefined;
  }

  async remove(name: string): Promise<void> {
    const gone = await this.table.remove(roleBindingItem(name), { expression: 'attribute_exists(#pk)' });
    this.#read = undefined;
    if (!gone) throw new PipelineError('NotFound', `there is no RoleBinding "${name}"`);
  }

  async #query(): Promise<readonly RoleBinding[]> {
    const items = await this.table.queryAll(itemsIn(roleBindings));
    return items.flatMap(({ document }) => strictly(document) ?? []);
  }
}

/**
 * Unlike other records, unknown fields are not ignored: one that a newer version wrote may narrow the role. A binding that
 * cannot be read gives no role to anyone, and takes none from the subjects of others.
 */
function strictly(document: unknown): RoleBinding | undefined {
  return RoleBinding.safeParse(parseJson(String(document))).data;
}
