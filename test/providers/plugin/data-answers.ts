/** What data sources answer where a made-up value would not do: modules pick from it by what they asked for. */
import type { CtyObject, CtyValue } from './cty-value.ts';

export interface DataQuestion {
  /** The data source's configuration. */
  readonly asked: CtyObject;
  readonly region: string;
}

const text = (value: CtyValue | undefined): string => (typeof value === 'string' ? value : '');
const letters = ['a', 'b', 'c'] as const;

/** By data source; attributes that are not answered are made up. */
export const dataAnswers: Readonly<Record<string, (question: DataQuestion) => CtyObject>> = {
  aws_availability_zones: ({ region }) => ({ names: letters.map((letter) => `${region}${letter}`) }),
  azurerm_location: () => ({
    zone_mappings: letters.map((_, index) => ({ logical_zone: String(index + 1), physical_zone: `zone${index + 1}` })),
  }),
  google_compute_zones: ({ asked, region }) => ({
    names: letters.map((letter) => `${text(asked.region) || region}-${letter}`),
  }),
  google_dns_managed_zone: ({ asked }) => ({ dns_name: `${text(asked.name).replace(/-zone$/, '')}.com.` }),
};
