/** The DNS names that a document claims: each belongs to one manifest of the installation, as its records are replaced by the next one that writes them. */
import { isMap } from '../../json.ts';
import { nameInZone } from './dns-name.ts';

/** More do not fit into the one write that claims them together with the document. */
export const mostClaimedNames = 80;

/** Host names and alternative names with their zones, in their normal form, each once, whatever else is wrong with the document. All kinds have them at one place. */
export function claimedNames(document: unknown): readonly string[] {
  const balancers = at(at(at(document, 'spec'), 'loadBalancers'), 'clusters');
  const names = listOf(balancers).flatMap((balancer) => {
    const dns = at(balancer, 'dns');
    const zone = at(dns, 'dnsZone');
    if (typeof zone !== 'string' || zone === '') return [];
    return [at(dns, 'hostname'), ...listOf(at(dns, 'alternativeNames'))].flatMap((name) =>
      typeof name === 'string' && name !== '' ? [nameInZone(name, zone)] : [],
    );
  });
  return [...new Set(names)];
}

function at(value: unknown, key: string): unknown {
  return isMap(value) ? value[key] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
