/** Values that a cloud does not have are warned of when a manifest is submitted, with the one that was probably meant; never refused. */
import { describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { cataloguesOf } from '#domain/catalogue/catalogues.ts';
import { cloudDefaults } from '#domain/catalogue/cloud-defaults.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';

interface Written {
  readonly region?: string;
  readonly zone?: string;
  readonly serverType?: string;
  readonly image?: string;
}

const own: Readonly<Record<string, string>> = {
  aws: 'ami-0123456789abcdef0',
  oci: 'ocid1.image.oc1.eu-frankfurt-1.aaaa',
};
const usualOf = (type: string): Written => {
  const usual = Object.entries(cloudDefaults).find(([name]) => name === type)?.[1];
  return { region: usual?.region ?? '', serverType: usual?.serverType ?? '', image: usual?.image ?? own[type] ?? '' };
};

function manifestOf(type: string, written: Written): object {
  const { region, zone, serverType, image } = { ...usualOf(type), ...written };
  const providerSpec = { name: 'one', region, ...(zone !== undefined && { zone }) };
  const pool = { name: 'control', count: 1, serverType, image, providerSpec };
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name: 'shop' },
    spec: {
      providers: [{ name: 'one', providerType: type, secretRef: { name: 'one', namespace: 'default' } }],
      nodePools: { dynamic: [{ ...pool, ...(type === 'oci' && { machineSpec: { cpuCount: 2, memory: 8 } }) }] },
      kubernetes: {
        clusters: [
          { name: 'shop', version: '1.34.0', network: '192.168.2.0/24', pools: { control: ['control'], compute: [] } },
        ],
      },
    },
  };
}

const ids = [
  'unknown-region',
  'unknown-zone',
  'unknown-server-type',
  'unknown-image',
  'ended-image',
  'wrong-architecture',
];

async function warningsOf(
  type: string,
  written: Written,
): Promise<readonly { id: string; path: string; text: string }[]> {
  const clouds = { today: '2026-11-28', catalogues: await cataloguesOf([type]) };
  const { warnings, faults } = validateManifest(manifestOf(type, written), { readObjects, clouds });
  expect(faults).toEqual([]);
  return warnings.flatMap(({ id = '', path, reason, fix }) =>
    ids.includes(id) ? [{ id, path: path.replace('spec.nodePools.dynamic[0].', ''), text: `${reason}: ${fix}` }] : [],
  );
}

