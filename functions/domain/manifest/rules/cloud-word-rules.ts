/** Rules of words that only a cloud understands: it compares them letter by letter, also the blanks that no one sees. */
import type { ProviderTypeName } from '#domain/provider-types.ts';
import { error, type Fault } from '../faults/fault.ts';
import { isHarmless, shown } from '../schema/names.ts';
import { type ManifestIndex, named } from './manifest-index.ts';

/** Names there may have blanks inside. */
const withBlanks: readonly ProviderTypeName[] = ['openstack', 'local', 'sim'];

/** No blanks at the ends of a word, and none in a server type. */
export function* cloudWordRules(index: ManifestIndex): Iterable<Fault> {
  for (const { kind, thing: pool, path } of index.pools) {
    if (kind !== 'dynamic') continue;
    const { region, zone, externalNetworkName } = pool.providerSpec ?? {};
    const words = [
      [['providerSpec', 'region'], region],
      [['providerSpec', 'zone'], zone],
      [['providerSpec', 'externalNetworkName'], externalNetworkName],
      [['serverType'], pool.serverType],
      [['image'], pool.image],
      [['machineSpec', 'nvidiaGpuType'], pool.machineSpec?.nvidiaGpuType],
    ] as const;
    for (const [place, word = ''] of words) {
      const plain = word.trim();
      // A control character is a fault of form.
      if (plain === word || plain === '' || !isHarmless(word)) continue;
      yield error([...path, ...place], `${shown(word)} has a blank at an end`, `write ${shown(plain)}`);
    }
    const type = named(index.providers, pool.providerSpec?.name)?.thing.providerType;
    const serverType = pool.serverType?.trim() ?? '';
    if (!/\s/.test(serverType) || type === undefined || type === 'plugin' || withBlanks.includes(type)) continue;
    yield error(
      [...path, 'serverType'],
      `${shown(serverType)} has a blank inside`,
      'write the name as the cloud has it',
    );
  }
}
