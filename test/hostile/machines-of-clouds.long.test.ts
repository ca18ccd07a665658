/** Clouds that lie about one machine, and about an account: nothing is stopped or deleted for it, and no finding is obeyed. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderTypeName } from '#domain/provider-types.ts';
import { orNotKnown } from '#runner/listing/list-cluster.ts';
import { readMachines } from '#runner/listing/machine-acts.ts';
import { checkLogin } from '#runner/provider-check/check-provider.ts';
import { type ActingCloud, cluster, OneMachine } from '#test/listing/acting-cloud.ts';
import { actingClouds } from '#test/listing/acting-clouds.ts';
import { tokenClouds } from '#test/listing/acting-token-clouds.ts';
import { type FakeCloud, fakeCloud, type Routes } from '#test/provider-check/fake-cloud.ts';
import { accountRows } from './answers-about-accounts.ts';
import { type Canary, hostileTexts, liesAbout, obeyedInJson, openCanary } from './lies.ts';

let canary: Canary;
const open: FakeCloud[] = [];
beforeAll(() => {
  canary = openCanary();
});
afterEach(() => {
  for (const cloud of open.splice(0)) cloud.close();
});
afterAll(() => {
  expect(canary.sings()).toBe(false);
  canary.remove();
});

/** The cloud, each answer of which passes through `change` with its route. */
async function lying(
  { id, place, type, input, routes }: ActingCloud,
  change: (route: string, body: unknown) => unknown,
) {
  let url = '';
  const honest = routes(new OneMachine(), () => url);
  const changed: Routes = Object.fromEntries(
    Object.entries(honest).map(([route, answer]) => [
      route,
      (request) => {
        const spoken = answer(request);
        return { ...spoken, body: change(route, spoken.body) };
      },
    ]),
  );
  const cloud = await fakeCloud(changed);
  url = cloud.url;
  open.push(cloud);
  const asked = { ...input(url), cluster, regions: place === undefined ? [] : [place] };
  return {
    cloud,
    look: () => orNotKnown(() => readMachines(type, asked, [{ id, ...(place !== undefined && { place }) }])),
  };
}

describe.each([...actingClouds, ...tokenClouds].map((cloud) => [cloud.type, cloud] as const))('%s', (type, cloud) => {
  it(`a machine of ${type} about which the cloud lies is ours as it was listed, or not ours, or not known`, async () => {
    const answers = new Map<string, unknown>();
    const note = await lying(cloud, (route, body) => {
      answers.set(route, body);
      return body;
    });
    expect(await note.look()).toMatchObject([{ id: cloud.id }]);
    let lie: { readonly route: string; readonly value: unknown } | undefined;
    const { look, cloud: asked } = await lying(cloud, (route, body) => (route === lie?.route ? lie.value : body));
    for (const [route, body] of answers) {
      const lies =
        typeof body === 'string'
          ? Object.entries(hostileTexts(canary.file)).map(([title, text]) => ({
              title,
              value: body.replaceAll(cloud.id, text),
            }))
          : liesAbout(body, canary.file);
      for (const { title, value } of lies) {
        lie = { route, value };
        const found = await look();
        expect(JSON.stringify(found), `${route}: ${title}`).not.toMatch(obeyedInJson);
        if (Array.isArray(found)) for (const one of found) expect(one.id, title).toBe(cloud.id);
      }
    }
    expect(asked.asked.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });
});

describe.each(accountRows)('an account of $type', ({ type, answers, headers = {}, input }) => {
  const check = async (change: (route: string, body: unknown) => unknown) => {
    const cloud = await fakeCloud(
      Object.fromEntries(
        Object.entries(answers).map(([route, body]) => [
          route,
          () => ({
            body: JSON.parse(JSON.stringify(change(route, body) ?? null).replaceAll('URL/', `${cloud.url}/`)),
            headers,
          }),
        ]),
      ),
    );
    open.push(cloud);
    return checkLogin(type as ProviderTypeName, { permissions: [], ...input(cloud.url) });
  };

  it(`findings about ${type} come from an honest answer`, async () => {
    const findings = await check((_, body) => body);
    expect(JSON.stringify(findings)).not.toMatch(/unknown form|does not answer|cannot be read/);
    const refused = findings.filter(
      ({ about, ok, message }) => about === 'identity' && ok === false && !/region/.test(message),
    );
    expect(refused).toEqual([]);
    expect(findings.length).toBeGreaterThan(0);
  });

  it(`findings about ${type} are words that nothing obeys`, async () => {
    for (const [route, answer] of Object.entries(answers))
      for (const { title, value } of liesAbout(answer, canary.file)) {
        const findings = await check((asked, body) => (asked === route ? value : body));
        expect(findings.length, `${route}: ${title}`).toBeGreaterThan(0);
        expect(JSON.stringify(findings), `${route}: ${title}`).not.toMatch(obeyedInJson);
        expect(JSON.stringify(findings), `${route}: ${title}`).not.toContain('planted-token');
        for (const { name, message } of findings) expect(name.length + message.length, title).toBeLessThan(3000);
        for (const cloud of open.splice(0)) cloud.close();
      }
  });
});
