/** What writes change of the head of a manifest. */
import type { ManifestHead, ManifestRecord, ManifestStatus } from '#contracts/records.ts';
import { noCost } from '#domain/prices/money.ts';
import type { SettledWith } from '../manifest-store.ts';
import { assigned, assignments, attributeNames } from './dynamo-expressions.ts';
import type { Condition, Item } from './dynamo-table.ts';
import { namesInHead, namesOfChange } from './name-claims.ts';
import { recordFormat } from './stored-record.ts';
import { manifestItem, partitionOf } from './table-keys.ts';

/** What `replace` takes of a record, or removes where that has none. */
const taken = [
  ...(['origin', 'generation', 'attempt', 'status', 'runId', 'deleting', 'updatedAt', 'dueAt', 'plan'] as const),
  ...([
    'retryFrom',
    'debug',
    'retries',
    'orphans',
    'templates',
    'templateSecrets',
    'templatesSeen',
    'behind',
    'taking',
    'templatesAsked',
    'planes',
    'check',
    'stateEdit',
  ] as const),
  ...(['acceptedCost', 'remindedAt', 'failed'] as const),
] as const;

/** The head of a manifest that is new. */
export function createdHead(record: ManifestRecord): Item {
  const { lease, document: _document, dueAt, ...plain } = record;
  return {
    ...manifestItem(record),
    ...plain,
    format: recordFormat,
    ...(dueAt !== undefined && { duePartition: partitionOf(record.status), dueAt }),
    ...(lease && { leaseOwner: lease.owner, leaseExpiresAt: lease.expiresAt, leaseCost: lease.cost }),
    ...namesInHead(record),
  };
}

/**
 * `withChecksum`: it comes with its document, and the same in both says that they belong together; so do the names in the document. `isWhole`:
 * as an earlier release wrote it.
 */
export function replaced(
  record: ManifestHead | ManifestRecord,
  { withChecksum, isWhole }: { readonly withChecksum: boolean; readonly isWhole: boolean },
): Condition {
  const { checksum, status, dueAt, checks } = record;
  const { wanted, added } = withChecksum && 'document' in record ? namesOfChange(record) : noNames;
  const change = assigned({
    ...Object.fromEntries(taken.map((field) => [field, record[field]])),
    format: recordFormat,
    ...(checks !== undefined && { checks }),
    ...(withChecksum && { checksum }),
    duePartition: dueAt === undefined ? undefined : partitionOf(status),
    ...(isWhole && { document: undefined }),
    ...wanted,
  });
  return { expression: `${change.expression}${added.expression}`, values: { ...change.values, ...added.values } };
}

const noNames: ReturnType<typeof namesOfChange> = { wanted: {}, added: { expression: '' } };

/** The holder of the lease leads to what is accepted at this moment. */
export function started(status: 'Running' | 'Deleting', at: string): Condition {
  const values = { status, updatedAt: at };
  return {
    expression: `${assignments(values)}, #leaseCost = if_not_exists(#acceptedCost, :nothing)`,
    values: attributeNames({ ...values, nothing: noCost }),
  };
}

export function settled(
  status: ManifestStatus,
  at: string,
  { dueAt, failed, acceptedCost, templatesAsked }: SettledWith,
): Condition {
  return assigned({
    status,
    updatedAt: at,
    leaseOwner: undefined,
    leaseExpiresAt: undefined,
    leaseCost: undefined,
    dueAt,
    failed,
    duePartition: dueAt === undefined ? undefined : partitionOf(status),
    ...(status === 'Done' && { retries: undefined }),
    ...(acceptedCost && { acceptedCost }),
    ...(templatesAsked && { templatesAsked }),
  });
}
