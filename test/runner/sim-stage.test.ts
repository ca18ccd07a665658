/** The sim runner. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunWork, StageResult, waypointKeys } from '#contracts/stage.ts';
import { allNodes } from '#domain/cluster-state.ts';
import { DriftReport } from '#domain/drift.ts';
import type { StagePlan } from '#domain/plan.ts';
import { forgetFaults } from '#runner/sim/injected-faults.ts';
import { runSimStage } from '#runner/sim/run-sim-stage.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { aCheck, aDocument, prefix, type StageWorld, stageWorld } from './stage-world.ts';

const names = allNodes(twoProviderState()).map(({ node }) => node.name);
const grow: StagePlan[] = [
  { stage: 'infrastructure', reasons: ['new'], work: { workspaces: [] } },
  {
    stage: 'configuration',
    reasons: ['new'],
    work: { install: names, peers: [], uninstall: [], loadBalancers: ['lb'], proxy: [] },
  },
  { stage: 'kubernetes', reasons: ['new'], work: { action: 'apply' } },
  { stage: 'nodes', reasons: ['new'], work: { patch: ['workers-bbbbbbb-01'], remove: [], maxUnavailable: 1 } },
  { stage: 'traffic', reasons: ['new'], work: { loadBalancers: ['lb'] } },
];

let world: StageWorld;
beforeEach(async () => {
  world = stageWorld();
  forgetFaults();
  await world.put(aDocument(grow));
});
afterEach(() => world.close());

const run = (stage: RunWork, settings: Record<string, string> = {}, signal = new AbortController().signal) =>
  runSimStage({ KUBELOOM_JOB: `${prefix}/${stage}/do/1`, ...settings }, { signal, ports: world.ports });

async function errorOf(stage: RunWork) {
  const key = waypointKeys.result(waypointKeys.attempt(prefix, stage, 'do', 1));
  return StageResult.parse(JSON.parse((await world.ports.artifacts.getText(key)) ?? 'null')).error;
}

describe('simulated stages', () => {
  it('simulated stages report plausible facts and say that nothing is real', async () => {
    for (const { stage } of grow) expect(await run(stage)).toBe(true);
    const facts = await world.facts();
    expect(facts.simulated).toEqual(['control plane', 'machines']);
    expect(facts.nodes['workers-bbbbbbb-01']).toMatchObject({
      publicAddress: expect.stringMatching(/^198\.1[89]\./),
      wireguardPublicKey: expect.stringMatching(/^.{43}=$/),
      joined: true,
    });
    expect(facts.nodes['basement-01']?.publicAddress).toBe('203.0.113.9');
    expect(facts.loadBalancers).toEqual({ lb: { endpoint: 'shop.example.com' } });
    expect(await world.ports.artifacts.getText(facts.kubeconfigKey ?? '')).toContain('https://shop.example.com:6443');
  });

  it('simulated stages delete the facts of nodes and clusters that are no longer desired', async () => {
    for (const { stage } of grow) await run(stage);
    const destroy: StagePlan = { stage: 'infrastructure', reasons: ['deleted'], work: { workspaces: [] } };
    await world.put(aDocument([destroy], { before: twoProviderState(), target: null }));
    await run('infrastructure');
    expect(await world.facts()).toMatchObject({ nodes: {}, loadBalancers: {} });
  });

  it('a provider instance that is deleted as a whole gets a receipt, as with real tools, and the others do not', async () => {
    for (const { stage } of grow) await run(stage);
    const before = twoProviderState();
    const [first] = before.pools.flatMap(({ source, nodes }) =>
      source.kind === 'dynamic' ? [{ provider: source.provider.name, nodes: nodes.map(({ name }) => name) }] : [],
    );
    const workspaces = [
      { kind: 'machines' as const, name: first?.provider ?? '', destroy: true },
      { kind: 'dns' as const, name: 'dns', destroy: true },
    ];
    const destroy: StagePlan = { stage: 'infrastructure', reasons: ['deleted'], work: { workspaces } };
    await world.put(aDocument([destroy], { before, target: null }));
    await run('infrastructure');
    const receipts = (await world.reported()).filter((text) => text.startsWith('DeletionReceipt'));
    expect(receipts).toHaveLength(1);
    expect(receipts[0]).toContain(`${first?.provider}: removed ${first?.nodes[0]}`);
  });

  it('simulated stages fail as often as configured, with the configured class', async () => {
    const KUBELOOM_SIM_FAULTS = JSON.stringify([{ stage: 'kubernetes', class: 'quota', times: 2 }]);
    const outcomes = [];
    for (let tries = 0; tries < 3; tries += 1) outcomes.push(await run('kubernetes', { KUBELOOM_SIM_FAULTS }));
    expect(outcomes).toEqual([false, false, true]);
  });

  it('simulated stages fail only where configured', async () => {
    const faults = (fault: object) => ({
      KUBELOOM_SIM_FAULTS: JSON.stringify([{ stage: 'traffic', class: 'bug', ...fault }]),
    });
    expect(await run('nodes', faults({}))).toBe(true);
    expect(await run('traffic', faults({ mode: 'undo' }))).toBe(true);
    expect(await run('traffic', faults({ cluster: 'other' }))).toBe(true);
    expect(await run('traffic', faults({ node: 'stranger-01' }))).toBe(true);
    expect(await run('traffic', faults({ cluster: 'shop', node: 'basement-01' }))).toBe(false);
    expect(await errorOf('traffic')).toMatchObject({ class: 'bug', code: 'InjectedFault', resource: 'basement-01' });
  });

  it('simulated stages leave out the new pools of a provider with an injected fault, and no others', async () => {
    const fault = { stage: 'infrastructure', class: 'credentials', provider: 'rack', times: 9 };
    const settings = { KUBELOOM_SIM_FAULTS: JSON.stringify([fault]) };
    expect(await run('infrastructure', settings)).toBe(true);
    const key = waypointKeys.result(waypointKeys.attempt(prefix, 'infrastructure', 'do', 1));
    const result = StageResult.parse(JSON.parse((await world.ports.artifacts.getText(key)) ?? 'null'));
    expect(result.failedPools).toMatchObject([
      { pool: 'workers-bbbbbbb', error: { class: 'credentials', resource: 'rack' } },
    ]);
    const { failedPools, nodes } = await world.facts();
    expect([failedPools, Object.keys(nodes).includes('workers-bbbbbbb-01')]).toEqual([['workers-bbbbbbb'], false]);
    await world.put(aDocument(grow, { before: twoProviderState() }));
    expect(await run('infrastructure', settings)).toBe(true);
    expect((await world.facts()).failedPools).toBeUndefined();
  });

  it('simulated stages fail as a whole when a cluster cannot work without those pools', async () => {
    const fault = { stage: 'infrastructure', class: 'credentials', provider: 'hz-prod', times: 9 };
    expect(await run('infrastructure', { KUBELOOM_SIM_FAULTS: JSON.stringify([fault]) })).toBe(false);
  });

  it('simulated stages take the configured time, and end at once when they are stopped', async () => {
    const stop = new AbortController();
    const running = run('nodes', { KUBELOOM_SIM_STAGE_MS: '60000' }, stop.signal);
    stop.abort();
    expect(await running).toBe(false);
    expect(await errorOf('nodes')).toMatchObject({ code: 'StageCancelled' });
  });
});

describe('simulated drift', () => {
  const reported = (change: object = {}) =>
    JSON.stringify([{ kind: 'machine', pool: 'workers', manifest: 'shop', ...change }]);
  const state = twoProviderState();
  const found = async (drift: string) => {
    await world.put(aCheck(state));
    expect(await run('drift', { KUBELOOM_SIM_DRIFT: drift })).toBe(true);
    return DriftReport.parse(JSON.parse((await world.ports.artifacts.getText(waypointKeys.drift(prefix))) ?? 'null'))
      .items;
  };
  const repair = async (drift: string) => {
    await world.put(aDocument(grow, { direction: 'repair', before: state, target: state }));
    expect(await run('configuration', { KUBELOOM_SIM_DRIFT: drift })).toBe(true);
  };

  it('simulated drift is found where configured, until it is repaired', async () => {
    const drift = reported({ node: 'workers-bbbbbbb-01' });
    expect(await found(drift)).toMatchObject([
      { kind: 'machine', where: { node: 'workers-bbbbbbb-01', pool: 'workers' } },
    ]);
    await repair(drift);
    expect(await found(drift)).toEqual([]);
  });

  it('stubborn simulated drift survives a repair; drift configured for others is not found', async () => {
    const drift = reported({ stubborn: true });
    await repair(drift);
    expect(await found(drift)).toHaveLength(1);
    expect(await found(reported({ manifest: 'other' }))).toEqual([]);
    expect(await found(reported({ cluster: 'other' }))).toEqual([]);
    expect(await found(reported({ pool: 'other' }))).toEqual([]);
  });

  it('simulated drift is not looked for when the check has an injected fault', async () => {
    await world.put(aCheck(state));
    expect(await run('drift', { KUBELOOM_SIM_FAULTS: JSON.stringify([{ stage: 'drift', class: 'quota' }]) })).toBe(
      false,
    );
    expect(await world.ports.artifacts.getText(waypointKeys.drift(prefix))).toBeUndefined();
  });
});
