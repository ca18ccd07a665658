/** Answers of two clouds to what they sell, in the shapes of their APIs, as many as a list needs to take the place of another. */
import type { KeptCatalogue } from '#domain/catalogue/kept-catalogue.ts';

const protection = { deprecated: false, description: 'x' };
const price = (location: string) => ({ location, price_hourly: { net: '0.006' }, price_monthly: { net: '3.79' } });

export const hetznerTypes = [
  { id: 1, name: 'cax11', cores: 2, memory: 4, disk: 40, architecture: 'arm', prices: [price('fsn1')], ...protection },
  ...['cx23', 'cx33', 'cx43', 'cx53', 'ccx13', 'ccx23', 'ccx33', 'ccx43', 'cpx22', 'cpx32', 'cpx42', 'new9'].map(
    (name, index) => ({
      id: index + 2,
      name,
      cores: 4,
      memory: 8.5,
      architecture: 'x86',
      prices: [price('fsn1'), price('ash'), price('hel1')],
      ...protection,
    }),
  ),
];
export const hetznerLocations = ['fsn1', 'ash', 'hel1'].map((name, index) => ({ id: index + 1, name, country: 'DE' }));
export const hetznerImages = [
  { id: 1, name: 'ubuntu-24.04', type: 'system', architecture: 'x86' },
  { id: 2, name: null, type: 'system', architecture: 'x86' },
];

export const digitalOceanAnswers = {
  'GET /v2/regions': { regions: [{ slug: 'nyc2', name: 'x', available: true }, { slug: 'fra1' }], links: {}, meta: {} },
  'GET /v2/sizes': {
    sizes: [{ slug: 'gpu-h100x8-640gb', vcpus: 160, memory: 1_966_080, disk: 2046, regions: ['nyc2'] }],
    links: { pages: {} },
  },
  'GET /v2/images': { images: [{ slug: 'ubuntu-24-04-x64' }, { slug: null }] },
};

/** A list of Hetzner of that day. */
export function listOfHetzner(date: string, names = hetznerTypes.map(({ name }) => name)): Required<KeptCatalogue> {
  const facts = (rows: string[]) => ({ date, source: "server types, as in Hetzner's API", rows });
  return {
    regions: facts(['ash', 'fsn1', 'hel1']),
    serverTypes: facts(names.map((name) => `${name} 4 8`)),
    images: facts(['ubuntu-24.04']),
  };
}
