/** What machines of a cloud cannot have, as the cloud documents it: asked when a manifest is submitted, not found out by the cloud's refusal. */
import type { ProviderTypeName } from './provider-types.ts';

/** Server types with a limit of their own. */
export interface TypesWithout {
  readonly serverTypes: RegExp;
  /** Which those are, for people: the start of a sentence. */
  readonly named: string;
}

export interface MachineLimits {
  /** GB of the largest data disk. */
  readonly mostDisk?: number;
  /** Server types that take no data disk. */
  readonly noDisk?: readonly TypesWithout[];
  /** Server types that are never spot machines. */
  readonly noSpot?: readonly TypesWithout[];
  /** Zones that a region can have. @default any */
  readonly zone?: ZoneForm;
}

interface ZoneForm {
  readonly accepts: (zone: string, region: string) => boolean;
  /** "begins with its region, as eu-central-1a" */
  readonly form: string;
}

/** AWS also has zones in other cities, as us-west-2-lax-1a: all begin with their region. */
const zoneOfRegion = (example: string): ZoneForm => ({
  accepts: (zone, region) => zone.toLowerCase().startsWith(region.toLowerCase()) && zone.length > region.length,
  form: `begins with the name of its region, as ${example} does`,
});

/** By provider type; nothing is known of those that are missing. Sources: the pages of the clouds that docs/providers/ name, and what their APIs refuse. */
export const machineLimits: Readonly<Partial<Record<ProviderTypeName, MachineLimits>>> = {
  aws: { zone: zoneOfRegion('eu-central-1a'), mostDisk: 65_536 },
  azure: {
    mostDisk: 32_767,
    zone: { accepts: (zone) => /^[123]$/.test(zone), form: 'is "1", "2" or "3"' },
    noSpot: [{ serverTypes: /^(?:standard_)?b\d/i, named: 'A size of the series B' }],
  },
  gcp: { zone: zoneOfRegion('europe-west1-b'), mostDisk: 65_536 },
  oci: {
    mostDisk: 32_768,
    noDisk: [{ serverTypes: /^bm\./i, named: 'A bare metal shape' }],
    noSpot: [
      { serverTypes: /^bm\./i, named: 'A bare metal shape' },
      { serverTypes: /^vm\.standard\.e2\.1\.micro$/i, named: 'The shape VM.Standard.E2.1.Micro' },
    ],
  },
  hetzner: { mostDisk: 10_240 },
  digitalocean: { mostDisk: 16_384 },
  exoscale: {
    mostDisk: 10_240,
    // "Instance size must be at least small" (exoscale/terraform-provider-exoscale#375); the family may be left out.
    noDisk: [{ serverTypes: /^(?:[\w-]+\.)?(?:micro|tiny)$/i, named: 'An instance of size micro or tiny' }],
  },
};

/** The first of these that a server type is. */
export function typeWithout(types: readonly TypesWithout[] | undefined, serverType: string): TypesWithout | undefined {
  return types?.find((one) => one.serverTypes.test(serverType));
}
