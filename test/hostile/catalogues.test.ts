/** A cloud that lies about what it sells: nothing of it is kept but names and numbers in their closed forms. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeptCatalogue } from '#domain/catalogue/kept-catalogue.ts';
import { readCloud } from '#runner/catalogue/read-cloud.ts';
import { digitalOceanAnswers, hetznerImages, hetznerLocations, hetznerTypes } from '#test/catalogue/cloud-lists.ts';
import { brokenJson, liesAbout, obeyedInJson } from './lies.ts';
import { type LyingServer, lyingServer, type Spoken } from './lying-server.ts';
import { outcomeOf } from './outcome-of.ts';
import { silentCanary } from './silent-canary.ts';

const canary = silentCanary();
let cloud: LyingServer;
beforeEach(async () => {
  cloud = await lyingServer();
});
afterEach(() => cloud.close());

const clouds: Readonly<Record<'hetzner' | 'digitalocean', Readonly<Record<string, unknown>>>> = {
  hetzner: {
    'GET /v1/server_types': { server_types: hetznerTypes.slice(0, 1), meta: { pagination: { next_page: null } } },
    'GET /v1/locations': { locations: hetznerLocations.slice(0, 1) },
    'GET /v1/images': { images: hetznerImages.slice(0, 1) },
  },
  digitalocean: digitalOceanAnswers,
};
const spoken = (answers: Readonly<Record<string, unknown>>): Record<string, Spoken> =>
  Object.fromEntries(Object.entries(answers).map(([route, body]) => [route, { body: JSON.stringify(body) }]));

describe.each(Object.entries(clouds))('%s', (type, answers) => {
  const read = () =>
    readCloud(type as keyof typeof clouds, {
      fields: { credentials: 'planted-token', token: 'planted-token' },
      today: '2026-11-28',
      bases: { api: cloud.url },
    });
  async function expectHarmless(title: string, text = '\u0000'): Promise<void> {
    const list = await outcomeOf(read, title);
    if (list === undefined) return;
    expect(KeptCatalogue.safeParse(list).success, title).toBe(true);
    expect(JSON.stringify(list), title).not.toMatch(obeyedInJson);
    expect(JSON.stringify(list).includes(text) && /[^\w.-]/.test(text), title).toBe(false);
    expect(JSON.stringify(list), title).not.toContain('planted-token');
  }

  it('an honest answer is a list', async () => {
    cloud.answers = spoken(answers);
    expect(KeptCatalogue.parse(await read())).toMatchObject({ regions: { date: '2026-11-28' } });
  });

  it('a lie in any place is refused, or is a name in its closed form', async () => {
    const honest = spoken(answers);
    for (const [route, answer] of Object.entries(answers))
      for (const { title, value, text } of liesAbout(answer, canary.file)) {
        cloud.answers = { ...honest, [route]: { body: JSON.stringify(value) ?? '' } };
        await expectHarmless(`${route}: ${title}`, text);
      }
  });

  it('an answer that is broken, elsewhere or has no end is refused', async () => {
    const honest = spoken(answers);
    for (const route of Object.keys(answers)) {
      const odd: readonly Spoken[] = [
        ...Object.values(brokenJson).map((body) => ({ body })),
        { status: 302, body: '', headers: { location: `${cloud.url}/stolen` } },
        { body: undefined },
      ];
      for (const answer of odd) {
        cloud.answers = { ...honest, [route]: answer };
        expect(await outcomeOf(read, route), `${route}: ${answer.body?.slice(0, 50)}`).toBeUndefined();
      }
    }
    expect(cloud.asked.some(({ line }) => line.includes('stolen'))).toBe(false);
  });
});
