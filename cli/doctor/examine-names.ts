/** DNS names that two manifests of the installation have: earlier releases accepted that, and one of the two gets requests of the other. */
import { claimedNames } from '#domain/manifest/values/claimed-names.ts';
import { counted } from '#domain/words.ts';
import type { CliClient } from '../connection/api-client.ts';
import { allManifests, ofEach } from '../find/find-manifest.ts';
import type { Check } from './check.ts';

/** Compares the manifests that the caller may see. */
export async function examineNames(api: Pick<CliClient, 'getManifest' | 'listManifests'>): Promise<readonly Check[]> {
  const described = await ofEach(await allManifests(api), api.getManifest);
  const owners = new Map<string, string[]>();
  for (const { namespace, name, document } of described)
    for (const one of claimedNames(document)) owners.set(one, [...(owners.get(one) ?? []), `${namespace}/${name}`]);
  const doubles = [...owners].filter(([, manifests]) => manifests.length > 1);
  const found = `${counted(owners.size, 'name')} of ${counted(described.length, 'manifest')}, each in one`;
  if (doubles.length === 0) return [{ name: 'DNS names', ok: true, found, for: 'all' }];
  return doubles.map(([name, manifests]) => ({
    name,
    ok: false,
    found: `a name of ${manifests.join(' and ')}: requests reach either of them`,
    for: 'all',
    fix: `use another host name in ${manifests.slice(1).join(' and ')}, or delete it`,
  }));
}
