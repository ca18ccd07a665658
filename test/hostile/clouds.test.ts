/** A cloud that lies in its lists: what comes through names nothing that a request, a plan or a person would obey. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listCluster } from '#runner/listing/list-cluster.ts';
import { awsAnswer, type CloudRow, cloudRows, cluster } from './answers-of-clouds.ts';
import { brokenJson, hostileTexts, liesAbout, obeyedInJson } from './lies.ts';
import { type LyingServer, lyingServer, type Spoken } from './lying-server.ts';
import { silentCanary } from './silent-canary.ts';

const canary = silentCanary();
let cloud: LyingServer;
beforeEach(async () => {
  cloud = await lyingServer();
});
afterEach(() => cloud.close());

const list = ({ type, input }: Pick<CloudRow, 'type' | 'input'>) => listCluster(type, { ...input(cloud.url), cluster });
const spoken = ({ answers, headers }: CloudRow): Record<string, Spoken> =>
  Object.fromEntries(
    Object.entries(answers).map(([route, body]) => [
      route,
      { body: JSON.stringify(body).replaceAll('URL/', `${cloud.url}/`), ...(headers && { headers }) },
    ]),
  );
/** A refusal in words, or things whose ids can be part of a path. */
function expectHarmless(found: Awaited<ReturnType<typeof list>>, title: string, text?: string): void {
  expect(JSON.stringify(found), title).not.toMatch(obeyedInJson);
  expect(JSON.stringify(found), title).not.toContain('planted-token');
  if ('failed' in found) {
    expect(found.failed.length, title).toBeGreaterThan(10);
    return;
  }
  for (const { id, place = '', stateId = '' } of found.items) {
    expect(id, title).toMatch(/^[A-Za-z0-9/][\w.()/-]*$/);
    expect(`${place} ${stateId}`, title).toMatch(/^[\w. /-]*$/);
    if (text !== undefined) expect([id, place, stateId].includes(text), title).toBe(false);
  }
}

describe.each(cloudRows)('$type', (row) => {
  it('an honest answer is listed', async () => {
    cloud.answers = spoken(row);
    const found = await list(row);
    expect('items' in found && found.items[0]).toMatchObject({ name: 'web-01', kind: 'machine' });
  });

  it('nothing of a lying answer reaches an id, a place or a person as it came', async () => {
    const honest = spoken(row);
    const lies = Object.entries(row.answers).flatMap(([route, answer]) =>
      liesAbout(answer, canary.file).map((lie) => ({ route, ...lie })),
    );
    for (const { route, title, value, text } of lies) {
      const body = (JSON.stringify(value) ?? '').replaceAll('URL/', `${cloud.url}/`);
      cloud.answers = { ...honest, [route]: { ...honest[route], body } };
      expectHarmless(await list(row), `${route}: ${title}`, text);
    }
    // A token of a lying catalog goes nowhere but to this cloud.
    expect(cloud.asked.every(({ headers }) => headers.host === new URL(cloud.url).host)).toBe(true);
  });

  it('an answer that is broken, refused, elsewhere, or has no end fails the listing', async () => {
    const honest = spoken(row);
    const first = Object.keys(row.answers).find((route) => route.startsWith('GET')) ?? '';
    const odd: readonly Spoken[] = [
      ...Object.values(brokenJson).map((body) => ({ body })),
      { status: 302, body: '', headers: { location: 'http://169.254.169.254/latest/meta-data/' } },
      { status: 302, body: '', headers: { location: `${cloud.url}/stolen` } },
      { status: 500, body: `{"error":{"code":"\u001b[31m"},"message":"\u202e"}` },
      { body: '{}', headers: { date: 'x'.repeat(5000) } },
    ];
    for (const answer of odd) {
      cloud.answers = { ...honest, [first]: answer };
      expectHarmless(await list(row), JSON.stringify(answer).slice(0, 200));
    }
    expect(cloud.asked.some(({ line }) => line.includes('stolen'))).toBe(false);
  });

  it('a body without an end is hung up on after some megabytes', async () => {
    const first = Object.keys(row.answers).find((route) => route.startsWith('GET')) ?? '';
    cloud.answers = { ...spoken(row), [first]: { body: undefined } };
    expect(await list(row)).toMatchObject({ failed: expect.stringMatching(/does not answer/) });
    // What is in the buffers of sockets counts, too.
    expect(cloud.sent).toBeLessThan(60_000_000);
  });
});

it('a catalog of OpenStack that names addresses inside of the runner leads nowhere', async () => {
  const row = cloudRows.find(({ type }) => type === 'openstack');
  if (row === undefined) throw new Error('no OpenStack');
  for (const inside of ['http://169.254.169.254/', 'http://localhost:9/', 'http://[::1]:9/', 'http://[fe80::1]/'])
    for (const host of ['127.1.2.3', '0.0.0.0', new URL(inside).hostname]) {
      const [login = ''] = Object.keys(row.answers);
      const body = JSON.stringify(row.answers[login]).replaceAll(
        'URL/',
        inside.replace(new URL(inside).hostname, host),
      );
      cloud.answers = { ...spoken(row), [login]: { ...spoken(row)[login], body } };
      expect(await list(row)).toEqual({ failed: 'servers cannot be listed: the catalog has no such service' });
    }
});

describe('aws', () => {
  const fields = { accesskey: 'AKIAIOSFODNN7EXAMPLE', secretkey: 'planted-token-planted-token-planted-token' };
  const input = (ec2: string) => ({ fields, regions: ['eu-central-1'], bases: { ec2 } });
  const answering = (change: Parameters<typeof awsAnswer>[1], wrap = (xml: string) => xml) => {
    cloud.answers = {
      'POST /': (body) => {
        const question = new URLSearchParams(body);
        const isFirst = question.get('NextToken') === null;
        return { body: wrap(awsAnswer(question.get('Action') ?? '', isFirst ? change : {})) };
      },
    };
  };
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

  it('an honest answer is listed', async () => {
    answering({});
    expect(await list({ type: 'aws', input })).toMatchObject({
      items: [{ id: 'i-0123456789abcdef0', name: 'web-01' }],
    });
  });

  it('nothing of a lying answer reaches an id or a person as it came', async () => {
    for (const [title, text] of Object.entries(hostileTexts(canary.file)))
      for (const field of ['id', 'named', 'next'] as const) {
        answering({ [field]: escaped(text) });
        expectHarmless(await list({ type: 'aws', input }), `${field}: ${title}`, text);
      }
  });

  it('entities, elements without an end and too many of them fail the listing', async () => {
    const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>';
    const wraps: readonly ((xml: string) => string)[] = [
      (xml) => `${bomb}${xml.replaceAll('web-01', '&b;&b;&b;')}`,
      () => '<a>'.repeat(100_000),
      () => `<DescribeInstancesResponse>${'<a></a>'.repeat(600_000)}</DescribeInstancesResponse>`,
      () => `<DescribeInstancesResponse>${'<item></items>'}`,
      () => '',
    ];
    for (const wrap of wraps) {
      answering({}, wrap);
      const found = await list({ type: 'aws', input });
      expectHarmless(found, wrap('').slice(0, 100));
      expect(JSON.stringify(found)).not.toContain('aaaaaaaaaaaaaaaaaaaa');
    }
  });
});
