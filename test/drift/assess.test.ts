/** What follows from a check: drift is reported, repaired once, never repeatedly. */
import { describe, expect, it } from 'vitest';
import { assessDrift, type DriftQuestion, measureDrift } from '#domain/assess-drift.ts';
import { type CheckPolicy, type ClusterDrift, type DriftItem, driftKey, driftOf, repairMade } from '#domain/drift.ts';
import { DriftChecks, intervalMinutes } from '#domain/manifest/schema/drift-checks.ts';
import { repairPlans, repairWaypoints } from '#domain/planning/work/repair-plans.ts';
import { twoProviderState } from '#test/rendering/states.ts';

const machine = (node: string): DriftItem => {
  return {
    kind: 'machine',
    where: { node, provider: 'hz-prod' },
    message: `the machine of ${node} is gone`,
    repairable: true,
  };
};
const one = machine('control-aaaaaaa-01');
const other = machine('control-aaaaaaa-02');
const report = (items: DriftItem[], unchecked: string[] = []) => ({ schema: 1 as const, items, unchecked });

const ask = (change: Partial<DriftQuestion>) =>
  assessDrift({
    before: undefined,
    found: report([]),
    policy: 'repair',
    runId: 'r2',
    now: '2026-11-20T12:00:00Z',
    ...change,
  });
const followed = (before: ClusterDrift | undefined, items: DriftItem[], policy: CheckPolicy = 'repair') =>
  ask({ before, found: report(items), policy }).drift;
const made = (drift: ClusterDrift): ClusterDrift => repairMade(drift, { runId: 'r2' }, '2026-11-20T12:01:00Z') ?? drift;

describe('a check', () => {
  it('an automatic repair leaves the machines of nodes alone that healing decides about, one on request does not', () => {
    const held = new Set(['control-aaaaaaa-01']);
    expect(ask({ found: report([one, other]), held }).drift.repair).toMatchObject({ items: [other] });
    expect(ask({ found: report([one]), held }).drift).not.toHaveProperty('repair');
    expect(ask({ found: report([one]), held }).drift.outcome).toContain('healing decides whether 1 node is replaced');
    const asked = ask({ found: report([one]), held: new Set(), policy: 'repairAll' });
    expect(asked.drift.repair).toMatchObject({ items: [one] });
  });

  it('a check lists what it lacked permission for and still counts as complete', () => {
    const notes = ['os: unknown machines could not be listed: a permission is missing'];
    const { drift, level } = ask({ found: { ...report([]), notes } });
    expect({ level, incomplete: drift.incomplete }).toEqual({ level: 'info', incomplete: undefined });
    expect(drift.outcome).toBe(`nothing differs from what was created; ${notes[0]}`);
    const before = made(followed(undefined, [one]));
    expect(ask({ before, found: { ...report([]), notes } }).drift.outcome).toContain(notes[0]);
  });

  it('a repair of strays without recorded ids stops and deletes no machine', () => {
    const where = { provider: 'hz-prod', name: 'x' };
    const stray: DriftItem = { kind: 'stray', where, message: 'no one knows x', repairable: true };
    expect(repairPlans(twoProviderState(), [stray], 'delete')).toEqual([]);
  });

  it('a check on request that changes nothing repairs nothing', () => {
    expect(ask({ found: report([one]), policy: 'reportAll' }).drift).not.toHaveProperty('repair');
  });

  it('a check requests a repair of what can be repaired, if the manifest asks for it', () => {
    const beyond: DriftItem = { kind: 'node', where: { name: 'API' }, message: 'the API is silent', repairable: false };
    expect(ask({ found: report([one, beyond]) }).drift.repair).toMatchObject({ state: 'requested', items: [one] });
    expect(ask({ found: report([one]), policy: 'report' }).drift).not.toHaveProperty('repair');
    expect(ask({ found: report([beyond]) }).drift).not.toHaveProperty('repair');
  });

  it('strays are deleted only if the manifest says so, or a person asks for it', () => {
    const where = { provider: 'hz', name: 'x' };
    const stray: DriftItem = { kind: 'stray', where, message: 'no one knows x', repairable: true };
    const repaired = (change: Partial<DriftQuestion>) =>
      ask({ found: report([one, stray]), ...change }).drift.repair?.items.map(({ kind }) => kind) ?? [];
    expect(repaired({ policy: 'repair' })).toEqual(['machine']);
    expect(repaired({ policy: 'repair', strays: 'delete' })).toEqual(['machine', 'stray']);
    expect(repaired({ policy: 'report', strays: 'delete' })).toEqual(['stray']);
    expect(repaired({ policy: 'reportAll', strays: 'delete' })).toEqual([]);
    expect(repaired({ policy: 'repairAll' })).toEqual(['machine', 'stray']);
  });

  it('a stray is put in quarantine once, and from there only a person deletes it', () => {
    const where = { provider: 'hz', name: 'x' };
    const stray = { kind: 'stray' as const, where, message: 'no one knows x', repairable: true };
    const running: DriftItem = { ...stray, hold: 'possible' };
    const stopped: DriftItem = { ...stray, hold: 'held' };
    const policy = { policy: 'report', strays: 'quarantine' } as const;
    const { drift } = ask({ found: report([running]), ...policy });
    expect(drift).toMatchObject({ repair: { state: 'requested', strays: 'quarantine', items: [running] } });
    expect(drift.outcome).toContain('1 stray is put in quarantine now');
    const helped = ask({ before: made(drift), found: report([stopped]), ...policy });
    expect(helped).toMatchObject({ kind: 'DriftRepaired', drift: { repair: { state: 'helped' } } });
    expect(helped.drift.outcome).toContain('1 stray in quarantine');
    const useless = ask({ before: made(drift), found: report([running]), ...policy });
    expect(useless.kind).toBe('RepairDidNotHelp');
    const later = ask({ before: helped.drift, found: report([stopped]), ...policy });
    expect(later.drift.repair).toMatchObject({ state: 'helped' });
    expect(later.kind).toBe('DriftFound');
    const asked = ask({ before: later.drift, found: report([stopped]), ...policy, policy: 'repairAll' });
    expect(asked.drift.repair).toMatchObject({ state: 'requested', strays: 'delete', items: [stopped] });
    // What the type cannot stop is only reported.
    expect(ask({ found: report([stray]), ...policy }).drift).not.toHaveProperty('repair');
  });

  it('an incomplete check does not say that all is in order', () => {
    const { drift, level } = ask({ found: report([], ['hz-prod: no credentials']) });
    expect(drift.outcome).toBe('of what could be checked, nothing differs from what was created');
    expect(level).toBe('warning');
  });

  it('a check that failed keeps what was found before, and requests no repair', () => {
    const before = followed(undefined, [one], 'report');
    const { drift, kind } = ask({ before, found: 'the container left no result' });
    expect(kind).toBe('DriftCheckFailed');
    expect(drift).toMatchObject({ items: [one], unchecked: ['the container left no result'], runId: 'r2' });
    expect(drift).not.toHaveProperty('repair');
  });
});

