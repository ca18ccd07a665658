/** The documents of an inventory that a roll-out stores, and that its undo gives back. */
import type { InventoryRecord } from '#contracts/inventory.ts';
import { type RollOutDocument, RollOutDocuments, type RollOutRecord, rollOutKeys } from '#contracts/roll-outs.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import { inventoryName } from '#domain/inventory/inventory-documents.ts';
import { sameValue } from '#domain/same-value.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { recordChange } from '../records/audit-event.ts';
import { refuseVerb } from '../records/refuse-verb.ts';
import type { PlannedChange } from './planned-change.ts';

/** Keeps what will be stored, and what is stored now, for the undo. Throws `VersionConflict` when that is not what was planned with. */
export async function keepDocuments(
  deps: ApiPorts,
  { documents }: PlannedChange,
  record: RollOutRecord,
): Promise<readonly RollOutDocument[]> {
  const kept = await Promise.all(
    documents.map(async ({ document, generation }): Promise<RollOutDocument> => {
      const key = { kind: document.kind, name: inventoryName(document) };
      const before = await deps.inventory.get({ ...key, namespace: record.namespace });
      if ((before?.generation ?? 0) !== generation - 1) {
        const message = `${key.kind} ${key.name} was changed meanwhile by another request; plan and start again`;
        throw new PipelineError('VersionConflict', message);
      }
      return { ...key, document, before: before ?? null };
    }),
  );
  await deps.artifacts.putText(rollOutKeys.documents(record), JSON.stringify(kept), 'application/json');
  return kept;
}

/** All of them or none. Throws `VersionConflict` when one was changed meanwhile. */
export async function storeDocuments(
  deps: ApiPorts,
  documents: readonly RollOutDocument[],
  record: RollOutRecord,
  caller: AdmittedCaller,
): Promise<void> {
  const stored: RollOutDocument[] = [];
  try {
    for (const one of documents) {
      const { kind, name, document, before } = one;
      const key = { namespace: record.namespace, kind, name };
      const generation = (before?.generation ?? 0) + 1;
      await deps.inventory.put({ ...key, generation, document, at: deps.clock.now().toISOString(), by: caller.name });
      stored.push(one);
      const what = `${kind} ${name} stored as generation ${generation} for roll-out ${record.id}`;
      await recordChange(deps, record.namespace, what, caller);
    }
  } catch (error) {
    for (const one of stored.filter(({ before }) => before === null)) {
      const key = { namespace: record.namespace, kind: one.kind, name: one.name };
      if (isOurs(one, await deps.inventory.get(key))) await deps.inventory.remove(key);
    }
    await restore(deps, stored, record, caller);
    throw error;
  }
}

/** Throws `VerbRefused` when the roll-out was interrupted before it stored all of them. */
export async function refuseUnstoredDocuments(deps: ApiPorts, record: RollOutRecord): Promise<void> {
  for (const one of await keptDocuments(deps, record)) {
    const stored = await deps.inventory.get({ namespace: record.namespace, kind: one.kind, name: one.name });
    // One that was stored may have been changed since.
    if (isOurs(one, stored) || (stored?.generation ?? 0) > (one.before?.generation ?? 0) + 1) continue;
    const why = `it was interrupted before it stored ${one.kind} ${one.name}; undo or cancel it, and start it again`;
    refuseVerb({ rollOut: record.id }, 'resume', why);
  }
}

/**
 * Those that no one changed since. Versions of templates are never changed, and documents that are new may be in use: both
 * stay. Can be repeated.
 */
export async function restoreDocuments(deps: ApiPorts, record: RollOutRecord, caller: AdmittedCaller): Promise<void> {
  await restore(deps, await keptDocuments(deps, record), record, caller);
}

async function restore(
  deps: ApiPorts,
  documents: readonly RollOutDocument[],
  { namespace, id }: RollOutRecord,
  caller: AdmittedCaller,
): Promise<void> {
  for (const one of documents) {
    const { before } = one;
    if (before === null) continue;
    const stored = await deps.inventory.get({ namespace, kind: one.kind, name: one.name });
    if (stored === undefined || !isOurs(one, stored)) continue;
    const generation = stored.generation + 1;
    try {
      await deps.inventory.put({ ...before, generation, at: deps.clock.now().toISOString(), by: caller.name });
    } catch (error) {
      if (!isPipelineError(error, 'VersionConflict')) throw error;
      continue;
    }
    const what = `${one.kind} ${one.name} stored as generation ${generation}, as before roll-out ${id}`;
    await recordChange(deps, namespace, what, caller);
  }
}

async function keptDocuments(
  deps: Pick<ApiPorts, 'artifacts'>,
  record: RollOutRecord,
): Promise<readonly RollOutDocument[]> {
  const text = await deps.artifacts.getText(rollOutKeys.documents(record));
  return RollOutDocuments.parse(JSON.parse(text ?? '[]'));
}

/** Whether what is stored is what the roll-out stored, and not what someone else did in its place. */
function isOurs({ document, before }: RollOutDocument, stored: InventoryRecord | undefined): boolean {
  return stored?.generation === (before?.generation ?? 0) + 1 && sameValue(stored.document, document);
}
