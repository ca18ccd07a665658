/** The files of the catalogue: each fact with source and date, rows that can be read, none twice; and how sources become rows. */
import { describe, expect, it } from 'vitest';
import { readCatalogue } from '#domain/catalogue/catalogue.ts';
import { cataloguedTypes, catalogueOf } from '#domain/catalogue/catalogues.ts';
import { architectureOf, distributionOf, distributions } from '#domain/catalogue/distributions.ts';
import { priceLists } from '#domain/prices/machine-prices.ts';
import { awsTypes } from '../../scripts/catalogue/clouds/aws.ts';
import { azurePrices, azureZones } from '../../scripts/catalogue/clouds/azure.ts';
import { gcpType, gcpZones } from '../../scripts/catalogue/clouds/gcp.ts';
import { endsIn } from '../../scripts/catalogue/distributions.ts';
import { goTypes } from '../../scripts/catalogue/go-types.ts';

const today = '2026-11-28';

describe('the catalogue of each cloud', () => {
  it.each(cataloguedTypes)('each row of %s can be read, and no name is there twice', async (type) => {
    const catalogue = await catalogueOf(type);
    const { regions, zones, serverTypes } = catalogue?.file ?? {};
    const zoned = zones?.rows.map((row) => row.split(' ')) ?? [];
    expect(new Set(zoned.map(([region]) => region)).size).toBe(zoned.length);
    for (const [region = '', ...own] of zoned) expect(catalogue?.zonesOf(region)).toEqual([...new Set(own)]);
    const names = catalogue?.typeNames ?? [];
    expect(new Set(names).size).toBe(serverTypes?.rows.length ?? 0);
    expect(new Set(regions?.rows).size).toBe(regions?.rows.length ?? 0);
    for (const name of names) {
      const { cpus = 1, memory = 1, gpus } = catalogue?.typeNamed(name) ?? {};
      expect([name, cpus > 0 && cpus < 2000, memory > 0 && memory < 50_000, gpus !== undefined && gpus < 33]).toEqual([
        name,
        true,
        true,
        true,
      ]);
    }
  });

  it.each([
    ['aws', 39, 1377],
    ['azure', 57, 1370],
    ['gcp', 43, 519],
    ['hetzner', 6, 25],
    ['digitalocean', 15, 182],
    ['exoscale', 8, 23],
    ['ovh', 0, 50],
    ['oci', 73, 0],
  ])('the catalogue of %s has at least %i regions and %i server types', async (type, regions, types) => {
    const catalogue = await catalogueOf(type);
    expect(catalogue?.regions.length).toBeGreaterThanOrEqual(regions);
    expect(catalogue?.typeNames.length).toBeGreaterThanOrEqual(types);
  });

  it('every server type and region with a price is in the catalogue of its cloud', async () => {
    for (const { provider, regions, prices } of priceLists) {
      const catalogue = await catalogueOf(provider);
      if (catalogue === undefined) continue;
      expect([provider, ...Object.keys(prices).filter((name) => catalogue.typeNamed(name) === undefined)]).toEqual([
        provider,
      ]);
      expect(regions.filter((region) => region !== '*' && catalogue.regionNamed(region) === undefined)).toEqual([]);
    }
  });

  it('a type is sold in the regions whose bits are set, and everywhere where that is not known', () => {
    const facts = (rows: string[]) => ({ date: today, source: 'a test', rows });
    const catalogue = readCatalogue({
      regions: facts(['a', 'b', 'c']),
      serverTypes: facts(['some 2 4 arm 1 5', 'all 1 ?']),
    });
    const some = catalogue.typeNamed('some');
    expect(['a', 'b', 'c', 'd'].map((region) => some?.soldIn(region))).toEqual([true, false, true, true]);
    expect(some).toMatchObject({ cpus: 2, memory: 4, architecture: 'arm', gpus: 1 });
    expect(catalogue.typeNamed('all')).toMatchObject({ cpus: 1, architecture: 'x86', gpus: 0 });
    expect(catalogue.typeNamed('all')).not.toHaveProperty('memory');
    expect(catalogue.typeNamed('')).toBeUndefined();
  });
});

