/** Proposed plans that end without an approval: a newer one takes their place, an approver rejects them, or their author withdraws them. */
import { describe, expect, it } from 'vitest';
import { aComponent, aPlane } from '#test/planes/planes.ts';
import { type Answer, type ApiUnderTest, apiUnderTest, as, bindRoles } from './api-under-test.ts';
import { aManifest, key, manifestPath } from './documents.ts';

const [operator, other, approver, viewer] = [as('olga'), as('otto'), as('anna'), as('vera')];

async function guarded(): Promise<ApiUnderTest> {
  const under = apiUnderTest({ KUBELOOM_ADMINS: 'user:root', KUBELOOM_REQUIRE_APPROVAL: 'team' });
  await bindRoles(under.deps, 'team', { operator: 'olga', approver: 'anna', viewer: 'vera' });
  const spec = { role: 'operator', namespaces: ['team'], subjects: [{ user: 'otto' }] };
  const body = { apiVersion: 'kubeloom.dev/v1', kind: 'RoleBinding', metadata: { name: 'others' }, spec };
  await under.call('PUT', '/v1/roles/others', { body, ...as('root') });
  return under;
}

function planIn({ status, json }: Answer): string {
  expect([status, json.code]).toEqual([409, 'ApprovalRequired']);
  return String((json.details as { plan?: unknown }).plan);
}

const proposed = async ({ call }: ApiUnderTest, compute: number, who = operator): Promise<string> =>
  planIn(await call('PUT', manifestPath, { body: aManifest({ compute }), ...who }));
const approve = ({ call }: ApiUnderTest, plan: string) =>
  call('POST', `${manifestPath}/approve`, { body: { plan }, ...approver });
const reject = (
  { call }: ApiUnderTest,
  plan: string,
  who = approver,
  body: object = { reason: 'too large for March' },
) => call('POST', `${manifestPath}/plans/${plan}/reject`, { body, ...who });
const waiting = async ({ call }: ApiUnderTest) =>
  ((await call('GET', '/v1/plans', approver)).json.items as readonly { readonly id: string }[]).map(({ id }) => id);
const listed = async ({ call }: ApiUnderTest) => (await call('GET', `${manifestPath}/plans`, viewer)).json.items;
const events = async ({ deps }: ApiUnderTest) =>
  (await deps.events.list(key, 20)).items.map(({ kind, message, by }) => ({ kind, message, by }));

describe('a proposal that a newer one supersedes', () => {
  it('a proposal of the same manifest takes the place of the older one, which can no longer be approved', async () => {
    const under = await guarded();
    const older = await proposed(under, 3);
    const newer = await proposed(under, 5, other);
    expect(await waiting(under)).toEqual([newer]);
    expect(await listed(under)).toContainEqual(
      expect.objectContaining({
        id: older,
        state: 'Superseded',
        closed: expect.objectContaining({ by: 'otto', plan: newer }),
      }),
    );
    const refused = await approve(under, older);
    expect(refused).toMatchObject({ status: 409, json: { code: 'VerbRefused' } });
    expect(refused.json.detail).toContain(
      `plan ${older} cannot be approved or rejected: it was superseded by plan ${newer} of otto`,
    );
    expect(await under.deps.manifests.get(key)).toBeUndefined();
    expect(await events(under)).toContainEqual({
      kind: 'PlanSuperseded',
      message: `plan ${older} of olga superseded by plan ${newer} by otto from 127.0.0.1`,
      by: 'otto',
    });
    expect(await approve(under, newer)).toMatchObject({ status: 202 });
  });

  it('a proposal that was superseded and is proposed again takes its place back', async () => {
    const under = await guarded();
    const first = await proposed(under, 3);
    const second = await proposed(under, 5);
    expect(await proposed(under, 3, other)).toBe(first);
    expect(await waiting(under)).toEqual([first]);
    expect(await approve(under, second)).toMatchObject({ status: 409, json: { code: 'VerbRefused' } });
    expect(await approve(under, first)).toMatchObject({ status: 202 });
    expect(await listed(under)).toContainEqual(expect.objectContaining({ id: first, by: 'otto', state: 'Approved' }));
  });

  it('a proposed deletion is superseded by a proposed change of the same manifest, and of other manifests nothing is', async () => {
    const under = await guarded();
    await approve(under, await proposed(under, 3));
    const body = aManifest({ compute: 3 });
    const elsewhere = { ...body, metadata: { ...body.metadata, name: 'shop2' } };
    const foreign = planIn(await under.call('PUT', '/v1/manifests/team/shop2', { body: elsewhere, ...operator }));
    const deletion = planIn(await under.call('DELETE', manifestPath, operator));
    const change = await proposed(under, 5);
    expect((await waiting(under)).sort()).toEqual([foreign, change].sort());
    expect(await approve(under, deletion)).toMatchObject({ status: 409, json: { code: 'VerbRefused' } });
  });

  it('a proposal of another document of the same manifest supersedes nothing: a plane is a document of its own', async () => {
    const under = await guarded();
    await approve(under, await proposed(under, 3));
    const change = await proposed(under, 5);
    const cluster = { manifest: 'shop', name: aManifest().spec.kubernetes.clusters[0]?.name ?? '' };
    const plane = (version: string) => {
      const { spec, ...rest } = aPlane([aComponent({ version })]);
      return { ...rest, metadata: { namespace: 'team', name: 'capi' }, spec: { ...spec, cluster } };
    };
    const path = '/v1/inventory/team/documents/ManagementPlane/capi';
    const first = planIn(await under.call('PUT', path, { body: plane('v1.11.0'), ...operator }));
    expect((await waiting(under)).sort()).toEqual([change, first].sort());
    const second = planIn(await under.call('PUT', path, { body: plane('v1.12.0'), ...operator }));
    expect((await waiting(under)).sort()).toEqual([change, second].sort());
  });
});

