/**
 * DNS names of manifests: an item for each, which is written together with the document that claims it. The head of a manifest lists
 * those that it has (`names`) and those of its newest document (`wanted`); the difference is released once that is reached.
 */
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { claimedNames } from '#domain/manifest/values/claimed-names.ts';
import type { Condition, DynamoTable, Item, Write } from './dynamo-table.ts';
import { manifestOfItem } from './manifest-item.ts';
import { type ItemKey, manifestItem, nameItem } from './table-keys.ts';

/** Every manifest that is stored has claimed its names since this was written. */
const allClaimed = nameItem('#claimed');

/** So many are released at once; the rest of a transaction is for the head and its documents. */
const mostAtOnce = 80;

export class NameClaims {
  readonly #table: DynamoTable;
  #claimed: Promise<void> | undefined;

  constructor(table: DynamoTable) {
    this.#table = table;
  }

  async ownersOf(names: readonly string[]): Promise<ReadonlyMap<string, ManifestKey>> {
    const items = names.length === 0 ? [] : await this.#table.getAll(names.map(nameItem));
    return new Map(items.map((item) => [String(item.sk), manifestOfItem({ sk: item.owner })]));
  }

  /** Claims the names of documents that earlier releases stored, once in an installation; of two that have one name, the first. */
  claimStored(records: () => AsyncIterable<ManifestRecord>): Promise<void> {
    this.#claimed ??= this.#claimAll(records).catch((cause: unknown) => {
      this.#claimed = undefined;
      throw cause;
    });
    return this.#claimed;
  }

  async #claimAll(records: () => AsyncIterable<ManifestRecord>): Promise<void> {
    if (await this.#table.get(allClaimed)) return;
    for await (const record of records()) for (const claim of claimsOf(record)) await this.#claimLater(record, claim);
    await this.#table.put({ ...allClaimed });
  }

  /** One that another has is left to it; a version that was stored meanwhile claims its own names. */
  async #claimLater(record: ManifestRecord, claim: NameClaim): Promise<void> {
    const { generation, attempt } = record;
    const { wanted, added } = namesOfChange(record);
    const update = {
      update: manifestItem(record),
      change: {
        expression: `SET #wanted = :wanted${added.expression}`,
        values: { ':wanted': wanted.wanted, ':names': new Set([claim.put.sk]) },
      },
      condition: {
        expression: '#generation = :generation AND #attempt = :attempt',
        values: { ':generation': generation, ':attempt': attempt },
      },
    };
    await this.#table.writeTogether([update, claim]);
  }

  /** Throws `NameTaken` if others have names of the record: why a write of its claims was refused. */
  async refuseTaken(record: ManifestRecord): Promise<void> {
    const owners = await this.ownersOf(namesOf(record));
    const taken = [...owners].filter(([, owner]) => ownerOf(owner) !== ownerOf(record));
    if (taken.length === 0) return;
    const names = taken.map(([name]) => `"${name}"`).join(', ');
    throw new PipelineError('NameTaken', `${names}: taken by another manifest; nothing was changed; use another name`);
  }

  /** Releases what the head has, its document does not want any more and nothing serves, unless a newer version was stored. */
  async releaseLeft(head: Item, served: readonly string[] = []): Promise<void> {
    const wanted = new Set([...textsOf(head.wanted), ...served]);
    const left = textsOf(head.names).filter((name) => !wanted.has(name));
    const seen = { ':generation': head.generation, ':attempt': head.attempt };
    for (let from = 0; from < left.length; from += mostAtOnce) {
      const some = left.slice(from, from + mostAtOnce);
      const update = {
        update: manifestItem(manifestOfItem(head)),
        change: { expression: 'DELETE #names :left', values: { ':left': new Set(some) } },
        condition: { expression: '#generation = :generation AND #attempt = :attempt', values: seen },
      };
      if (!(await this.#table.writeTogether([update, ...(await this.#removals(head, some))]))) return;
    }
  }

  /** What releases all that a head has together with its removal. A head that has too many releases the others at once. */
  async removalsOf(head: Item | undefined): Promise<readonly Write[]> {
    if (head === undefined) return [];
    const names = textsOf(head.names);
    const many = names.slice(mostAtOnce);
    await Promise.all((await this.#removals(head, many)).map(({ remove }) => this.#table.remove(remove)));
    return this.#removals(head, names.slice(0, mostAtOnce));
  }

  /** No one else takes a name while it is claimed. */
  async #removals(head: Item, names: readonly string[]): Promise<readonly { readonly remove: ItemKey }[]> {
    const owners = await this.ownersOf(names);
    const own = ownerOf(manifestOfItem(head));
    return [...owners].flatMap(([name, owner]) => (ownerOf(owner) === own ? [{ remove: nameItem(name) }] : []));
  }
}

interface NameClaim {
  readonly put: ItemKey & Item;
  readonly condition: Condition;
}

/** The writes that claim the names of a record, each of which is refused when another manifest has it. */
export function claimsOf(record: ManifestRecord): readonly NameClaim[] {
  const owner = ownerOf(record);
  const condition = { expression: 'attribute_not_exists(#pk) OR #owner = :owner', values: { ':owner': owner } };
  return namesOf(record).map((name) => ({ put: { ...nameItem(name), owner }, condition }));
}

/** What a new head has of them. */
export function namesInHead(record: ManifestRecord): Item {
  const names = namesOf(record);
  return names.length === 0 ? {} : { names: new Set(names), wanted: new Set(names) };
}

/** What a new document of it changes in its head: earlier names stay. */
export function namesOfChange(record: ManifestRecord): { readonly wanted: Item; readonly added: Condition } {
  const names = namesOf(record);
  const set = names.length === 0 ? undefined : new Set(names);
  const added = set ? { expression: ' ADD #names :names', values: { ':names': set } } : { expression: '' };
  return { wanted: { wanted: set }, added };
}

/** A manifest that is deleting keeps the names that it has and takes none. */
const namesOf = ({ document, deleting }: ManifestRecord): readonly string[] => (deleting ? [] : claimedNames(document));

const ownerOf = ({ namespace, name }: ManifestKey): string => `${namespace}#${name}`;

const textsOf = (set: unknown): readonly string[] => (set instanceof Set ? [...set].map(String) : []);
