/** Provider types of an installation in AWS. */
import { existsSync } from 'node:fs';
import { providerTypeNames } from '#domain/provider-types.ts';

/** A file of a provider type. */
export const templateUrl = (type: string, file = ''): URL =>
  new URL(`../templates/terraform/${type}/${file}`, import.meta.url);

/**
 * Provider types that runners in AWS can build: those that have modules, and the simulation; never `local`, which creates
 * machines on the computer it runs on.
 */
export const cloudProviderTypes = providerTypeNames.filter(
  (type) => type === 'sim' || (type !== 'local' && existsSync(templateUrl(type))),
);

/** The types of the option `providers`, and the simulation. */
export function offeredTypes({ providers }: { readonly providers: readonly string[] }): readonly string[] {
  return cloudProviderTypes.filter((type) => providers.length === 0 || [...providers, 'sim'].includes(type));
}
