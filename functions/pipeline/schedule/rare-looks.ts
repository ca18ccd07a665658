/** What a tick does once a day or once a week, when it is due. */
import { refreshCatalogues } from './refresh-catalogues.ts';
import { remindOfWaiting } from './remind-of-waiting.ts';

type Ports = Parameters<typeof remindOfWaiting>[0] & Parameters<typeof refreshCatalogues>[0];

/** The result of each that was due. A failure of one does not affect the other. */
export async function rareLooks(deps: Ports, onFault: (fault: unknown) => void) {
  const reminded = await remindOfWaiting(deps).catch((fault: unknown) => void onFault(fault));
  const catalogues = await refreshCatalogues(deps).catch((fault: unknown) => void onFault(fault));
  return { ...(reminded !== undefined && { reminded }), ...(catalogues !== undefined && { catalogues }) };
}
