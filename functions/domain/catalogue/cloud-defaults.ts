/** How values of each cloud look, with one that works: for `kubeloom init`, for completion, and for the fix of a fault. */
import type { ProviderTypeName } from '#domain/provider-types.ts';

export interface CloudDefaults {
  readonly region: string;
  /** Enough for a control node. */
  readonly serverType: string;
  /** Undefined where each account or region has others: the user looks it up. */
  readonly image?: string;
  readonly imageForm?: ImageForm;
}

interface ImageForm {
  readonly accepts: RegExp;
  /** "the id of an AMI, ami-…" */
  readonly form: string;
}

/** By provider type; those without one have no values that work everywhere. */
export const cloudDefaults: Readonly<Partial<Record<ProviderTypeName, CloudDefaults>>> = {
  aws: {
    region: 'eu-central-1',
    serverType: 't3.medium',
    imageForm: { accepts: /^ami-[0-9a-f]{8,17}$/, form: 'the id of an AMI of the region, as ami-0123456789abcdef0' },
  },
  azure: {
    region: 'westeurope',
    serverType: 'Standard_D2s_v5',
    image: 'Canonical:ubuntu-24_04-lts:server:latest',
    imageForm: {
      accepts: /^(?:[^:/]+:[^:/]+:[^:/]+:[^:/]+|\/subscriptions\/.+|\/communityGalleries\/.+|\/sharedGalleries\/.+)$/i,
      form: 'publisher:offer:sku:version, as Canonical:ubuntu-24_04-lts:server:latest',
    },
  },
  digitalocean: {
    region: 'fra1',
    serverType: 's-2vcpu-4gb',
    image: 'ubuntu-24-04-x64',
    imageForm: {
      accepts: /\d/,
      form: 'a slug with its version, as ubuntu-24-04-x64, or the number of an image',
    },
  },
  exoscale: { region: 'de-fra-1', serverType: 'standard.medium', image: 'Linux Ubuntu 24.04 LTS 64-bit' },
  gcp: {
    region: 'europe-west1',
    serverType: 'e2-standard-2',
    image: 'ubuntu-os-cloud/ubuntu-2404-lts-amd64',
    imageForm: {
      accepts: /[-/]/,
      form: 'a family or an image with its project, as ubuntu-os-cloud/ubuntu-2404-lts-amd64',
    },
  },
  hetzner: {
    region: 'fsn1',
    serverType: 'cpx22',
    image: 'ubuntu-24.04',
    imageForm: { accepts: /\d/, form: 'a name with its version, as ubuntu-24.04, or the id of a snapshot' },
  },
  oci: {
    region: 'eu-frankfurt-1',
    serverType: 'VM.Standard.E5.Flex',
    imageForm: { accepts: /^ocid1\.image\./, form: 'the OCID of an image of the region, ocid1.image.…' },
  },
  ovh: { region: 'GRA11', serverType: 'b3-8', image: 'Ubuntu 24.04' },
};
