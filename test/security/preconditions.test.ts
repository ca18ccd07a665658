/** An `If-Match` is good once: sent again, late or at the same time, it changes nothing. */
import { describe, expect, it } from 'vitest';
import { aManifest } from '#test/api/documents.ts';
import { platformUnderAttack } from './platform-under-attack.ts';

const attack = platformUnderAttack();
const path = '/v1/manifests/team/till';
const put = (compute: number, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  attack.call('PUT', path, { body: JSON.stringify(aManifest({ name: 'till', compute })), headers });
const tagOf = (answer: Response): string => answer.headers.get('etag') ?? '';

describe('outdated versions', () => {
  it('a change is refused with 412 when its tag is sent again', async () => {
    const first = tagOf(await put(1));
    const changed = await put(2, { 'if-match': first });
    expect(changed.status).toBe(202);
    const before = await (await attack.call('GET', path)).json();
    for (const answer of [
      await put(3, { 'if-match': first }),
      await attack.call('DELETE', path, { headers: { 'if-match': first } }),
    ]) {
      expect(answer.status).toBe(412);
      expect(await answer.json()).toMatchObject({ status: 412 });
    }
    const { generation, document } = (await (await attack.call('GET', path)).json()) as Record<string, unknown>;
    expect({ generation, document }).toMatchObject({
      generation: (before as Record<string, unknown>).generation,
      document: (before as Record<string, unknown>).document,
    });
  });

  it('one of twenty changes with the same tag at once is accepted', async () => {
    const tag = tagOf(await attack.call('GET', path));
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => put(n + 4, { 'if-match': tag })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412 || status === 409)).toHaveLength(19);
  });

  it('one of twenty requests that only create is accepted', async () => {
    const make = () =>
      attack.call('PUT', '/v1/manifests/team/new', {
        body: JSON.stringify(aManifest({ name: 'new' })),
        headers: { 'if-none-match': '*' },
      });
    const statuses = (await Promise.all(Array.from({ length: 20 }, make))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412 || status === 409)).toHaveLength(19);
  });

  it('a text that only looks like the tag does not match', async () => {
    for (const tag of ['', '"', 'g1-a1', '"g1"', '"g999-a1"', "'*'", '"*"', 'W/"g999-a1"']) {
      expect([tag, (await put(9, { 'if-match': tag })).status]).toEqual([tag, 412]);
    }
  });
});
