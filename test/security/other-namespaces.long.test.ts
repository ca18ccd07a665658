/** A user of one namespace, with a good token, at what belongs to another: every route refuses it, and nothing changes. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'aws-on-loopback/logger.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '#functions/api/routes.ts';
import { addUser, removeUser } from '#local/users.ts';
import { aManifest } from '#test/api/documents.ts';
import { bodies, eveOperates, gitSource, hook, names, notification, secret, templates } from './foreign-documents.ts';
import { platformUnderAttack } from './platform-under-attack.ts';
import { rawRequest, sendRaw } from './raw-request.ts';

let dataDir: string;
let token: string;
const logged: string[] = [];
const keep: Logger['info'] = (message, fields) => void logged.push(JSON.stringify({ message, ...fields }));

const attack = platformUnderAttack(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kubeloom-users-'));
  return { inMemory: false, dataDir, logger: { info: keep, warn: keep, error: keep } };
});

const asEve = (method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) =>
  attack.call(method, path, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
const asOwner = async (method: string, path: string, body: object): Promise<void> => {
  expect((await attack.call(method, path, { body: JSON.stringify(body) })).ok).toBe(true);
};
beforeAll(async () => {
  ({ token } = await addUser(dataDir, { name: 'eve', groups: ['others'], now: new Date() }));
  await asOwner('PUT', '/v1/roles/eve', eveOperates);
  await asOwner('PUT', '/v1/secrets/team/hetzner', secret);
  await asOwner('PUT', '/v1/templates/team/own-templates', templates);
  await asOwner('PUT', '/v1/git-sources/team/clusters', gitSource);
  await asOwner('PUT', '/v1/secrets/team/notification-hook', hook);
  await asOwner('PUT', '/v1/notifications/team/alerts', notification);
  expect((await asEve('PUT', '/v1/manifests/other/mine', aManifest({ namespace: 'other', name: 'mine' }))).status).toBe(
    202,
  );
  await attack.remember();
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** With the decoded content of cursors. */
const readable = (text: string): string =>
  text.replaceAll(/[\w-]{12,}/g, (word) => `${word} ${Buffer.from(word, 'base64url').toString('latin1')}`);

