/** CloudRift on loopback: a token of a user, one of a team, one of no one. No account was asked. */
import { afterEach, describe, expect, it } from 'vitest';
import { checkLogin } from '#runner/provider-check/check-provider.ts';
import { type CloudRequest, type FakeCloud, fakeCloud, type Routes } from './fake-cloud.ts';

const open: FakeCloud[] = [];
afterEach(() => {
  for (const cloud of open.splice(0)) cloud.close();
});

const token = 'rift_token-of-someone';
const api =
  (answer: (data: Record<string, unknown>) => { status?: number; body: unknown }) => (request: CloudRequest) => {
    if (request.headers['x-api-key'] !== token) return { status: 401, body: {} };
    // The service reads from the beginning and wants the version there.
    if (!request.body.startsWith('{"version":"')) return { status: 400, body: {} };
    return answer(JSON.parse(request.body).data);
  };
const variants = [
  { name: 'rtx49.1', nodes_per_dc: { 'us-1': 2, 'us-2': 1 }, available_nodes_per_dc: { 'us-1': 1, 'us-2': 0 } },
];
const routes = (more: Routes = {}): Routes => ({
  'POST /api/v1/auth/me': api(() => ({ body: { data: { email: 'k@example.com' } } })),
  'POST /api/v1/ssh-keys/list': api(() => ({ body: { data: { keys: [] } } })),
  'POST /api/v1/instances/list': api((data) =>
    JSON.stringify(data).includes('"Teams":["other"]') ? { status: 403, body: {} } : { body: { data: {} } },
  ),
  'POST /api/v1/instance-types/list': api(() => ({ body: { data: { instance_types: [{ variants }] } } })),
  ...more,
});

async function check(fields: Readonly<Record<string, string>>, change: Routes = {}, regions = ['us-1']) {
  const cloud = await fakeCloud(routes(change));
  open.push(cloud);
  const findings = await checkLogin('cloudrift', { fields, permissions: [], regions, bases: { api: cloud.url } });
  return { findings, lines: findings.map(({ about, name, ok }) => `${about} ${name} ${ok}`) };
}

describe('CloudRift', () => {
  it('the check of CloudRift reports the user, what may be listed, what is free, what is unknown', async () => {
    const { findings, lines } = await check({ token });
    expect(lines).toEqual([
      'identity k@example.com true',
      'permission SSH keys true',
      'permission machines true',
      'permission renting null',
      'quota data centre us-1 true',
      'quota balance null',
    ]);
    expect(findings[4]?.message).toBe('free now: rtx49.1');
  });

  it('a CloudRift key of a team, which may have no SSH keys, is recognised', async () => {
    const { findings, lines } = await check(
      { token },
      { 'POST /api/v1/ssh-keys/list': () => ({ status: 401, body: {} }) },
    );
    expect(lines[1]).toBe('permission SSH keys false');
    expect(findings[1]?.message).toContain('use the personal API key of a user');
  });

  it('a CloudRift team that the user is not in is reported', async () => {
    expect((await check({ token, teamid: 'ours' })).lines[2]).toBe('permission machines of the team ours true');
    const { findings } = await check({ token, teamid: 'other' });
    expect(findings[2]).toMatchObject({ ok: false, message: expect.stringContaining('check that teamid is right') });
  });

  it('a wrong CloudRift token is reported and not shown', async () => {
    const { findings, lines } = await check({ token: 'rift_another' });
    expect(lines).toEqual(['identity token false']);
    expect(JSON.stringify(findings)).not.toContain('rift_another');
    const anonymous = await check(
      { token },
      { 'POST /api/v1/auth/me': api(() => ({ body: { data: { email: '' } } })) },
    );
    expect(anonymous.lines[0]).toBe('identity token false');
  });

  it('CloudRift data centres that do not exist, or have nothing free, are reported', async () => {
    const { findings, lines } = await check({ token }, {}, ['us-2', 'us-9']);
    expect(lines.slice(4, 6)).toEqual(['quota data centre us-2 null', 'quota data centre us-9 false']);
    expect(findings[5]?.message).toContain('there are us-1, us-2');
  });

  it.each([429, 500, 503])('the result is unknown when CloudRift answers HTTP %s', async (status) => {
    const busy = () => ({ status, body: {} });
    expect((await check({ token }, { 'POST /api/v1/auth/me': busy })).lines).toEqual(['identity token null']);
    const { lines } = await check(
      { token },
      { 'POST /api/v1/ssh-keys/list': busy, 'POST /api/v1/instance-types/list': busy },
    );
    expect(lines).toContain('permission SSH keys null');
    expect(lines).toContain('quota data centres null');
  });
});
