/** The catalogues of provider types, each loaded when it is asked for: most requests need none. */
import type { ProviderTypeName } from '#domain/provider-types.ts';
import { type Catalogue, readCatalogue } from './catalogue.ts';

const files: Readonly<Partial<Record<ProviderTypeName, () => Promise<{ readonly default: unknown }>>>> = {
  aws: () => import('./aws.json', { with: { type: 'json' } }),
  azure: () => import('./azure.json', { with: { type: 'json' } }),
  digitalocean: () => import('./digitalocean.json', { with: { type: 'json' } }),
  exoscale: () => import('./exoscale.json', { with: { type: 'json' } }),
  gcp: () => import('./gcp.json', { with: { type: 'json' } }),
  hetzner: () => import('./hetzner.json', { with: { type: 'json' } }),
  oci: () => import('./oci.json', { with: { type: 'json' } }),
  ovh: () => import('./ovh.json', { with: { type: 'json' } }),
};

/** Provider types that have one. */
export const cataloguedTypes = Object.keys(files) as ProviderTypeName[];

const loaded = new Map<string, Promise<Catalogue>>();

/** Undefined for a type without one. */
export function catalogueOf(type: string): Promise<Catalogue> | undefined {
  const load = Object.hasOwn(files, type) ? files[type as ProviderTypeName] : undefined;
  if (load === undefined) return undefined;
  const known = loaded.get(type) ?? load().then(({ default: content }) => readCatalogue(content));
  loaded.set(type, known);
  return known;
}

/** Those of some types, by type. */
export async function cataloguesOf(types: Iterable<string>): Promise<ReadonlyMap<string, Catalogue>> {
  const found = [...new Set(types)].map(async (type) => [type, await catalogueOf(type)] as const);
  return new Map((await Promise.all(found)).flatMap(([type, one]) => (one === undefined ? [] : [[type, one]])));
}