describe('another namespace', () => {
  const inPath = routes.filter(({ path }) => path.includes('{namespace}'));
  const ofAdmins = routes.filter(({ path }) => path.startsWith('/v1/roles'));
  const byQuery = routes.filter(({ operation }) =>
    [
      'listManifests',
      'listWaitingPlans',
      'listTroubledRollOuts',
      'listProviders',
      'listSecrets',
      'listGitSources',
      'listNotifications',
      'listChanges',
      'listAllEvents',
    ].includes(operation),
  );
  const forEveryone = ['validate', 'whoAmI', 'getOpenapi', 'getHealth', 'getVersion'];
  // With tokens of clusters: test/pipeline/agent-tokens.test.ts.
  const ofAgents = ['listAgentGroups', 'resizeAgentGroup', 'reportAgentHealth'];

  it('each route that reaches namespaces is in this test', () => {
    const known = [...inPath, ...ofAdmins, ...byQuery].map(({ operation }) => operation as string);
    expect(routes.map(({ operation }) => operation as string).toSorted()).toEqual(
      [...known, ...forEveryone, ...ofAgents].toSorted(),
    );
  });

  it.each([...inPath, ...ofAdmins].map(({ operation, method, path }) => [operation, method, path] as const))(
    '%s in another namespace is 403, in the same words for what exists and what does not',
    async (operation, method, path) => {
      const answers: unknown[] = [];
      for (const name of [names[operation] ?? 'shop', 'nothing']) {
        const filled = path
          .replace('{namespace}', 'team')
          .replace('{name}', name)
          .replace('{stage}', 'nodes')
          .replace('{kind}', 'InventoryLayer')
          .replace('{verb}', 'pause')
          .replace('{plan}', '0'.repeat(40))
          .replace(/\{(attempt|check|generation|id)\}/, '1')
          .replaceAll(/\{\w+\}/g, 'w00');
        const answer = await asEve(method, filled, bodies[operation], { 'if-match': '*' });
        const { instance: _, ...problem } = (await answer.json()) as Record<string, unknown>;
        answers.push({ status: answer.status, code: problem.code, detail: problem.detail });
      }
      expect(answers[0]).toEqual({
        status: 403,
        code: 'Forbidden',
        detail: expect.stringContaining('local:eve lacks'),
      });
      expect(answers[1]).toEqual(answers[0]);
      await attack.unchanged();
    },
  );

  it.each(byQuery.map(({ operation, path }) => [operation, path] as const))(
    '%s shows nothing of another namespace, named or not, nor after a cursor',
    async (_operation, path) => {
      expect((await asEve('GET', `${path}?namespace=team`)).status).toBe(403);
      expect((await asEve('GET', `${path}?namespace=other&namespace=team`)).status).toBe(400);
      const { next } = (await (await attack.call('GET', `${path}?namespace=team&limit=1`)).json()) as { next?: string };
      const queries = ['?namespace=other', '?limit=1', ''];
      if (next !== undefined) queries.push(`?namespace=other&next=${next}`, `?limit=1&next=${next}`);
      // The pages of the cursors are checked, too: they are appended while there are any.
      for (const query of queries) {
        const answer = await asEve('GET', `${path}${query}`);
        expect(answer.status).toBeOneOf([200, 400, ...(query.includes('namespace') ? [] : [403])]);
        const text = await answer.text();
        expect(readable(text)).not.toMatch(/team|hetzner|own-templates|shop/);
        const { next: on } = JSON.parse(text) as { next?: string };
        if (on !== undefined && queries.length < 20) queries.push(`?limit=1&next=${on}`);
      }
    },
  );

  it('a document with a foreign namespace learns nothing of its Secrets and templates', async () => {
    const asked = (field: string, name: string) => ({
      ...aManifest({ namespace: 'team', name: 'thief' }),
      spec: {
        ...aManifest().spec,
        providers: [{ name: 'h', providerType: 'hetzner', [field]: { name, namespace: 'team' } }],
      },
    });
    for (const field of ['secretRef', 'templatesRef']) {
      const answers = [];
      for (const name of [field === 'secretRef' ? 'hetzner' : 'own-templates', 'nothing-at-all']) {
        const answer = await asEve('POST', '/v1/validate', asked(field, name));
        answers.push([answer.status, ((await answer.json()) as { detail?: string }).detail?.replace(name, 'NAME')]);
      }
      expect(answers[0]).toEqual([403, expect.stringContaining('local:eve lacks the role')]);
      expect(answers[1]).toEqual(answers[0]);
    }
  });

  it('a document with a foreign namespace is refused under a path of one’s own', async () => {
    const answers = [
      await asEve('PUT', '/v1/manifests/other/shop', aManifest({ namespace: 'team', name: 'shop' })),
      await asEve('PUT', '/v1/secrets/other/hetzner', { ...secret, metadata: { name: 'hetzner', namespace: 'team' } }),
      await asEve('PUT', '/v1/templates/other/own-templates', {
        ...templates,
        metadata: { name: 'own-templates', namespace: 'team' },
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422]);
    await attack.unchanged();
  });

  it('a manifest cannot use Secrets and templates of another namespace', async () => {
    const manifest = aManifest({ namespace: 'other', name: 'thief' });
    const withReference = (field: string, name: string) => ({
      ...manifest,
      spec: {
        ...manifest.spec,
        providers: [{ name: 'sim-1', providerType: 'sim', [field]: { name, namespace: 'team' } }],
      },
    });
    for (const [field, name] of [
      ['secretRef', 'hetzner'],
      ['secretRef', 'nothing'],
      ['templatesRef', 'own-templates'],
    ] as const) {
      const body = withReference(field, name);
      for (const [method, path] of [
        ['PUT', '/v1/manifests/other/thief'],
        ['POST', '/v1/manifests/other/thief/plan'],
        ['POST', '/v1/validate'],
      ] as const) {
        const answer = await asEve(method, path, body);
        expect([field, path, answer.status]).toEqual([field, path, 403]);
        expect(((await answer.json()) as { detail: string }).detail).toContain(`${field} "team/${name}"`);
      }
    }
    expect((await asEve('GET', '/v1/manifests/other/thief')).status).toBe(404);
    await attack.unchanged();
  });

  it.each([
    ['/v1/manifests/other/../team/shop', 404],
    ['/v1/manifests/other/%2e%2e/team/shop', 404],
    ['/v1/manifests/other%2f..%2fteam/shop', 400],
    ['/v1/manifests/other/..%2fteam%2fshop', 400],
    ['/v1/manifests/TEAM/shop', 400],
    ['/v1/manifests/team%00/shop', 400],
    ['/v1/manifests/*/shop', 400],
    ['/v1/manifests/other,team/shop', 400],
    ['/v1/manifests/team;other/shop', 400],
    ['/v1/secrets/team%2fother/hetzner', 400],
    ['/v1/templates/other/..%2f..%2fteam%2fown-templates', 400],
  ])('the path %s does not reach another namespace', async (path, expected) => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = method === 'PUT' ? JSON.stringify(aManifest({ compute: 5 })) : '';
      const { status } = await sendRaw(attack.platform.apiUrl, rawRequest(method, path, { headers, body }));
      // Where a path is tidied up, it is the other namespace's, and refused as that.
      expect([method, status]).toEqual([
        method,
        expected === 404 ? 403 : path.includes('/secrets/') && method === 'GET' ? 405 : 400,
      ]);
    }
    await attack.unchanged();
  });

  it('headers that claim another identity do not open another namespace', async () => {
    const { token: owners } = attack.platform;
    const lies = {
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-user': 'local',
      'x-amzn-oidc-identity': 'local',
      'x-amzn-request-context': '{"authorizer":{"jwt":{"claims":{"sub":"local"}}}}',
      'x-kubeloom-role': 'admin',
      cookie: `token=${owners}; sub=local`,
    };
    expect(await (await asEve('GET', '/v1/whoami', undefined, lies)).json()).toMatchObject({
      name: 'local:eve',
      from: '127.0.0.1',
      grants: [{ role: 'operator', namespaces: ['other'] }],
    });
    expect((await asEve('GET', '/v1/manifests/team/shop', undefined, lies)).status).toBe(403);
    // Two tokens: neither is taken.
    const head = `GET /v1/manifests/team/shop HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${token}\r\n`;
    const second = await sendRaw(attack.platform.apiUrl, `${head}authorization: Bearer ${owners}\r\n\r\n`);
    expect(second.status).toBeOneOf([400, 401, 403]);
    const broken = await sendRaw(attack.platform.apiUrl, `${head}x-a: b\r\n authorization: Bearer ${owners}\r\n\r\n`);
    expect(broken.status).toBeOneOf([400, 403]);
  });

  it('an If-Match is valid once, and only in namespaces that the caller may change', async () => {
    const tag = (await attack.call('GET', '/v1/manifests/team/shop')).headers.get('etag') ?? '';
    expect(tag).not.toBe('');
    expect((await asEve('PUT', '/v1/manifests/team/shop', aManifest({ compute: 5 }), { 'if-match': tag })).status).toBe(
      403,
    );
    await attack.unchanged();
    const path = '/v1/manifests/other/mine';
    const own = (await asEve('GET', path)).headers.get('etag') ?? '';
    const put = (compute: number) =>
      asEve('PUT', path, aManifest({ namespace: 'other', name: 'mine', compute }), { 'if-match': own });
    expect([(await put(3)).status, (await put(4)).status]).toEqual([202, 412]);
    await attack.remember();
  });
});

