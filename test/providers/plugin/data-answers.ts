/** What data sources answer where a made-up value would not do: modules pick from it by what they asked for. */
import type { CtyObject, CtyValue } from './cty-value.ts';

export interface DataQuestion {
  /** The data source's configuration. */
  readonly asked: CtyObject;
  readonly region: string;
  /** Letters of the zones of each region. */
  readonly zones: readonly string[];
}

const text = (value: CtyValue | undefined): string => (typeof value === 'string' ? value : '');

/** By data source; attributes that are not answered are made up. */
export const dataAnswers: Readonly<Record<string, (question: DataQuestion) => CtyObject>> = {
  aws_availability_zones: ({ region, zones }) => ({ names: zones.map((letter) => `${region}${letter}`) }),
  azurerm_location: ({ zones }) => ({
    zone_mappings: zones.map((_, index) => ({ logical_zone: String(index + 1), physical_zone: `zone${index + 1}` })),
  }),
  // Some regions have zones for accelerators in addition to those with a letter.
  google_compute_zones: ({ asked, region, zones }) => ({
    names: [...zones, 'ai1a'].map((zone) => `${text(asked.region) || region}-${zone}`).sort(),
  }),
  google_dns_managed_zone: ({ asked }) => ({ dns_name: `${text(asked.name).replace(/-zone$/, '')}.com.` }),
};
