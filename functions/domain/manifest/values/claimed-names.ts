/** The DNS names that a document claims: each belongs to one manifest of the installation, as its records are replaced by the next one that writes them. */
import { fieldOf, listFrom } from '../../unread-json.ts';
import { nameInZone } from '../schema/dns-name.ts';

/** More do not fit into the one write that claims them together with the document: it has a hundred parts, some of which are for other things. */
export const mostClaimedNames = 90;

/** Host names and alternative names with their zones, in their normal form, each once, whatever else is wrong with the document. All kinds have them at one place. */
export function claimedNames(document: unknown): readonly string[] {
  const balancers = fieldOf(fieldOf(fieldOf(document, 'spec'), 'loadBalancers'), 'clusters');
  const names = listFrom(balancers).flatMap((balancer) => {
    const dns = fieldOf(balancer, 'dns');
    const zone = fieldOf(dns, 'dnsZone');
    if (typeof zone !== 'string' || zone === '') return [];
    return [fieldOf(dns, 'hostname'), ...listFrom(fieldOf(dns, 'alternativeNames'))].flatMap((name) =>
      typeof name === 'string' && name !== '' ? [nameInZone(name, zone)] : [],
    );
  });
  return [...new Set(names)];
}
