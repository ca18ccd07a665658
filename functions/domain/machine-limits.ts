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
  /** It knows no server type with a capital letter. @default false */
  readonly lowerCaseTypes?: boolean;
}

interface ZoneForm {
  readonly accepts: (zone: string, region: string) => boolean;
  /** "begins with its region, as eu-central-1a" */
  readonly form: string;
  /** The cloud chooses: the zone may be written and is not used. @default false */
  readonly unused?: boolean;
}

/** What follows the name of the region has the form of `rest`. */
const zoneOfRegion = (rest: RegExp, example: string): ZoneForm => ({
  accepts: (zone, region) => zone.startsWith(region) && rest.test(zone.slice(region.length)),
  form: `begins with the name of its region, as ${example} does`,
});

/** Only regions with three zones have any, named in lower case. */
const zoneOfLowerRegion: ZoneForm = {
  accepts: (zone, region) => zone === 'nova' || /^-[a-z]$/.test(afterStart(zone, region.toLowerCase())),
  form: 'begins with the name of its region in lower case, as eu-west-par-a does',
};

const afterStart = (text: string, start: string): string => (text.startsWith(start) ? text.slice(start.length) : '');

/** Whole, as `hsVQ:EU-FRANKFURT-1-AD-1`, or its end. Two older regions are named otherwise there: `US-ASHBURN-AD-1`, `PHX-AD-1`. */
function isAvailabilityDomain(zone: string, region: string): boolean {
  if (/^(?:AD-)?[1-3]$/.test(zone)) return true;
  const named = /^(?:[\w-]+:)?([A-Z0-9-]+)-AD-[1-3]$/.exec(zone)?.[1];
  const whole = region.toUpperCase();
  return [whole, whole.replace(/-1$/, ''), ...(region === 'us-phoenix-1' ? ['PHX'] : [])].some((one) => one === named);
}

/** By provider type; nothing is known of those that are missing. Sources: the pages of the clouds that docs/providers/ name, and what their APIs refuse. */
export const machineLimits: Readonly<Partial<Record<ProviderTypeName, MachineLimits>>> = {
  aws: {
    // Also zones in other cities and of mobile networks: us-west-2-lax-1a, us-east-1-wl1-bos-wlz-1.
    zone: zoneOfRegion(/^(?:[a-z]|-[a-z0-9-]+)$/, 'eu-central-1a'),
    lowerCaseTypes: true,
    mostDisk: 65_536,
  },
  azure: {
    mostDisk: 32_767,
    zone: { accepts: (zone) => /^[123]$/.test(zone), form: 'is "1", "2" or "3"' },
    noSpot: [{ serverTypes: /^(?:standard_)?b\d/i, named: 'A size of the series B' }],
  },
  gcp: {
    zone: zoneOfRegion(/^-[a-z0-9]+$/, 'europe-west1-b'),
    lowerCaseTypes: true,
    mostDisk: 65_536,
  },
  oci: {
    zone: { accepts: isAvailabilityDomain, form: 'is an availability domain, as AD-1' },
    mostDisk: 32_768,
    noDisk: [{ serverTypes: /^bm\./i, named: 'A bare metal shape' }],
    noSpot: [
      { serverTypes: /^bm\./i, named: 'A bare metal shape' },
      { serverTypes: /^vm\.standard\.e2\.1\.micro$/i, named: 'The shape VM.Standard.E2.1.Micro' },
    ],
  },
  ovh: { zone: zoneOfLowerRegion },
  hetzner: { mostDisk: 10_240, zone: { ...zoneOfRegion(/^-dc\d+$/, 'fsn1-dc14'), unused: true } },
  digitalocean: {
    mostDisk: 16_384,
    zone: { accepts: (zone, region) => zone.startsWith(region), form: 'is the region itself', unused: true },
    lowerCaseTypes: true,
  },
  exoscale: {
    zone: { accepts: (zone, region) => zone === region, form: 'is the region itself', unused: true },
    mostDisk: 10_240,
    // "Instance size must be at least small" (exoscale/terraform-provider-exoscale#375); the family may be left out.
    noDisk: [{ serverTypes: /^(?:[\w-]+\.)?(?:micro|tiny)$/i, named: 'An instance of size micro or tiny' }],
  },
};

/** The first of these that a server type is. */
export function typeWithout(types: readonly TypesWithout[] | undefined, serverType: string): TypesWithout | undefined {
  return types?.find((one) => one.serverTypes.test(serverType));
}
