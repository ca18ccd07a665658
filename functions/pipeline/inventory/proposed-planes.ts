/** Management planes in a proposal: stored or deleted once it is approved, and not before. */
import type { ProposalOf } from '#contracts/stored-plans.ts';
import { validateInventoryDocument } from '#domain/inventory/validate-inventory.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { recordChange } from '../records/audit-event.ts';
import { checksumOf } from '../records/checksum.ts';

const kind = 'ManagementPlane';

/** What was approved of them; the manifest has been submitted with it. */
export async function carryOutPlanes(
  deps: ApiPorts,
  namespace: string,
  { planes = [], withoutPlanes = [] }: Pick<ProposalOf<'apply'>, 'planes' | 'withoutPlanes'>,
  caller: AdmittedCaller,
): Promise<void> {
  for (const sent of planes) {
    const { document } = validateInventoryDocument(kind, sent);
    if (document === undefined) continue;
    const key = { namespace, kind, name: document.metadata.name } as const;
    const stored = await deps.inventory.get(key);
    if (stored && checksumOf(stored.document) === checksumOf(document)) continue;
    const generation = (stored?.generation ?? 0) + 1;
    await deps.inventory.put({ ...key, generation, document, at: deps.clock.now().toISOString(), by: caller.name });
    await recordChange(deps, namespace, `${kind} ${key.name} stored as generation ${generation}`, caller);
  }
  for (const name of withoutPlanes) {
    await deps.inventory.remove({ namespace, kind, name });
    await recordChange(deps, namespace, `${kind} ${name} deleted`, caller);
  }
}