describe('a proposal that is rejected or withdrawn', () => {
  it('a proposal that an approver rejects says why, in its list and as an event, and can no longer be approved', async () => {
    const under = await guarded();
    const plan = await proposed(under, 3);
    const answer = await reject(under, plan);
    expect(answer).toMatchObject({ status: 200, json: { id: plan, state: 'Rejected' } });
    expect(await waiting(under)).toEqual([]);
    expect(await listed(under)).toMatchObject([
      { id: plan, state: 'Rejected', closed: { by: 'anna', reason: 'too large for March' } },
    ]);
    const refused = await approve(under, plan);
    expect(refused).toMatchObject({ status: 409, json: { code: 'VerbRefused' } });
    expect(refused.json.detail).toMatch(/was rejected by anna at \S+: too large for March/);
    expect(await events(under)).toContainEqual({
      kind: 'PlanRejected',
      message: `plan ${plan} of olga rejected (too large for March) by anna from 127.0.0.1`,
      by: 'anna',
    });
  });

  it('a proposal is withdrawn by its author, who need not say why and needs no approver', async () => {
    const under = await guarded();
    const plan = await proposed(under, 3);
    expect(await reject(under, plan, operator, {})).toMatchObject({ status: 200, json: { state: 'Withdrawn' } });
    expect(await listed(under)).toMatchObject([{ state: 'Withdrawn', closed: { by: 'olga' } }]);
    expect(await approve(under, plan)).toMatchObject({ status: 409, json: { code: 'VerbRefused' } });
    expect(await events(under)).toContainEqual({
      kind: 'PlanWithdrawn',
      message: `plan ${plan} withdrawn by olga from 127.0.0.1`,
      by: 'olga',
    });
  });

  it('a proposal is rejected by no operator who is not its author, by no viewer, and by no approver without a reason', async () => {
    const under = await guarded();
    const plan = await proposed(under, 3);
    const refused = await reject(under, plan, other);
    expect(refused).toMatchObject({ status: 403, json: { code: 'Forbidden' } });
    expect(refused.json.detail).toMatch(/olga, who proposed it, or someone with the role approver/);
    expect(await reject(under, plan, viewer)).toMatchObject({ status: 403 });
    for (const body of [{}, { reason: ' ' }, { reason: 'a\u001b[2J' }, { reason: 'x'.repeat(1001) }])
      expect(await reject(under, plan, approver, body)).toMatchObject({ status: 400 });
    expect(await reject(under, 'a'.repeat(40))).toMatchObject({ status: 404 });
    expect(await waiting(under)).toEqual([plan]);
  });

  it('a proposal is decided once: what was approved, rejected or withdrawn is not rejected', async () => {
    const under = await guarded();
    const plan = await proposed(under, 3);
    await approve(under, plan);
    expect(await reject(under, plan)).toMatchObject({ status: 409, json: { code: 'VerbRefused' } });
    const next = await proposed(under, 5);
    await reject(under, next);
    const again = await reject(under, next);
    expect(again).toMatchObject({ status: 409, json: { code: 'VerbRefused' } });
    expect(again.json.detail).toMatch(/was rejected by anna/);
  });

  it('a proposal that was rejected may be proposed again, and is then approved', async () => {
    const under = await guarded();
    const plan = await proposed(under, 3);
    await reject(under, plan);
    expect(await proposed(under, 3)).toBe(plan);
    expect(await listed(under)).toMatchObject([{ id: plan, state: 'Proposed' }]);
    expect(await approve(under, plan)).toMatchObject({ status: 202 });
  });
});

