/** A manifest's item in the table, read back: as a whole, or what is left of it. */
import { ManifestHead, type ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { isPipelineError, type PipelineError } from '#domain/errors.ts';
import type { ManifestRemains, StoredManifests } from '../manifest-store.ts';
import type { Item } from './dynamo-table.ts';
import { asFault } from './manifest-errors.ts';
import { readRecord } from './stored-record.ts';

/** Throws `Unreadable`. */
export function readHead(item: Item): ManifestHead {
  return readRecord(ManifestHead, plainOf(item), { what: nameOf(item), format: item.format });
}

/** With its document. Throws `Unreadable`. */
export function readManifest(item: Item, document: unknown): ManifestRecord {
  return readRecord(ManifestRecord, { ...plainOf(item), document }, { what: nameOf(item), format: item.format });
}

/** What is read of a head, or what is left of it when it cannot be. */
export async function orRemains<Read>(head: Item, read: () => Promise<Read>): Promise<Read | ManifestRemains> {
  try {
    return await read();
  } catch (error) {
    if (!isPipelineError(error, 'Unreadable')) throw error;
    return remainsOf(head, error.message);
  }
}

/** A page, with what cannot be read of it apart. */
export function pageOfRead<Read extends ManifestHead>(
  read: readonly (Read | ManifestRemains | undefined)[],
  next: string | undefined,
): StoredManifests<Read> {
  const unreadable = read.flatMap((one) => (one && 'reason' in one ? [one] : []));
  const items = read.flatMap((one) => (one && !('reason' in one) ? [one] : []));
  return { items, unreadable, ...(next === undefined ? {} : { next }) };
}

/** All that can be read, page by page. */
export async function* eachPage<Read extends ManifestHead>(
  pageFrom: (next: string | undefined) => Promise<StoredManifests<Read>>,
): AsyncGenerator<Read> {
  let next: string | undefined;
  do {
    const page = await pageFrom(next);
    yield* page.items;
    next = page.next;
  } while (next !== undefined);
}

/** What is left of an item that `readManifest` refused for `reason`. */
function remainsOf(item: Item, reason: string): ManifestRemains {
  const { namespace, name, uid, generation, attempt, runId, deleting, fence, createdAt, updatedAt, lease } =
    plainOf(item);
  const key = manifestOfItem(item);
  const rest = { document: null, checksum: '', status: 'Failed', deleting: deleting === true };
  const candidate = { namespace, name, uid, generation, attempt, runId, fence, createdAt, updatedAt, lease, ...rest };
  const about = { what: nameOf(item), format: item.format };
  const record = recordIn(candidate, about);
  return { ...key, reason, record: record ?? nothingOf(key), replaceable: record !== undefined };
}

function recordIn(candidate: Item, about: Parameters<typeof readRecord>[2]): ManifestRecord | undefined {
  try {
    return readRecord(ManifestRecord, candidate, about);
  } catch {
    return undefined;
  }
}

function nothingOf(key: ManifestKey): ManifestRecord {
  return {
    ...key,
    uid: '',
    generation: 0,
    attempt: 0,
    document: null,
    checksum: '',
    deleting: false,
    status: 'Failed',
    runId: '',
    lease: null,
    fence: 0,
    createdAt: '',
    updatedAt: '',
  };
}

/** The lease is flat in the item; keys, index, format, names and the place of the document are the store's own. */
function plainOf(item: Item): Item {
  const { pk: _pk, sk: _sk, duePartition: _due, format: _format, document: _document, ...rest } = item;
  const {
    leaseOwner: owner,
    leaseExpiresAt: expiresAt,
    leaseCost: cost,
    names: _names,
    wanted: _wanted,
    ...plain
  } = rest;
  const held = { owner, fence: plain.fence, expiresAt, ...(cost !== undefined && { cost }) };
  return { ...plain, lease: owner === undefined ? null : held };
}

/** From the key alone: whatever else is lost, it is there. */
export function manifestOfItem({ sk }: Item): ManifestKey {
  const [namespace = '', name = ''] = String(sk).split('#');
  return { namespace, name };
}

/** For people. */
export function nameOf(item: Item): string {
  const { namespace, name } = manifestOfItem(item);
  return `manifest ${namespace}/${name}`;
}

/** Those that can be read. Reports the others; throws `Unreadable` for the first of them when there is no one to report to. */
export function readableHeads(
  items: readonly Item[],
  report: ((unreadable: PipelineError) => void) | undefined,
): readonly ManifestHead[] {
  return items.flatMap((item) => {
    try {
      return [readHead(item)];
    } catch (cause) {
      if (report === undefined) throw cause;
      report(asFault(item, cause));
      return [];
    }
  });
}
