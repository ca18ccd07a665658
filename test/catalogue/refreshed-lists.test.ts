/** Lists that an installation reads itself: what clouds answer, and which list takes the place of the one that comes with Kubeloom. */
import { afterEach, describe, expect, it } from 'vitest';
import { readCatalogue } from '#domain/catalogue/catalogue.ts';
import { judgeKept } from '#domain/catalogue/kept-catalogue.ts';
import { readCloud } from '#runner/catalogue/read-cloud.ts';
import { type FakeCloud, fakeCloud, type Routes } from '#test/provider-check/fake-cloud.ts';
import { digitalOceanAnswers, hetznerImages, hetznerLocations, hetznerTypes, listOfHetzner } from './cloud-lists.ts';

const today = '2026-11-28';
const open: FakeCloud[] = [];
afterEach(() => {
  for (const cloud of open.splice(0)) cloud.close();
});

async function read(type: 'hetzner' | 'digitalocean', routes: Routes) {
  const cloud = await fakeCloud(routes);
  open.push(cloud);
  const fields = { credentials: 'planted-token', token: 'planted-token' };
  return { list: readCloud(type, { fields, today, bases: { api: cloud.url } }), cloud };
}

/** `all` in pages of ten, as Hetzner sends them. */
const paged =
  (word: string, all: readonly object[]): Routes[string] =>
  ({ path }) => {
    const page = Number(new URLSearchParams(path.split('?')[1]).get('page'));
    const next = page * 10 < all.length ? page + 1 : null;
    return { body: { [word]: all.slice(page * 10 - 10, page * 10), meta: { pagination: { page, next_page: next } } } };
  };
const hetzner: Routes = {
  'GET /v1/server_types': paged('server_types', hetznerTypes),
  'GET /v1/locations': paged('locations', hetznerLocations),
  'GET /v1/images': paged('images', hetznerImages),
};

describe('what clouds answer', () => {
  it("Hetzner's lists are read page by page, with the token, and have source and date", async () => {
    const { list, cloud } = await read('hetzner', hetzner);
    const { regions, serverTypes, images } = await list;
    expect(regions).toEqual({ date: today, source: "locations, as in Hetzner's API", rows: ['ash', 'fsn1', 'hel1'] });
    expect(serverTypes.rows).toHaveLength(hetznerTypes.length);
    expect(images?.rows).toEqual(['ubuntu-24.04']);
    const catalogue = readCatalogue({ regions, serverTypes, images });
    const type = catalogue.typeNamed('cax11');
    expect([type?.architecture, type?.soldIn('fsn1'), type?.soldIn('ash')]).toEqual(['arm', true, false]);
    expect(catalogue.typeNamed('new9')).toMatchObject({ cpus: 4, memory: 8.5, architecture: 'x86' });
    expect(cloud.asked.filter(({ path }) => path.startsWith('/v1/server_types'))).toHaveLength(2);
    expect(cloud.asked.every(({ headers }) => headers.authorization === 'Bearer planted-token')).toBe(true);
  });

  it("DigitalOcean's lists are read, with the GPUs that names of sizes say", async () => {
    const routes = Object.fromEntries(
      Object.entries(digitalOceanAnswers).map(([key, body]) => [key, () => ({ body })]),
    );
    const list = await (await read('digitalocean', routes)).list;
    expect(readCatalogue(list).typeNamed('gpu-h100x8-640gb')).toMatchObject({ cpus: 160, memory: 1920, gpus: 8 });
    expect(list.images?.rows).toEqual(['ubuntu-24-04-x64']);
  });

  it('a refused token, a missing permission, an empty list and pages without end are refused in words', async () => {
    const odd: readonly (readonly [Routes[string], RegExp])[] = [
      [() => ({ status: 401, body: { error: { code: 'unauthorized' } } }), /token is refused/],
      [() => ({ status: 403, body: { error: { code: 'forbidden' } } }), /a permission is missing/],
      [() => ({ status: 500, body: 'planted-token' }), /HTTP 500/],
      [
        ({ path }) => {
          const page = Number(new URLSearchParams(path.split('?')[1]).get('page'));
          return { body: { server_types: hetznerTypes, meta: { pagination: { next_page: page + 1 } } } };
        },
        /endless pages/,
      ],
      [paged('server_types', []), /the list is empty/],
      [() => ({ body: { server_types: [{ ...hetznerTypes[0], cores: 9e9 }] } }), /another form/],
    ];
    for (const [route, words] of odd) {
      const { list } = await read('hetzner', { ...hetzner, 'GET /v1/server_types': route });
      await expect(list).rejects.toMatchObject({
        error: { code: 'CatalogueUnread', message: expect.stringMatching(words) },
      });
    }
  });
});

describe('which list is used', () => {
  const shipped = readCatalogue(listOfHetzner('2026-08-17'));
  const judged = (content: unknown) => judgeKept(content, shipped, new Date(`${today}T12:00:00Z`));

  it('a newer list is used, also one of half as many types', () => {
    for (const names of [undefined, ['cx23', 'cx33', 'cx43', 'cx53', 'a1', 'a2', 'a3']])
      expect(judged(listOfHetzner(today, names))).toMatchObject({
        catalogue: { typeNames: names ?? shipped.typeNames },
      });
  });

  it.each([
    ['another form', { ...listOfHetzner(today), extra: 1 }, 'it has another form'],
    ['no map', 'x', 'it has another form'],
    ['words of a terminal', listOfHetzner(today, ['\u001b[2J']), 'it has another form'],
    [
      'the date of the other one',
      listOfHetzner('2026-08-17'),
      'it is of 2026-08-17, and not newer than the list of 2026-08-17',
    ],
    ['an older date', listOfHetzner('2025-01-01'), 'it is of 2025-01-01, and not newer than the list of 2026-08-17'],
    ['a date to come', listOfHetzner('2027-01-01'), 'its date 2027-01-01 is in the future'],
    [
      'too few types',
      listOfHetzner(today, ['cx23', 'cx33']),
      'it has 2 server types, less than half of the 13 that are known',
    ],
  ])('a list with %s is not used, and the reason is given', (_what, content, ignored) => {
    expect(judged(content)).toEqual({ ignored });
  });
});