describe('incomplete checks', () => {
  it('the third incomplete check in a row is an error, and a complete one ends the row', () => {
    const silent = (before?: ClusterDrift) => ask({ before, found: 'no container' });
    const partly = (before?: ClusterDrift) => ask({ before, found: report([], ['hz-prod: expired']) });
    const first = silent();
    const second = partly(first.drift);
    const third = silent(second.drift);
    expect([first, second, third].map(({ level }) => level)).toEqual(['warning', 'warning', 'error']);
    expect([first, second, third].map(({ drift }) => measureDrift(drift).incompleteChecks)).toEqual([1, 2, 3]);
    expect(third.drift.outcome).toContain('3 checks in a row');
    expect(partly(third.drift)).toMatchObject({ level: 'error', drift: { incomplete: 4 } });
    const whole = ask({ before: third.drift });
    expect(whole.level).toBe('info');
    expect(whole.drift).not.toHaveProperty('incomplete');
  });

  it('an incomplete check that looks twice counts once', () => {
    const found = ask({ before: silentTwice(), found: report([one], ['hz-prod: expired']) });
    const looked = ask({ before: made(found.drift), found: report([], ['hz-prod: expired']) });
    expect([found.drift.incomplete, looked.drift.incomplete]).toEqual([3, 3]);
  });
});

const silentTwice = (): ClusterDrift => {
  const once = ask({ found: 'no container' }).drift;
  return ask({ before: once, found: 'no container' }).drift;
};

it('drift that no repair is requested for is counted as left', () => {
  const beyond: DriftItem = { ...other, repairable: false };
  expect(measureDrift(followed(undefined, [one, beyond]))).toEqual({ driftLeft: 1, incompleteChecks: 0 });
  expect(measureDrift(followed(undefined, [one, beyond], 'report')).driftLeft).toBe(2);
  expect(measureDrift(followed(made(followed(undefined, [one])), [one])).driftLeft).toBe(1);
  expect(measureDrift(followed(undefined, [])).driftLeft).toBe(0);
});