describe('a token', () => {
  it('a token is in no file, no log and no event of the platform', async () => {
    const events = await (await attack.call('GET', '/v1/manifests/other/mine/events?limit=200')).text();
    expect(events).toContain('local:eve from 127.0.0.1');
    const files = (await readdir(dataDir, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
    expect(files.length).toBeGreaterThan(10);
    const holding: string[] = [];
    for (const file of files) {
      const path = join(file.parentPath, file.name);
      if ((await readFile(path)).includes(token.slice(4))) holding.push(path);
    }
    expect(holding).toEqual([]);
    expect([events, ...logged].join('\n')).not.toContain(token.slice(4));
  });

  it('a token of a removed user is refused on every route from the next request on', async () => {
    expect((await asEve('GET', '/v1/manifests/other/mine')).status).toBe(200);
    await removeUser(dataDir, 'eve');
    for (const { operation, method, path } of routes.filter(({ anonymous }) => !anonymous)) {
      const filled = path
        .replace('{namespace}', 'other')
        .replace('{name}', 'mine')
        .replaceAll(/\{\w+\}/g, 'w00');
      expect([operation, (await asEve(method, filled, bodies[operation])).status]).toEqual([operation, 401]);
    }
    // The name alone does not restore access: the token differs.
    await addUser(dataDir, { name: 'eve', groups: ['others'], now: new Date() });
    expect((await asEve('GET', '/v1/whoami')).status).toBe(401);
    await attack.unchanged();
  });
});