describe('values of clouds', () => {
  it.each([
    ['hetzner', 'fsn9', 'fsn1'],
    ['hetzner', 'nbg', 'nbg1'],
    ['hetzner', 'HEL1', 'hel1'],
    ['aws', 'eu-centrl-1', 'eu-central-1'],
    ['aws', 'us-esat-1', 'us-east-1'],
    ['azure', 'westeurop', 'westeurope'],
    ['azure', 'North Eurpe', 'northeurope'],
    ['gcp', 'europe-wes1', 'europe-west1'],
    ['gcp', 'us-central-1', 'us-central1'],
    ['exoscale', 'de-fra1', 'de-fra-1'],
    ['digitalocean', 'fra2', 'fra1'],
    ['oci', 'eu-frankfurt1', 'eu-frankfurt-1'],
  ])('%s has no region %s, and %s was meant', async (type, region, meant) => {
    const [found, ...others] = await warningsOf(type, { region });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ id: 'unknown-region', path: 'providerSpec.region' });
    expect(found?.text).toContain(`did you mean ${meant}?`);
  });

  it.each([
    ['gcp', 'europe-west1', 'europe-west1-a', 'did you mean europe-west1-'],
    ['gcp', 'us-central1', 'us-central1-d', 'It had us-central1-a, us-central1-b, us-central1-c, us-central1-f'],
    ['azure', 'westus', '1', 'leave it out'],
    ['azure', 'West US', '2', 'had no zones on 2026-'],
  ])('%s has no zone %s %s', async (type, region, zone, text) => {
    const [found, ...others] = await warningsOf(type, { region, zone });
    expect(others.filter(({ id }) => id === 'unknown-zone')).toEqual([]);
    expect(found).toMatchObject({ id: 'unknown-zone', path: 'providerSpec.zone', text: expect.stringContaining(text) });
  });

  it.each([
    ['gcp', 'europe-west1', 'europe-west1-b'],
    ['gcp', 'europe-north2', 'europe-north2-z'],
    ['azure', 'westeurope', '3'],
    ['aws', 'us-east-1', 'us-east-1z'],
  ])(
    '%s is not warned of in %s for the zone %s, which it has, or of which nothing is known',
    async (type, region, zone) => {
      const found = await warningsOf(type, { region, zone });
      expect(found.filter(({ id }) => id === 'unknown-zone')).toEqual([]);
    },
  );

  it.each([
    ['hetzner', 'cpx2222', 'cpx22'],
    ['hetzner', 'ccx14', 'ccx13'],
    ['hetzner', 'CPX22', 'cpx22'],
    ['aws', 't3.meduim', 't3.medium'],
    ['aws', 'm7i.larg', 'm7i.large'],
    ['aws', 'c7i-large', 'c7i.large'],
    ['azure', 'Standard_D2sv5', 'Standard_D2s_v5'],
    ['azure', 'Standrd_B2s', 'Standard_B2s'],
    ['gcp', 'n2-standart-8', 'n2-standard-8'],
    ['gcp', 'e2-standrd-2', 'e2-standard-2'],
    ['exoscale', 'standard.medum', 'standard.medium'],
    ['ovh', 'b3-08', 'b3-8'],
    ['digitalocean', 's-2vcpu-4g', 's-2vcpu-4gb'],
  ])('%s has no server type %s, and %s was meant', async (type, serverType, meant) => {
    const [found, ...others] = await warningsOf(type, { serverType });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ id: 'unknown-server-type', path: 'serverType' });
    expect(found?.text).toContain(`did you mean ${meant}?`);
  });

  it.each([
    ['hetzner', 'ubuntu-18.04', 'ended-image', 'Ubuntu 18.04 has had no updates since 2023-05-31: use ubuntu-24.04'],
    ['azure', 'Canonical:0001-com-ubuntu-server-focal:20_04-lts-gen2:latest', 'ended-image', '2025-05-31'],
    ['gcp', 'ubuntu-os-cloud/ubuntu-1804-lts', 'ended-image', '2023-05-31'],
    ['digitalocean', 'debian-10-x64', 'ended-image', 'Debian 10 has had no updates since 2024-06-30'],
    ['hetzner', 'ubuntu', 'unknown-image', 'ubuntu-24.04'],
    [
      'hetzner',
      'ubuntu-24.4',
      'unknown-image',
      'there is no Ubuntu 24.4: did you mean that of Ubuntu 24.04? use ubuntu-24.04',
    ],
    ['gcp', 'ubuntu-os-cloud/ubuntu-2405-lts-amd64', 'unknown-image', 'there is no Ubuntu 24.05'],
    ['exoscale', 'Linux Ubuntu 23.4 LTS 64-bit', 'unknown-image', 'there is no Ubuntu 23.4'],
    ['hetzner', 'debian-7', 'unknown-image', 'there is no Debian 7'],
    ['aws', 'ubuntu', 'unknown-image', 'the id of an AMI'],
    ['aws', 'ubuntu-24.04', 'unknown-image', 'ami-'],
    ['azure', 'Ubuntu 24.04', 'unknown-image', 'publisher:offer:sku:version'],
    ['oci', 'ubuntu-24.04', 'unknown-image', 'the OCID'],
    ['gcp', 'amazonlinux', 'unknown-image', 'a family or an image with its project'],
  ])('the image of %s %s is warned of as %s', async (type, image, id, text) => {
    const [found, ...others] = await warningsOf(type, { image });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ id, path: 'image', text: expect.stringContaining(text) });
  });

  it.each([
    [
      'gcp',
      'e2-standard-2',
      'ubuntu-os-cloud/ubuntu-2404-lts-arm64',
      'the image is for Arm, and "e2-standard-2" is x86',
    ],
    ['gcp', 'c4a-standard-4', 'ubuntu-os-cloud/ubuntu-2404-lts-amd64', 'is Arm: use an image for Arm'],
    ['azure', 'Standard_D2s_v5', 'Canonical:ubuntu-24_04-lts:server-arm64:latest', 'is x86'],
  ])('an image for other processors than %s %s has is warned of', async (type, serverType, image, text) => {
    const found = await warningsOf(type, { serverType, image });
    expect(found).toMatchObject([{ id: 'wrong-architecture', path: 'image', text: expect.stringContaining(text) }]);
  });

  it('a server type that a region does not sell is warned of there', async () => {
    const found = await warningsOf('gcp', { serverType: 'a2-ultragpu-1g', region: 'africa-south1' });
    expect(found).toMatchObject([
      { id: 'unknown-server-type', text: expect.stringContaining('--region africa-south1') },
    ]);
  });

  it.each(Object.keys(cloudDefaults))('usual values of %s are warned of by no rule', async (type) => {
    expect(await warningsOf(type, {})).toEqual([]);
  });

  it.each([
    ['azure', { region: 'West Europe' }],
    ['azure', { serverType: 'standard_d2s_v5' }],
    ['gcp', { serverType: 'custom-6-20480' }],
    ['gcp', { serverType: 'n2-custom-4-8192' }],
    ['exoscale', { serverType: 'medium' }],
    ['hetzner', { image: '12345678' }],
    ['hetzner', { image: 'ubuntu-28.04' }],
    ['hetzner', { image: 'debian-14' }],
    ['hetzner', { image: 'ubuntu-golden-3' }],
    ['hetzner', { serverType: 'cax21' }],
    ['ovh', { region: 'GRA42' }],
    ['oci', { serverType: 'VM.Standard.E9.Flex' }],
    ['openstack', { region: 'R', serverType: 'anything', image: 'ubuntu-18.04' }],
    ['constructor', { region: 'R', serverType: 'anything', image: 'image' }],
  ])('%s %j is not warned of: it is right, or no list could know it', async (type, written) => {
    const clouds = { today: '2026-11-28', catalogues: await cataloguesOf([type]) };
    const { warnings } = validateManifest(manifestOf(type, written), { readObjects, clouds });
    expect(warnings.filter(({ id = '' }) => ids.includes(id))).toEqual([]);
  });

  it('whatever is written, a catalogue refuses nothing, also no text of thousands of letters', async () => {
    const clouds = { today: '2026-11-28', catalogues: await cataloguesOf(['aws']) };
    const text = 'x'.repeat(5000);
    const { faults, warnings } = validateManifest(manifestOf('aws', { region: text, serverType: text, image: text }), {
      readObjects,
      clouds,
    });
    expect(faults).toEqual([]);
    expect(warnings.filter(({ id = '' }) => ids.includes(id)).map(({ id }) => id)).toEqual([
      'unknown-server-type',
      'unknown-image',
      'unknown-region',
    ]);
  });
});
