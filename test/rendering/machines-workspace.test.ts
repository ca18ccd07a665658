/** What a workspace of machines has, as functions of states: no Terraform, no stage. */
import { describe, expect, it } from 'vitest';
import { allNodes } from '#domain/cluster-state.ts';
import { deletedMachines, machinesParts, orphanedWith, withoutNodes } from '#rendering/machines-workspace.ts';
import { twoProviderState } from './states.ts';

const state = twoProviderState();
const provider = { name: 'hz-prod', type: 'hetzner' };
const control = ['control-aaaaaaa-01', 'control-aaaaaaa-02'];
const none = { before: new Set<string>(), removed: new Set<string>(), orphans: new Set<string>() };

describe('the parts of a workspace', () => {
  it('a workspace that is deleted has all of its pools, none of them desired', () => {
    expect(machinesParts(null, [state], 'hz-prod')).toMatchObject([
      { wanted: false, pools: ['control-aaaaaaa', 'edge-ccccccc'], provider: { name: 'hz-prod' } },
    ]);
  });

  it('pools of a version that the target no longer has are a part of their own, after those of the target', () => {
    const older = structuredClone(state);
    const pool = older.pools.find(({ id }) => id === 'control-aaaaaaa');
    if (pool?.source.kind === 'dynamic')
      Object.assign(pool, {
        id: 'control-zzzzzzz',
        source: { ...pool.source, provider: { ...pool.source.provider, templates: 'git:old' } },
      });
    expect(machinesParts(state, [state, older], 'hz-prod').map(({ wanted, pools }) => [wanted, pools])).toEqual([
      [true, ['control-aaaaaaa', 'edge-ccccccc']],
      [false, ['control-zzzzzzz']],
    ]);
  });

  it('a state without nodes lacks them in its pools and in those of its load balancers, and nothing else', () => {
    const [first = ''] = control;
    const left = withoutNodes(state, new Set([first, 'edge-ccccccc-01']));
    const names = (some: typeof left) => (some === null ? [] : allNodes(some).map(({ node }) => node.name));
    expect(names(state).filter((name) => !names(left).includes(name))).toEqual([first, 'edge-ccccccc-01']);
    expect(withoutNodes(state, new Set())).toBe(state);
  });
});

describe('orphaned nodes', () => {
  const [orphan = ''] = control;
  const isOrphaned = (target: typeof state | null) =>
    orphanedWith({ state: target, known: [state], provider: 'hz-prod', orphans: new Set([orphan]) });

  it.each([
    [
      'the machine of the node',
      { address: `module.pool_control-aaaaaaa.hcloud_server.node["${orphan}"]`, index: orphan },
      true,
    ],
    [
      'the machine of another node',
      { address: 'module.pool_control-aaaaaaa.hcloud_server.node["control-aaaaaaa-02"]', index: 'control-aaaaaaa-02' },
      false,
    ],
    ['what the whole pool has', { address: 'module.pool_control-aaaaaaa.hcloud_ssh_key.this' }, true],
    ['what another pool has', { address: 'module.pool_edge-ccccccc.hcloud_ssh_key.this' }, false],
  ])('%s is orphaned with it when all is deleted: %j', (_what, resource, expected) => {
    expect(isOrphaned(null)(resource)).toBe(expected);
  });

  it('what a pool has that stays is not orphaned with one of its nodes', () => {
    expect(isOrphaned(state)({ address: 'module.pool_control-aaaaaaa.hcloud_ssh_key.this' })).toBe(false);
  });
});

describe('the machines of a deletion', () => {
  it.each([
    ['a machine that existed', { before: new Set(control) }, control],
    ['a machine that was only planned', {}, []],
    ['a machine of another instance', { before: new Set(['workers-bbbbbbb-01']) }, []],
    ['a machine that Terraform did not know', { removed: new Set(['who-is-that']) }, ['who-is-that']],
    ['an orphaned machine', { before: new Set(control), orphans: new Set(control.slice(0, 1)) }, control.slice(1)],
  ])('%s: %j', (_what, change, removed) => {
    expect(deletedMachines([state], provider, { ...none, ...change }).removed).toEqual(removed);
  });

  it('what has no name of a machine may be of another instance of its type, or of an orphaned machine', () => {
    const sharedWith = (type: string, orphans: readonly string[] = []) =>
      deletedMachines([state], { ...provider, type }, { ...none, orphans: new Set(orphans) }).shared;
    const other = state.pools.flatMap(({ source }) =>
      source.kind === 'dynamic' && source.provider.name !== 'hz-prod' ? [source.provider.type] : [],
    );
    expect([sharedWith('hetzner'), sharedWith('hetzner', control), sharedWith(other[0] ?? '')]).toEqual([
      false,
      true,
      true,
    ]);
  });
});