describe('a proposal about which two decide at the same moment', () => {
  const closedOf = async (under: ApiUnderTest, plan: string) =>
    ((await listed(under)) as readonly { readonly id: string; readonly state: string }[]).find(({ id }) => id === plan);

  it('exactly one of an approval and a rejection is followed, and the other learns which, a hundred times', async () => {
    const won = { approval: 0, rejection: 0 };
    for (let round = 0; round < 100; round += 1) {
      const under = await guarded();
      const plan = await proposed(under, 3);
      const both = [() => approve(under, plan), () => reject(under, plan)] as const;
      const started = round % 2 === 0 ? both.map((send) => send()) : [...both].reverse().map((send) => send());
      const answers = await Promise.all(started);
      const [approval, rejection] = round % 2 === 0 ? answers : [...answers].reverse();
      const approved = approval?.status === 202;
      won[approved ? 'approval' : 'rejection'] += 1;
      expect([approval?.status, rejection?.status]).toEqual(approved ? [202, 409] : [409, 200]);
      const loser = approved ? rejection : approval;
      expect(loser?.json).toMatchObject({ code: 'VerbRefused' });
      expect(loser?.json.detail).toMatch(
        approved ? /(was|is being) approved by anna/ : /(was|is being) rejected by anna/,
      );
      expect((await under.deps.manifests.get(key)) !== undefined).toBe(approved);
      expect(await closedOf(under, plan)).toMatchObject({ state: approved ? 'Approved' : 'Rejected' });
      expect(await waiting(under)).toEqual([]);
    }
    expect(won.approval + won.rejection).toBe(100);
  });

  it('a rejection while an approval is carried out says who approves, and does nothing', async () => {
    const under = await guarded();
    const plan = await proposed(under, 3);
    const meanwhile: Answer[] = [];
    const create = under.deps.manifests.create.bind(under.deps.manifests);
    const budgets = under.deps.budgets.acceptManifest.bind(under.deps.budgets);
    const inBetween = async () => {
      if (meanwhile.length === 0) meanwhile.push(await reject(under, plan));
    };
    under.deps.manifests.create = async (...given) => {
      await inBetween();
      return create(...given);
    };
    under.deps.budgets.acceptManifest = async (...given) => {
      await inBetween();
      return budgets(...given);
    };
    expect(await approve(under, plan)).toMatchObject({ status: 202 });
    expect(meanwhile).toMatchObject([{ status: 409, json: { code: 'VerbRefused' } }]);
    expect(meanwhile[0]?.json.detail).toMatch(
      new RegExp(
        `plan ${plan} cannot be approved or rejected: it is being approved by anna since .*, and nothing was done`,
      ),
    );
    expect(await closedOf(under, plan)).toMatchObject({ state: 'Approved' });
  });

  it('a plan whose approval is refused waits again, and is then rejected or approved', async () => {
    const under = await guarded();
    const plan = await proposed(under, 3);
    const list = under.deps.clusters.list.bind(under.deps.clusters);
    under.deps.clusters.list = async () => {
      under.deps.clusters.list = list;
      throw new Error('not now');
    };
    expect((await approve(under, plan)).status).toBeGreaterThanOrEqual(400);
    expect(await waiting(under)).toEqual([plan]);
    expect(await reject(under, plan)).toMatchObject({ status: 200, json: { state: 'Rejected' } });
  });
});
