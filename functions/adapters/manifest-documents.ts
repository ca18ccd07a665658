/**
 * The documents of manifests: an item for each generation, so that a lease or a status is a write of the small head alone. Releases
 * before 0.2.0 kept the newest document in the head (`document`); the next write of its version moves it.
 */
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { DynamoTable, Item, Write } from './dynamo-table.ts';
import { documentPrefix, type LargeDocuments } from './large-documents.ts';
import { manifestOfItem, nameOf } from './manifest-item.ts';
import { unreadable } from './stored-record.ts';
import { documentItem } from './table-keys.ts';

/** Documents of so many generations before the newest are kept. */
const keptGenerations = 10;

export class ManifestDocuments {
  readonly #table: DynamoTable;
  readonly #large: LargeDocuments;

  constructor(table: DynamoTable, large: LargeDocuments) {
    this.#table = table;
    this.#large = large;
  }

  /** Stores that of a new generation, and removes the one that is too old by then. */
  async store({ namespace, name, generation, document, checksum, origin }: ManifestRecord): Promise<readonly Write[]> {
    const key = { namespace, name };
    const kept = await this.#large.keep(documentPrefix(namespace, name), document);
    const tooOld = generation - keptGenerations - 1;
    return [
      { put: { ...documentItem(key, generation), document: kept, checksum, origin } },
      ...(tooOld < 1 ? [] : [{ remove: documentItem(key, tooOld) }]),
    ];
  }

  /** Moves it out of a head of an earlier release. */
  move(head: Item): Write {
    const { document, checksum, origin } = head;
    return { put: { ...itemOf(head), document, checksum, origin } };
  }

  /** Removes all that there are when this is the newest generation. */
  remove(key: ManifestKey, generation: number): readonly Write[] {
    const oldest = Math.max(1, generation - keptGenerations);
    return Array.from({ length: generation - oldest + 1 }, (_, place) => ({
      remove: documentItem(key, oldest + place),
    }));
  }

  /** The document of a head, shared and never to be changed; undefined when it is not there any more. Throws `Unreadable`. */
  async of(head: Item): Promise<{ readonly document: unknown } | undefined> {
    const item = isWhole(head) ? head : await this.#table.get(itemOf(head));
    return item && this.#read(head, item);
  }

  /** The same for many, in few requests. */
  async ofAll(heads: readonly Item[]): Promise<(head: Item) => ReturnType<ManifestDocuments['of']>> {
    const items = await this.#table.getAll(heads.filter((head) => !isWhole(head)).map(itemOf));
    const byPartition = new Map(items.map((item) => [item.pk, item]));
    return async (head) => {
      const item = isWhole(head) ? head : byPartition.get(itemOf(head).pk);
      return item && this.#read(head, item);
    };
  }

  /** A manifest that was deleted and created again has other documents under the same numbers. */
  async #read(head: Item, item: Item): Promise<{ readonly document: unknown } | undefined> {
    if (item.checksum !== head.checksum) return undefined;
    return { document: await this.#large.readShared(item.document, nameOf(head)) };
  }
}

/** The error for a head whose document is missing. */
export function documentMissing(head: Item): Error {
  return unreadable(nameOf(head), `the document of its generation ${head.generation} is missing`);
}

/** Written by an earlier release: with its document. */
export const isWhole = (head: Item): boolean => head.document !== undefined;

const itemOf = (head: Item) => documentItem(manifestOfItem(head), Number(head.generation));
