/** The provider instances of manifests: what they are, and what has to be stored for them. */
import { operations } from '#contracts/operations/operations.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { type Reference, referencesIn } from '#domain/manifest/references-in.ts';
import { defaultTemplates } from '#domain/manifest/schema/input-manifest.ts';
import { readableManifest } from '../pipeline/records/stored-document.ts';
import { handle } from './http/handle.ts';
import { visibleManifests } from './http/manifest-pages.ts';
import { unlessSeen } from './http/not-modified.ts';

/** A page has those of as many manifests as it may have. */
export const listProviders = handle(operations.listProviders, async ({ query, caller, headers }, deps) => {
  const { items, next } = await visibleManifests((...page) => deps.manifests.list(...page), caller, query);
  return unlessSeen(headers, { items: items.flatMap(instancesOf), ...(next !== undefined && { next }) });
});

/** None of a manifest whose document cannot be read any more. */
function instancesOf(record: ManifestRecord) {
  const { namespace, name: manifest } = record;
  const { providers = [], nodePools } = readableManifest(record)?.spec ?? {};
  return providers.map((provider) => {
    const { name, plugin, providerType } = provider;
    const pools = (nodePools?.dynamic ?? []).filter(({ providerSpec }) => providerSpec.name === name);
    return {
      namespace,
      manifest,
      name,
      type: plugin?.name ?? providerType,
      secrets: named(provider, namespace, 'secretRef'),
      templates: named(provider, namespace, 'templatesRef').filter(({ name: ref }) => ref !== defaultTemplates),
      pools: pools.length,
      regions: [...new Set(pools.map(({ providerSpec }) => providerSpec.region))],
    };
  });
}

function named(provider: unknown, own: string, field: Reference['field']) {
  const found = [...referencesIn(provider, own)].filter((reference) => reference.field === field);
  return found.map(({ namespace, name }) => ({ namespace, name }));
}
