/** The input of a credential check of a provider instance: its type, where its credentials are, the regions it is used in. */
import type { InputManifest } from './schema/input-manifest.ts';
import { locatorOf } from './schema/secret-source.ts';

export interface WantedCheck {
  readonly provider: string;
  readonly type: string;
  /** `locatorText`; absent for types that need none. */
  readonly secret?: string;
  readonly regions: string[];
}

/** Undefined when the manifest has no such instance. */
export function wantedCheck(manifest: InputManifest, name: string): WantedCheck | undefined {
  const provider = manifest.spec.providers.find((one) => one.name === name);
  if (provider === undefined) return undefined;
  const { secretRef, plugin, providerType } = provider;
  const type = plugin?.name ?? providerType;
  const pools = manifest.spec.nodePools.dynamic.filter(({ providerSpec }) => providerSpec.name === name);
  return {
    provider: name,
    type,
    regions: [...new Set(pools.map(({ providerSpec }) => providerSpec.region))],
    ...(secretRef === undefined ? {} : { secret: locatorOf(secretRef, manifest.metadata.namespace) }),
  };
}
