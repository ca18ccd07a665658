/** What people read of resources that a user orphans: Terraform forgets them, and they keep running. Pure. */
import type { StageEvent } from '../../stage-context.ts';
import { nodeOfAddress } from '../cli/addresses.ts';
import type { StateResource } from '../cli/terraform-cli.ts';

/** One for each of the nodes, and one for what none of them has. */
export function orphanEvents(
  free: readonly StateResource[],
  { provider, nodes }: { readonly provider: string; readonly nodes: ReadonlySet<string> },
): readonly StageEvent[] {
  const owners = Map.groupBy(free, ({ address }) => nodeOfAddress(address, nodes));
  return [...owners].map(([node, its]) => {
    const addresses = its.map(({ address }) => address).join(', ');
    const what = node ?? `infrastructure of orphaned nodes in ${provider}`;
    const message = `${what} is orphaned: it keeps running, Kubeloom no longer manages it (${addresses})`;
    return { kind: 'NodeOrphaned', message, ...(node === undefined ? {} : { node }) };
  });
}
