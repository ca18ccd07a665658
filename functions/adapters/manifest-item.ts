/** A manifest's item in the table, read back: as a whole, or what is left of it. */
import { type ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { ManifestRemains } from '../ports.ts';
import type { Item } from './dynamo-table.ts';
import { readRecord } from './stored-record.ts';

/** With the document that it names. Throws `Unreadable`. */
export function readManifest(item: Item, document: unknown): ManifestRecord {
  return readRecord(ManifestRecord, { ...plainOf(item), document }, { what: nameOf(item), format: item.format });
}

/** What is left of an item that `readManifest` refused for `reason`. */
export function remainsOf(item: Item, reason: string): ManifestRemains {
  const { namespace, name, uid, generation, attempt, runId, deleting, fence, createdAt, updatedAt, lease } =
    plainOf(item);
  const key = keyOf(item);
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
    ...{ uid: '', generation: 0, attempt: 0, document: null, checksum: '', deleting: false, status: 'Failed' },
    ...{ runId: '', lease: null, fence: 0, createdAt: '', updatedAt: '' },
  };
}

/** The lease is flat in the item; keys, index and format are the store's own. */
function plainOf(item: Item): Item {
  const { pk: _pk, sk: _sk, duePartition: _due, format: _format, leaseOwner, leaseExpiresAt, ...plain } = item;
  const lease = leaseOwner === undefined ? null : { owner: leaseOwner, fence: plain.fence, expiresAt: leaseExpiresAt };
  return { ...plain, lease };
}

/** From the key alone: whatever else is lost, it is there. */
function keyOf({ sk }: Item): ManifestKey {
  const [namespace = '', name = ''] = String(sk).split('#');
  return { namespace, name };
}

/** For people. */
export function nameOf(item: Item): string {
  const { namespace, name } = keyOf(item);
  return `manifest ${namespace}/${name}`;
}
