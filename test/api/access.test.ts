/** Who may do what: roles by namespace, for principals of AWS and for tokens. */
import { describe, expect, it } from 'vitest';
import type { AccessRole } from '#domain/access.ts';
import { type ApiUnderTest, apiUnderTest, type Call } from './api-under-test.ts';
import { aManifest, aSecret, aTemplateReference, manifestPath } from './documents.ts';

const asUser = (sub: string, claims: object = {}): Call['as'] => ({ jwt: { claims: { sub, ...claims } } });
const asRole = (name: string): Call['as'] => ({
  iam: { userArn: `arn:aws:sts::123456789012:assumed-role/${name}/session-1` },
});
const root = asUser('root');

function binding(name: string, role: AccessRole, namespaces: string[], subjects: object[]) {
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'RoleBinding',
    metadata: { name },
    spec: { role, namespaces, subjects },
  };
}

/** An API whose only admin is `root`, with these bindings. */
async function apiWith(...bindings: ReturnType<typeof binding>[]): Promise<ApiUnderTest> {
  const under = apiUnderTest({ KUBELOOM_ADMINS: 'user:root' });
  for (const one of bindings) {
    const { status } = await under.call('PUT', `/v1/roles/${one.metadata.name}`, { body: one, as: root });
    expect(status).toBe(200);
  }
  return under;
}

describe('a role in a single namespace', () => {
  it('a role gives the same refusal in other namespaces, for what exists and what does not', async () => {
    const under = await apiWith(binding('ops', 'operator', ['other'], [{ user: 'eve' }]));
    await under.call('PUT', manifestPath, { body: aManifest(), as: root });
    const before = await under.deps.manifests.get({ namespace: 'team', name: 'shop' });
    const exists = await under.call('DELETE', manifestPath, { as: asUser('eve') });
    const missing = await under.call('DELETE', manifestPath.replace('shop', 'nothing'), { as: asUser('eve') });
    expect([exists.status, missing.status]).toEqual([403, 403]);
    expect(exists.json.detail).toBe(missing.json.detail);
    expect(exists.json.detail).toBe(
      'eve lacks the role operator in namespace "team"; an admin can grant it with a RoleBinding',
    );
    expect(await under.deps.manifests.get({ namespace: 'team', name: 'shop' })).toEqual(before);
  });

  it('a role shows in lists only what is in its namespace', async () => {
    const under = await apiWith(binding('see', 'viewer', ['team'], [{ user: 'ann' }]));
    const other = { ...aManifest(), metadata: { name: 'shop', namespace: 'other' } };
    await under.call('PUT', manifestPath, { body: aManifest(), as: root });
    await under.call('PUT', '/v1/manifests/other/shop', { body: other, as: root });
    await under.call('PUT', '/v1/secrets/other/hetzner', {
      body: { ...aSecret(), metadata: { name: 'hetzner' } },
      as: root,
    });
    await under.call('PUT', '/v1/secrets/team/hetzner', { body: aSecret(), as: root });
    const namespacesOf = async (path: string, as: Call['as']) =>
      ((await under.call('GET', path, { as })).json.items as { namespace: string }[]).map(({ namespace }) => namespace);
    expect(await namespacesOf('/v1/manifests', asUser('ann'))).toEqual(['team']);
    expect(await namespacesOf('/v1/secrets', asUser('ann'))).toEqual(['team']);
    expect((await namespacesOf('/v1/manifests', root)).sort()).toEqual(['other', 'team']);
    expect((await under.call('GET', '/v1/manifests?namespace=other', { as: asUser('ann') })).status).toBe(403);
  });

  it('a role does not reach Secrets or templates of other namespaces through a reference', async () => {
    const under = await apiWith(binding('ops', 'operator', ['team'], [{ user: 'eve' }]));
    await under.call('PUT', '/v1/templates/other/own-templates', {
      body: { ...aTemplateReference(), metadata: { name: 'own-templates' } },
      as: root,
    });
    const manifest = aManifest();
    const templatesRef = { name: 'own-templates', namespace: 'other' };
    const providers = manifest.spec.providers.map((provider) => ({ ...provider, templatesRef }));
    const body = { ...manifest, spec: { ...manifest.spec, providers } };
    for (const [method, path] of [
      ['PUT', manifestPath],
      ['POST', `${manifestPath}/plan`],
      ['POST', '/v1/validate'],
    ] as const) {
      const answer = await under.call(method, path, { body, as: asUser('eve') });
      expect(answer, path).toMatchObject({
        status: 403,
        json: { detail: expect.stringContaining('templatesRef "other/own-templates"') },
      });
    }
    expect(under.deps.workflows.started).toEqual([]);
  });
});

