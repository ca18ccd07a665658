/** What the stored manifests need Secrets for, so that a change of a Secret does not break them. */
import { type SecretUse, secretUses } from '#domain/manifest/secret-uses.ts';
import { readableManifest } from '../pipeline/manifests/stored-document.ts';
import { everyManifest } from '../pipeline/manifests/stored-manifest.ts';
import type { ApiPorts } from '../rights/api-uses.ts';

/** By `<namespace>/<name>` of the Secret; of those in `wanted`. */
export async function storedSecretUses(
  deps: Pick<ApiPorts, 'manifests'>,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly SecretUse[]>> {
  const found = new Map<string, SecretUse[]>();
  if (wanted.size === 0) return found;
  const note = (name: string, uses: readonly SecretUse[]) => {
    if (wanted.has(name)) found.set(name, [...(found.get(name) ?? []), ...uses]);
  };
  for await (const record of everyManifest(deps)) {
    // A Secret cannot break one that can no longer be read.
    const manifest = readableManifest(record);
    if (manifest) for (const [name, uses] of secretUses(manifest)) note(name, uses);
    for (const name of new Set(Object.values(record.templateSecrets ?? {}))) note(name, ['git']);
  }
  return found;
}
