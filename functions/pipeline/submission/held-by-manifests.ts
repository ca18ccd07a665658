/** What a document needs and other manifests have: machines, and DNS names. */
import type { ManifestKey } from '#contracts/records.ts';
import { draftOfDocument } from '#domain/manifest/groups/groups-as-manifest.ts';
import type { NameOwner } from '#domain/manifest/rules/manifest-index.ts';
import { normalAddress } from '#domain/manifest/schema/address-fault.ts';
import { claimedNames } from '#domain/manifest/values/claimed-names.ts';
import { fieldOf, listFrom } from '#domain/unread-json.ts';
import { type AdmittedCaller, shownTo } from '../../caller.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { everyManifest } from '../records/stored-manifest.ts';

type Ports = Pick<SubmissionPorts, 'manifests'>;

/** A document, and where it belongs. */
export interface PlacedDocument {
  readonly key: ManifestKey;
  readonly document: unknown;
}

type NameOwners = ReadonlyMap<string, NameOwner>;

/** More names than that have been refused already. */
const mostAsked = 1000;

/** Which manifests have claimed names of the documents. */
export async function claimedByManifests(
  { manifests }: Ports,
  placed: readonly PlacedDocument[],
  caller: AdmittedCaller,
): Promise<NameOwners> {
  const names = new Set(placed.flatMap(({ document }) => claimedNames(document)));
  if (names.size === 0) return new Map();
  const owners = await manifests.ownersOf([...names].slice(0, mostAsked));
  return new Map([...owners].map(([name, key]) => [name, nameOwner(key, caller)]));
}

/** Addresses of static nodes of other manifests, if the document has any. */
export async function endpointsOfOthers(
  deps: Ports,
  { key, document }: PlacedDocument,
  caller: AdmittedCaller,
): Promise<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  if (endpointsIn(document).length === 0) return owners;
  for await (const record of everyManifest(deps)) {
    if (record.namespace === key.namespace && record.name === key.name) continue;
    for (const endpoint of endpointsIn(record.document)) owners.set(normalAddress(endpoint), shownTo(caller, record));
  }
  return owners;
}

const nameOwner = (key: ManifestKey, caller: AdmittedCaller): NameOwner => ({
  manifest: `${key.namespace}/${key.name}`,
  shown: shownTo(caller, key),
});

/** Addresses of the static nodes of a document, whatever else is wrong with it. */
function endpointsIn(document: unknown): readonly string[] {
  const pools = fieldOf(fieldOf(fieldOf(draftOfDocument(document), 'spec'), 'nodePools'), 'static');
  return listFrom(pools)
    .flatMap((pool) => listFrom(fieldOf(pool, 'nodes')))
    .flatMap((node) => {
      const endpoint = fieldOf(node, 'endpoint');
      return typeof endpoint === 'string' ? [endpoint] : [];
    });
}