describe('subjects', () => {
  it('a subject is a principal of AWS, whatever its session is called', async () => {
    const arn = 'arn:aws:iam::123456789012:role/teams/deployer';
    const under = await apiWith(binding('deploy', 'operator', ['team'], [{ iam: arn }]));
    const put = (as: Call['as']) => under.call('PUT', '/v1/secrets/team/hetzner', { body: aSecret(), as });
    expect((await put(asRole('deployer'))).status).toBe(200);
    expect((await put(asRole('deployer-2'))).status).toBe(403);
    // A token that claims to be this principal is not this principal.
    expect((await put(asUser(arn))).status).toBe(403);
  });

  it('a subject can be a session of a role, as whoami shows it', async () => {
    const sessions = 'arn:aws:sts::123456789012:assumed-role/deployer/session-1';
    const under = await apiWith(
      binding('one', 'operator', ['team'], [{ iam: sessions }]),
      binding('all', 'operator', ['team'], [{ iam: 'arn:aws:sts::123456789012:assumed-role/builder/*' }]),
    );
    const put = async (as: Call['as']) =>
      (await under.call('PUT', '/v1/secrets/team/hetzner', { body: aSecret(), as })).status;
    expect((await under.call('GET', '/v1/whoami', { as: asRole('deployer') })).json.name).toBe(sessions);
    expect([await put(asRole('deployer')), await put(asRole('builder'))]).toEqual([200, 200]);
    const other: Call['as'] = { iam: { userArn: sessions.replace('session-1', 'session-2') } };
    expect([await put(other), await put(asRole('builder-2'))]).toEqual([403, 403]);
  });

  it('a subject can be a claim, in a list as API Gateway writes it', async () => {
    const under = await apiWith(
      binding('group', 'operator', ['team'], [{ claim: { name: 'groups', value: 'platform' } }]),
    );
    const put = (claims: object) =>
      under.call('PUT', '/v1/secrets/team/hetzner', { body: aSecret(), as: asUser('x', claims) });
    expect((await put({ groups: '[dev platform]' })).status).toBe(200);
    expect((await put({ groups: 'platform' })).status).toBe(200);
    expect((await put({ groups: '[dev platform-2]' })).status).toBe(403);
    expect((await put({ teams: 'platform' })).status).toBe(403);
  });

  it('a subject does not match a value that only looks like a list, nor an inherited property', async () => {
    const under = await apiWith(
      binding('mail', 'operator', ['team'], [{ claim: { name: 'email', value: 'boss@example.com' } }]),
      binding('odd', 'operator', ['team'], [{ claim: { name: 'constructor', value: 'x' } }]),
      binding('user', 'operator', ['team'], [{ user: 'ann' }]),
    );
    const statusFor = async (sub: string, claims: object = {}) =>
      (await under.call('PUT', '/v1/secrets/team/hetzner', { body: aSecret(), as: asUser(sub, claims) })).status;
    expect(await statusFor('eve', { email: 'boss@example.com' })).toBe(200);
    expect(await statusFor('eve', { email: '[boss@example.com]' })).toBe(403);
    expect(await statusFor('[ann]')).toBe(403);
    expect(await statusFor('[root]')).toBe(403);
    expect(await statusFor('eve')).toBe(403);
  });

  it.each(['groups', 'cognito:groups', 'https://example.com/roles', 'memberOf'])(
    'a claim is read as a list in %s',
    async (name) => {
      const under = await apiWith(binding('list', 'operator', ['team'], [{ claim: { name, value: 'platform' } }]));
      const put = (value: string) =>
        under.call('PUT', '/v1/secrets/team/hetzner', { body: aSecret(), as: asUser('x', { [name]: value }) });
      expect([(await put('[dev platform]')).status, (await put('[dev]')).status]).toEqual([200, 403]);
    },
  );
});

