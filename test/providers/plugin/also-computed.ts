/** Optional attributes to which the cloud gives a value where the configuration has none, in addition to what the schemas say. */

/** In every resource and data source. */
const everywhere = ['id', 'tags_all'] as const;

/** From the providers' documents, where modules read them. */
const known: Readonly<Record<string, readonly string[]>> = {
  cloudflare_zone: ['zone_id'],
};

export function isAlsoComputed(type: string, attribute: string): boolean {
  return everywhere.some((name) => name === attribute) || (known[type]?.includes(attribute) ?? false);
}
