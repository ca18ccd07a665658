/** The cluster that a command names: by its name or id, in the manifests of a namespace. */
import type { CliClient, ManifestName } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { shortList } from '../print/layout.ts';
import { allManifests } from './find-manifest.ts';

export interface FoundCluster {
  readonly owner: ManifestName;
  /** Its id. */
  readonly cluster: string;
  readonly name: string;
}

/** The cluster of that name. Throws `CliError` unless exactly one has it. */
export async function findCluster(
  api: CliClient,
  cluster: string,
  { namespace, manifest }: { readonly namespace: string; readonly manifest?: string },
): Promise<FoundCluster> {
  const manifests = (await allManifests(api, namespace)).filter(
    ({ name }) => manifest === undefined || name === manifest,
  );
  const all = manifests.flatMap((owner) => owner.clusters.map((each) => ({ owner, ...each })));
  const found = all.filter((each) => each.cluster === cluster || each.name === cluster);
  const [only] = found;
  if (!only) {
    const known =
      all.length > 0
        ? `; there is ${shortList(
            all.map(({ name }) => name),
            10,
          )}`
        : '';
    throw new CliError(`there is no cluster "${cluster}" in namespace "${namespace}"${known}`, exitCodes.notFound);
  }
  if (found.length > 1) {
    const owners = found.map(({ owner }) => owner.name).join(', ');
    throw new CliError(
      `several manifests have a cluster "${cluster}" (${owners}): choose one with --manifest, or write its id (${found.map((each) => each.cluster).join(', ')})`,
      exitCodes.usage,
    );
  }
  return only;
}
