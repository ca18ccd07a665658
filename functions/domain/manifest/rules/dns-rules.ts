/** Rules of the `dns` part of load balancers. */
import { hostnameLength } from '#domain/naming.ts';
import { providerTypeFacts, providerTypesThat } from '#domain/provider-types.ts';
import { error, type Fault, warning } from '../faults/fault.ts';
import { isAddress, isTooLong, nameInZone, withoutZone } from '../schema/dns-name.ts';
import { shown } from '../schema/names.ts';
import { mostClaimedNames } from '../values/claimed-names.ts';
import { apiRoleIndex } from './load-balancer-rules.ts';
import { type ManifestIndex, named, type Path } from './manifest-index.ts';
import type { PartialLoadBalancer } from './partial-manifest.ts';
import { unknownName } from './references.ts';

/** The provider serves DNS; every host name is used once in the installation; the API has no alternative names. */
export function* dnsRules(manifestIndex: ManifestIndex): Iterable<Fault> {
  const taken = new Map<string, string>();
  for (const { thing: balancer, path } of manifestIndex.loadBalancers) {
    const place = [...path, 'dns'];
    yield* dnsProvider(manifestIndex, balancer, place);
    if (balancer.dns.alternativeNames.length > 0 && apiRoleIndex(manifestIndex, balancer) >= 0) {
      yield error(
        [...place, 'alternativeNames'],
        'the load balancer of the Kubernetes API has one name only',
        'remove them, or use a second load balancer',
      );
    }
    yield* hostNames(manifestIndex, { balancer, path: place, taken });
    const { dnsZone = '', hostname } = balancer.dns;
    if (isAddress(dnsZone))
      yield error(
        [...place, 'dnsZone'],
        `${shown(dnsZone)} is an address, and no zone`,
        'use one such as "example.com"',
      );
    if (hostname === undefined && isTooLong(nameInZone('x'.repeat(hostnameLength), dnsZone)))
      yield error(
        [...place, 'dnsZone'],
        `has no room for a host name of ${hostnameLength} letters, which Kubeloom would choose`,
        'write a hostname, the shortest has one letter',
      );
  }
  if (taken.size <= mostClaimedNames) return;
  yield error(
    ['spec', 'loadBalancers', 'clusters'],
    `the load balancers have ${taken.size} DNS names together, at most ${mostClaimedNames} are possible in one manifest`,
    'use a wildcard such as "*.apps" for many names of one load balancer, or spread them over several manifests',
  );
}

function* dnsProvider(manifestIndex: ManifestIndex, { dns }: PartialLoadBalancer, path: Path): Iterable<Fault> {
  if (dns.provider === undefined) return;
  const provider = named(manifestIndex.providers, dns.provider)?.thing;
  if (provider === undefined) {
    const known = manifestIndex.providers.flatMap(({ thing }) => thing.name ?? []);
    if (manifestIndex.complete.providers) yield unknownName([...path, 'provider'], 'provider', dns.provider, known);
    return;
  }
  const facts = providerTypeFacts(provider.providerType ?? '');
  if (facts === undefined || facts.dns) return;
  yield error(
    [...path, 'provider'],
    `${facts.title} serves no DNS zones`,
    `use a provider of type ${providerTypesThat((type) => type.dns)}`,
  );
}

interface NamedBalancer {
  readonly balancer: PartialLoadBalancer;
  readonly path: Path;
  /** Names of the load balancers before it, with the balancer that has each. */
  readonly taken: Map<string, string>;
}

function* formOfName(
  { name, zone, full }: { readonly name: string; readonly zone: string; readonly full: string },
  place: Path,
): Iterable<Fault> {
  if (isTooLong(full))
    yield error(
      place,
      `${shown(full)} has ${full.length} letters with its zone`,
      'shorten it: a DNS name has at most 253',
    );
  if (isAddress(name)) yield error(place, `${shown(name)} is an address, and no host name`, 'use one such as "www"');
  const meant = withoutZone(name, zone);
  if (meant === undefined) return;
  const field = place.at(-1) === 'hostname' ? 'hostname: ' : '- ';
  const fix =
    meant === '' ? `leave the zone out: write a name in it, such as "${field}www"` : `write "${field}${meant}"`;
  yield warning('repeated-zone', place, `the zone is added to it: the name becomes ${shown(full)}`, fix);
}

function* hostNames(
  { context, namespace, name: manifest }: ManifestIndex,
  { balancer, path, taken }: NamedBalancer,
): Iterable<Fault> {
  const { dns } = balancer;
  const names: (readonly [string, Path])[] = dns.alternativeNames.map((name, index) => [
    name,
    [...path, 'alternativeNames', index],
  ]);
  if (dns.hostname !== undefined) names.unshift([dns.hostname, [...path, 'hostname']]);
  for (const [name, place] of names) {
    if (name === '' || dns.dnsZone === undefined) continue;
    const full = nameInZone(name, dns.dnsZone);
    yield* formOfName({ name, zone: dns.dnsZone, full }, place);
    const owner = taken.get(full);
    const elsewhere = context.namesInUse?.get(full);
    if (owner !== undefined) {
      yield error(place, `${shown(full)} is already a name of ${shown(owner)}`, 'use another host name');
    } else if (elsewhere !== undefined && elsewhere.manifest !== `${namespace ?? 'default'}/${manifest}`) {
      const reason = `${shown(full)} is a name of the manifest ${shown(elsewhere.shown)}`;
      yield error(place, reason, 'use another host name, or remove it there first');
    }
    taken.set(full, owner ?? balancer.name ?? '');
  }
}
