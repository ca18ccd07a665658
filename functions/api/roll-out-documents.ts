/** The documents of an inventory that a roll-out stores, and that its undo gives back. */
import { InventoryRecord } from '#contracts/inventory.ts';
import { type RollOutRecord, rollOutKeys } from '#contracts/roll-outs.ts';
import { isPipelineError, PipelineError } from '#domain/errors.ts';
import { inventoryName } from '#domain/inventory/inventory-documents.ts';
import type { AdmittedCaller } from '../caller.ts';
import type { ApiPorts } from '../rights/api-uses.ts';
import { recordChange } from './audit-event.ts';
import type { PlannedChange } from './planned-change.ts';

/** Keeps what is stored now, for the undo. */
export async function keepDocumentsBefore(deps: ApiPorts, record: RollOutRecord): Promise<void> {
  const { namespace } = record;
  const found = await Promise.all(record.documents.map((document) => deps.inventory.get({ ...document, namespace })));
  const text = JSON.stringify(found.filter((one) => one !== undefined));
  await deps.artifacts.putText(rollOutKeys.documents(record), text, 'application/json');
}

/** All of them or none. Throws `VersionConflict` when one was changed meanwhile. */
export async function storeDocuments(
  deps: ApiPorts,
  { documents }: PlannedChange,
  record: RollOutRecord,
  caller: AdmittedCaller,
): Promise<void> {
  const stored: InventoryRecord[] = [];
  try {
    for (const { document, generation } of documents) {
      const key = { namespace: record.namespace, kind: document.kind, name: inventoryName(document) };
      const next = { ...key, generation, document, at: deps.clock.now().toISOString(), by: caller.name };
      await deps.inventory.put(next);
      stored.push(next);
      const what = `${key.kind} ${key.name} stored as generation ${generation} for roll-out ${record.id}`;
      await recordChange(deps, record.namespace, what, caller);
    }
  } catch (error) {
    const created = stored.filter(({ generation }) => generation === 1);
    await Promise.allSettled(created.map((one) => deps.inventory.remove(one)));
    const own = new Set(stored.map(({ kind, name }) => `${kind} ${name}`));
    await restoreDocuments(deps, record, caller, ({ kind, name }) => own.has(`${kind} ${name}`));
    throw error;
  }
}

/** Throws `VerbRefused` when the roll-out was cut off before it stored all of them. */
export async function refuseUnstoredDocuments(deps: ApiPorts, record: RollOutRecord): Promise<void> {
  for (const { before, ...document } of record.documents) {
    const stored = await deps.inventory.get({ ...document, namespace: record.namespace });
    if ((stored?.generation ?? 0) > before) continue;
    const why = `it was cut off before it stored ${document.kind} ${document.name}; undo or cancel it, and start it again`;
    throw new PipelineError('VerbRefused', `roll-out ${record.id} cannot be resumed: ${why}`);
  }
}

/**
 * Those that no one changed since. Versions of templates are never changed, and documents that are new may be in use: both
 * stay. Can be repeated.
 */
export async function restoreDocuments(
  deps: ApiPorts,
  record: RollOutRecord,
  caller: AdmittedCaller,
  isOurs: (document: InventoryRecord) => boolean = () => true,
): Promise<void> {
  const text = await deps.artifacts.getText(rollOutKeys.documents(record));
  const before = InventoryRecord.array().parse(JSON.parse(text ?? '[]'));
  for (const old of before.filter(isOurs)) {
    const stored = await deps.inventory.get(old);
    if (stored?.generation !== old.generation + 1) continue;
    const next = { ...old, generation: stored.generation + 1, at: deps.clock.now().toISOString(), by: caller.name };
    try {
      await deps.inventory.put(next);
    } catch (error) {
      if (!isPipelineError(error, 'VersionConflict')) throw error;
      continue;
    }
    const what = `${old.kind} ${old.name} stored as generation ${next.generation}, as before roll-out ${record.id}`;
    await recordChange(deps, record.namespace, what, caller);
  }
}