describe('whoami', () => {
  it('whoami shows who calls, from where, and what the caller may do', async () => {
    const under = await apiWith(binding('see', 'viewer', ['team', 'other'], [{ user: 'ann' }]));
    expect((await under.call('GET', '/v1/whoami', { as: asUser('ann') })).json).toEqual({
      name: 'ann',
      kind: 'token',
      from: '127.0.0.1',
      ownApprovals: 'refused',
      grants: [{ role: 'viewer', namespaces: ['team', 'other'] }],
    });
    expect((await under.call('GET', '/v1/whoami', { as: root })).json.grants).toEqual([
      { role: 'admin', namespaces: ['*'] },
    ]);
  });
});

describe('changes', () => {
  it('a change of a manifest, Secret, template or role is an event with who and from where', async () => {
    const under = await apiWith(binding('ops', 'operator', ['team'], [{ user: 'ann' }]));
    const as = asUser('ann');
    await under.call('PUT', manifestPath, { body: aManifest(), as });
    await under.call('POST', `${manifestPath}/pause`, { as });
    await under.call('PUT', '/v1/secrets/team/hetzner', { body: aSecret(), as });
    await under.call('PUT', '/v1/templates/team/own-templates', { body: aTemplateReference(), as });
    await under.call('DELETE', '/v1/secrets/team/hetzner', { as });
    const messagesOf = async (path: string, caller: Call['as']) =>
      ((await under.call('GET', path, { as: caller })).json.items as { message: string }[]).map(
        ({ message }) => message,
      );
    expect(await messagesOf(`${manifestPath}/events`, as)).toEqual([
      'generation 1: created by ann from 127.0.0.1',
      'paused by ann from 127.0.0.1',
    ]);
    expect(await messagesOf('/v1/changes?namespace=team', as)).toEqual([
      'Secret hetzner stored by ann from 127.0.0.1',
      'TemplateGitReference own-templates stored by ann from 127.0.0.1',
      'Secret hetzner deleted by ann from 127.0.0.1',
    ]);
    expect(await messagesOf('/v1/changes', root)).toEqual(['RoleBinding ops stored by root from 127.0.0.1']);
    expect((await under.call('GET', '/v1/changes', { as })).status).toBe(403);
  });

  it('a change that is refused leaves no event', async () => {
    const under = await apiWith();
    await under.call('PUT', '/v1/secrets/team/hetzner', { body: aSecret(), as: asUser('eve') });
    expect((await under.call('GET', '/v1/changes?namespace=team', { as: root })).json.items).toEqual([]);
  });
});

describe('a RoleBinding', () => {
  it.each([
    ['an unknown role', { role: 'owner' }, 'spec.role'],
    ['no namespace', { namespaces: [] }, 'spec.namespaces'],
    ['an invalid namespace', { namespaces: ['Team A'] }, 'spec.namespaces[0]'],
    ['an empty subject', { subjects: [{}] }, 'spec.subjects[0]'],
    [
      'roles by a path, which no session has',
      { subjects: [{ iam: 'arn:aws:iam::123456789012:role/teams/shop-*' }] },
      'spec.subjects[0].iam',
    ],
    [
      'two things in one subject',
      { subjects: [{ user: 'a', iam: 'arn:aws:iam::123456789012:role/x' }] },
      'spec.subjects[0]',
    ],
  ])('a RoleBinding with %s is refused at its place', async (_what, change, path) => {
    const under = await apiWith();
    const whole = binding('ops', 'viewer', ['team'], [{ user: 'ann' }]);
    const body = { ...whole, spec: { ...whole.spec, ...change } };
    const answer = await under.call('PUT', '/v1/roles/ops', { body, as: root });
    expect(answer.status).toBe(422);
    expect((answer.json.faults as { path: string }[]).map((fault) => fault.path)).toContain(path);
  });

  it('a RoleBinding that is removed ends the access', async () => {
    const under = await apiWith(binding('see', 'viewer', ['team'], [{ user: 'ann' }]));
    expect((await under.call('GET', '/v1/manifests', { as: asUser('ann') })).status).toBe(200);
    expect((await under.call('DELETE', '/v1/roles/see', { as: root })).status).toBe(204);
    expect((await under.call('GET', '/v1/manifests', { as: asUser('ann') })).status).toBe(403);
    expect((await under.call('DELETE', '/v1/roles/see', { as: root })).status).toBe(404);
  });
});