describe('the names of images', () => {
  it.each([
    ['ubuntu-22.04', 'Ubuntu 22.04'],
    ['Linux Ubuntu 24.04 LTS 64-bit', 'Ubuntu 24.04'],
    ['ubuntu-os-cloud/ubuntu-2404-lts-amd64', 'Ubuntu 24.04'],
    ['Canonical:0001-com-ubuntu-server-jammy:22_04-lts:latest', 'Ubuntu 22.04'],
    ['debian-12-x64', 'Debian 12'],
    ['debian-cloud/debian-11', 'Debian 11'],
  ])('%s is %s', (image, name) => {
    expect(distributionOf(image)?.name).toBe(name);
  });

  it.each(['ami-0123456789abcdef0', 'debian', 'ubuntu', 'ubuntu-99.04', 'debian-123456', 'my-image-2204'])(
    '%s says nothing of its distribution',
    (image) => {
      expect(distributionOf(image)).toBeUndefined();
    },
  );

  it('processors are read of the names, where they have any', () => {
    expect(
      ['ubuntu-2404-lts-arm64', 'x-aarch64', 'ubuntu-24-04-x64', 'y-amd64', 'ubuntu-24.04'].map(architectureOf),
    ).toEqual(['arm', 'arm', 'x86', 'x86', undefined]);
  });

  it('Ubuntu 22.04 and 24.04, with which nodes are tested, have not ended', () => {
    for (const version of ['22.04', '24.04'])
      expect((distributions.ends.Ubuntu[version] ?? '') > distributions.date).toBe(true);
  });
});

describe('sources of the catalogue', () => {
  it('tables of the cluster autoscaler are read row by row', () => {
    const go = `var InstanceTypes = map[string]*InstanceType{
	"g5g.xlarge": {
		InstanceType: "g5g.xlarge",
		VCPU:         4,
		MemoryMb:     8192,
		GPU:          1,
		Architecture: "arm64",
	},`;
    expect(goTypes(go)).toEqual([{ name: 'g5g.xlarge', cpus: 4, memory: 8, arm: true, gpus: 1 }]);
  });

  it('zones are read of the lists of Azure and of gcloud, also that a region has none', () => {
    const place = (name: string, more: object, regionType = 'Physical') => ({
      name,
      metadata: { regionType },
      ...more,
    });
    const value = [
      place('westeurope', { availabilityZoneMappings: [{ logicalZone: '2' }, { logicalZone: '1' }] }),
      place('westus', {}),
      place('europe', {}, 'Logical'),
    ];
    expect(azureZones(JSON.stringify({ locals: { locations_cached: { value } } }))).toEqual([
      'westeurope 1 2',
      'westus',
    ]);
    const link = 'https://www.googleapis.com/compute/v1/projects/p/zones/';
    const listed = [{ name: 'us-east1', zones: [`${link}us-east1-c`, `${link}us-east1-b`] }];
    expect(gcpZones(JSON.stringify(listed))).toEqual(['us-east1 us-east1-b us-east1-c']);
  });

  it('the page of instance types has a table of labels for each', () => {
    const page = `## a1 Family\n### \`a1.medium\`\n |karpenter.k8s.aws/instance-cpu|1|\n |karpenter.k8s.aws/instance-cpu-manufacturer|aws|\n |karpenter.k8s.aws/instance-memory|2048|\n |kubernetes.io/arch|arm64|\n`;
    expect(awsTypes(page)).toEqual([{ name: 'a1.medium', cpus: 1, memory: 2, arm: true, gpus: 0 }]);
  });

  it('prices of Azure say which region sells what', () => {
    const go = `	initialOnDemandPrices["uksouth"] = map[string]float64{\n		"Standard_B1s":  0.01,\n	}\n	initialOnDemandPrices["ukwest"] = map[string]float64{\n		"Standard_B2s":  0.02,\n	}`;
    expect([...azurePrices(go)].map(([region, types]) => [region, ...types])).toEqual([
      ['uksouth', 'Standard_B1s'],
      ['ukwest', 'Standard_B2s'],
    ]);
  });

  it('a machine type of Google Cloud says in its name its processors, GPUs and series', () => {
    const sizes = new Map([['n2-standard', 4]]);
    expect(gcpType('n2-standard-8', sizes)).toMatchObject({ cpus: 8, memory: 32, arm: false, gpus: 0 });
    expect(gcpType('a2-highgpu-4g', sizes)).toMatchObject({ cpus: undefined, memory: undefined, gpus: 4 });
    expect(gcpType('c4a-standard-8-lssd', sizes)).toMatchObject({ cpus: 8, arm: true });
    expect(gcpType('e2-micro', sizes)).toMatchObject({ cpus: undefined });
  });

  it('the script reads the end of each release of a distribution; it refuses a page of another form', () => {
    const page =
      '  - releaseCycle: "22.04"\n    eoas: 2024-09-30\n    eol: 2027-04-01\n  - releaseCycle: "9"\n    eol: false\n';
    expect(endsIn(page, 'eol', 14)).toEqual({ '22.04': '2027-04-01' });
    expect(() => endsIn('<html>', 'eol', 14)).toThrow('has changed');
  });
});
