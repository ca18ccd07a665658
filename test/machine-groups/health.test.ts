/** Health checks of machine groups: their form, what a check for drift makes of the answers, and what follows from it. */
import { describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import type { NodeObservation } from '#domain/drift.ts';
import { validateMachineGroups } from '#domain/manifest/groups/validate-machine-groups.ts';
import { diffStates } from '#domain/planning/states/diff-states.ts';
import { nextHealth } from '#domain/repair/node-health.ts';
import type { Findings } from '#runner/drift/findings.ts';
import { joinObservations } from '#runner/drift/join-observations.ts';
import { aliveIn, healthItems, machineHealth } from '#runner/drift/machine-health.ts';
import { groupsWith, leaf, stateOf } from './groups.ts';

const http = { http: { port: 80, path: '/ready', body: 'open' } };
const faultsOf = (health: unknown) =>
  validateMachineGroups(groupsWith({ web: { ...leaf, health } }), { readObjects }).faults.map(
    ({ path, reason, fix }) => `${path}: ${reason}; ${fix}`,
  );

describe('KA-9: health checks in a document', () => {
  it('a check has its defaults, and is a part of the state of its group', () => {
    const { pools } = stateOf({ web: { ...leaf, health: [http, { exec: { command: 'true' }, timeout: '2s' }] } });
    expect(pools[0]?.health).toEqual([
      {
        ask: { kind: 'http', port: 80, tls: false, path: '/ready', status: 200, body: 'open' },
        timeout: 5,
        pause: 5,
        unhealthyAfter: 3,
        healthyAfter: 1,
      },
      { ask: { kind: 'exec', command: 'true' }, timeout: 2, pause: 5, unhealthyAfter: 3, healthyAfter: 1 },
    ]);
  });

  it('an accepted document is accepted again in its stored form', () => {
    const { document } = validateMachineGroups(groupsWith({ web: { ...leaf, health: [http] } }), { readObjects });
    expect(validateMachineGroups(document, { readObjects })).toMatchObject({ faults: [], document });
  });

  it.each([
    ['nothing', [{}], 'spec.groups.web.health[0]: checks nothing; give it one of tcp, http, https and exec'],
    ['two things', [{ ...http, tcp: { port: 1 } }], 'has tcp and http; write one check for each'],
    ['a path without a slash', [{ http: { port: 80, path: 'ready' } }], '"ready" is not a path'],
    ['an invalid port', [{ tcp: { port: 0 } }], 'health[0].tcp.port: 0 is not a port'],
    ['too long a time', [{ ...http, timeout: '2m' }], '"2m" is not a time between 1 and 60 seconds'],
    [
      'more than five minutes in all',
      [{ ...http, timeout: '60s', unhealthyAfter: 9 }],
      'could take 585 s for a machine',
    ],
  ])('a check that asks %s is a fault at its place', (_what, health, reason) => {
    expect(faultsOf(health).join('\n')).toContain(reason);
  });

  it('changed checks are a change that touches no machine', () => {
    const before = stateOf({ web: leaf });
    const after = stateOf({ web: { ...leaf, health: [http] } }, before);
    expect(diffStates(before, after)).toEqual([
      { kind: 'HealthChecksChanged', pool: before.pools[0]?.id, checks: ['http :80/ready'] },
    ]);
  });
});

describe('KA-9: what a check for drift makes of the answers', () => {
  const state = stateOf({ web: { ...leaf, size: 3, health: [http] }, batch: leaf });
  const [one = '', two = '', three = ''] = state.pools[0]?.nodes.map(({ name }) => name) ?? [];
  const reach = (reached: boolean) => ({ [three]: reached });
  const answer = (ok: boolean | null, why?: string) => ({ mesh: {}, health: [{ ok, ...(why && { why }) }] });
  const mesh = (reached: boolean) =>
    new Map([
      [one, { mesh: reach(reached) }],
      [two, { mesh: reach(reached) }],
    ]);

  it('each machine with checks is healthy, unhealthy or unknown, and groups without checks say nothing', () => {
    const reports = new Map([
      [one, answer(true)],
      [two, answer(false, 'http :80/ready: answered 500, expected 200')],
      [three, answer(null, 'the machine has no openssl')],
    ]);
    const answers = { reports, silent: new Map(), unfinished: new Map(), unasked: [] };
    expect(machineHealth(state, answers)).toEqual([
      { node: one, health: 'healthy' },
      { node: two, health: 'unhealthy', failing: 'http :80/ready: answered 500, expected 200' },
      { node: three, health: 'unknown', failing: 'the machine has no openssl' },
    ]);
    expect(healthItems(state, answers)).toMatchObject([
      { kind: 'health', where: { node: two, pool: 'web' }, repairable: false },
    ]);
  });

  it.each([
    ['and no other machine reaches it', mesh(false), 'unhealthy', []],
    ['and the others reach it', mesh(true), 'unknown', []],
    ['and no other machine was reached', new Map<string, { mesh: Record<string, boolean> }>(), 'unknown', []],
    ['and no other reaches it, but not all were asked', mesh(false), 'unknown', ['batch']],
  ] as const)('a machine that is silent over SSH %s is %s', (...[, reports, health, unasked]) => {
    const silent = new Map([[three, 'Connection timed out']]);
    const seen = machineHealth(state, { reports, silent, unfinished: new Map(), unasked });
    expect(seen.find(({ node }) => node === three)).toMatchObject({ health });
  });

  it('a machine that answered and was interrupted before its health checks ended is not known to be unhealthy', () => {
    const reports = new Map([...mesh(false), [three, { mesh: {} }]]);
    const unfinished = new Map([[three, 'the connection timed out']]);
    const seen = machineHealth(state, { reports, silent: new Map(), unfinished, unasked: [] });
    expect(seen.find(({ node }) => node === three)).toEqual({
      node: three,
      health: 'unknown',
      failing: 'it could not be asked: the connection timed out',
    });
  });

  const observe = (earlier: Parameters<typeof nextHealth>[0], seen: readonly NodeObservation[], now: string) =>
    nextHealth(earlier, { state, seen, now });

  it('health is kept for each machine with checks, with the time since when it is so', () => {
    const times = ['2026-11-23T10:00:00.000Z', '2026-11-23T10:10:00.000Z'] as const;
    const healthy = [one, two, three].map((node) => ({ node, health: 'healthy' as const }));
    const first = observe([], healthy, times[0]);
    expect(first).toHaveLength(3);
    const second = observe(first, [{ node: one, health: 'unhealthy', failing: 'no' }, ...healthy.slice(1)], times[1]);
    expect(second).toEqual([
      { node: one, health: 'unhealthy', looks: 1, seenAt: times[1], since: times[1], failing: 'no' },
      { node: two, health: 'healthy', looks: 0, seenAt: times[1], since: times[0] },
      { node: three, health: 'healthy', looks: 0, seenAt: times[1], since: times[0] },
    ]);
  });

  it('a machine with checks that no one asked is unknown', () => {
    expect(observe([], [], '2026-11-23T10:00:00.000Z').map(({ node, health }) => [node, health])).toEqual(
      [one, two, three].map((node) => [node, 'unknown']),
    );
  });
});

describe('hazard 5: a machine of which Terraform misses something', () => {
  const state = stateOf({ web: { ...leaf, size: 2, health: [http] }, batch: leaf });
  const [web = '', , batch = ''] = state.pools.flatMap(({ nodes }) => nodes.map(({ name }) => name));
  const gone = (node: string): Findings => ({ items: [], unchecked: [], health: [{ node, health: 'gone' }] });
  const asked = (node: string, health: NodeObservation['health'], alive: readonly string[]): Findings => ({
    items: [],
    unchecked: [],
    health: [{ node, health }],
    alive: new Set(alive),
  });
  const joined = (...findings: readonly Findings[]) => joinObservations(state, findings);

  it.each([
    ['a machine is kept while its health checks succeed', 'healthy', [web], { health: 'gone', ready: true }],
    ['a machine is kept while its health is unknown and it answers', 'unknown', [web], { health: 'gone', ready: true }],
    ['a machine is gone when no one reaches it', 'unknown', [], { health: 'gone' }],
    ['a machine is gone when its health checks fail', 'unhealthy', [web], { health: 'gone' }],
  ] as const)('%s', (_what, health, alive, expected) => {
    expect(joined(gone(web), asked(web, health, alive))).toEqual([{ node: web, ...expected }]);
  });

  it('a machine is kept in a group without health checks while it answers', () => {
    const others: Findings = { items: [], unchecked: [], alive: new Set([batch]) };
    expect(joined(gone(batch), others)).toEqual([{ node: batch, health: 'gone', ready: true }]);
  });

  it.each([
    ['unknown', 'no one could ask it', [], { health: 'unknown' }],
    ['gone', 'its health checks fail', [], { health: 'gone' }],
    ['kept', 'it answers', [web], { health: 'gone', ready: true }],
  ] as const)('a machine of which only an attachment is missing is %s when %s', (_what, why, alive, expected) => {
    const partly: Findings = { ...gone(web), partly: new Set([web]) };
    const health = why === 'its health checks fail' ? 'unhealthy' : 'unknown';
    expect(joined(partly, asked(web, health, alive))).toMatchObject([{ node: web, ...expected }]);
    expect(joined(partly, { items: [], unchecked: [], alive: new Set() })).toMatchObject([{ health: 'unknown' }]);
  });

  it('a machine that is gone is unknown when no machine could be asked at all', () => {
    expect(joined(gone(batch))).toMatchObject([{ node: batch, health: 'unknown' }]);
  });

  it('a machine answers when it was reached over SSH, or by a peer', () => {
    const reports = new Map([[web, { mesh: { [batch]: true, other: false } }]]);
    expect(aliveIn({ reports })).toEqual(new Set([web, batch]));
  });
});