describe('a repair', () => {
  it('a repair counts as helpful if none of its findings is found again, even if there are other findings', () => {
    const drift = followed(made(followed(undefined, [one])), [other]);
    expect(drift).toMatchObject({ items: [other], repair: { state: 'helped' } });
    expect(drift).not.toHaveProperty('useless');
  });

  it('a repair that could not be checked again is unverified', () => {
    const { drift } = ask({
      before: made(followed(undefined, [one])),
      found: report([], ['hz-prod: it does not answer']),
    });
    expect(drift.repair?.state).toBe('unverified');
    const failed = ask({ before: made(followed(undefined, [one])), found: 'the container left no result' }).drift;
    expect(failed.repair?.state).toBe('unverified');
  });

  it('a repair that did not help is not requested again, not even after an incomplete check', () => {
    const useless = followed(made(followed(undefined, [one])), [one]);
    expect(useless).toMatchObject({ repair: { state: 'useless' }, useless: [driftKey(one)] });
    expect(followed(useless, [one, other]).repair).toMatchObject({ state: 'requested', items: [other] });
    const blind = ask({ before: useless, found: report([], ['hz-prod: it does not answer']) }).drift;
    expect(followed(blind, [one]).repair?.state).toBe('useless');
    expect(followed(useless, [one], 'repairAll').repair).toMatchObject({ state: 'requested', items: [one] });
    expect(followed(followed(useless, []), [one]).repair).toMatchObject({ state: 'requested', items: [one] });
  });
});

describe('the stages of a repair', () => {
  const stagesOf = (items: DriftItem[]) => repairPlans(twoProviderState(), items).map(({ stage }) => stage);

  it('the repair of a machine creates it, sets it up and joins it; others only get its key', () => {
    const plans = repairPlans(twoProviderState(), [one]);
    expect(plans.map(({ stage }) => stage)).toEqual(['infrastructure', 'configuration', 'kubernetes', 'nodes']);
    expect(plans[1]?.work).toMatchObject({
      install: ['control-aaaaaaa-01'],
      peers: ['control-aaaaaaa-02', 'workers-bbbbbbb-01', 'basement-01', 'edge-ccccccc-01'],
      loadBalancers: [],
    });
  });

  it('the repair of a load balancer sets up roles and names again, without Kubernetes', () => {
    const plans = repairPlans(twoProviderState(), [machine('edge-ccccccc-01')]);
    expect(plans.map(({ stage }) => stage)).toEqual(['infrastructure', 'configuration']);
    const kinds = plans[0]?.stage === 'infrastructure' ? plans[0].work.workspaces.map(({ kind }) => kind) : [];
    expect(kinds).toEqual(['machines', 'dns']);
    expect(plans[1]?.work).toMatchObject({ install: ['edge-ccccccc-01'], loadBalancers: ['lb'] });
  });

  it('a machine that is no longer in the cluster has no repair', () => {
    const gone: DriftItem = {
      kind: 'machine',
      where: { node: 'gone-1234567-01', provider: 'elsewhere' },
      message: 'gone',
      repairable: true,
    };
    expect(stagesOf([gone])).toEqual([]);
    expect(repairWaypoints(twoProviderState(), [gone])).toEqual([]);
  });

  it('a repair leads from the state to the same state, and has no undo', () => {
    const [waypoint] = repairWaypoints(twoProviderState(), [one]);
    expect(waypoint).toMatchObject({ direction: 'repair', target: twoProviderState(), undo: [] });
  });
});

it('recorded drift of a node is deleted with the node, and all drift with the cluster', () => {
  const drift = followed(undefined, [one, machine('gone-1234567-01')], 'report');
  expect(driftOf(drift, twoProviderState())?.items).toEqual([one]);
  expect(driftOf(drift, null)).toBeUndefined();
});

describe('the interval of checks', () => {
  it.each([
    ['30m', 30],
    ['6h', 360],
    ['7d', 10_080],
    ['off', undefined],
  ])('the interval %s is %s minutes', (interval, minutes) => {
    expect(DriftChecks.parse({ interval })).toEqual({ interval, onDrift: 'report' });
    expect(intervalMinutes(interval)).toBe(minutes);
  });

  it.each(['9m', '31d', '0h', '6', '6 h', '-6h', 'daily', '', '999999d'])(
    'the interval "%s" is refused with a fix',
    (interval) => {
      const { error } = DriftChecks.safeParse({ interval });
      expect(error?.issues[0]?.message).toContain('; use a number with m, h or d');
    },
  );

  it('the interval is 6 hours by default, and findings are only reported', () => {
    expect(DriftChecks.parse({})).toEqual({ interval: '6h', onDrift: 'report' });
  });
});
