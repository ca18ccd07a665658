/** Another image or server type: how machines of a group become others. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { allPools, type ClusterState, type NodePoolState, serverTypeOf } from '#domain/cluster-state.ts';
import { validateMachineGroups } from '#domain/manifest/groups/validate-machine-groups.ts';
import { buildDesiredState } from '#domain/planning/desired/build-desired-state.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { describeClusterPlan } from '#domain/planning/text/describe-plan.ts';
import { costOfMonth } from '#domain/prices/sum-costs.ts';
import { providerTypeFacts, providerTypeNames, providerTypes } from '#domain/provider-types.ts';
import { countingIds } from '../planning/arbitraries.ts';
import { groupsWith, leaf, stateOf } from './groups.ts';

const web = { ...leaf, size: 4, boot: ['true'] };

const planOf = (current: ClusterState, desired: ClusterState, attempted: ClusterState | null = null) =>
  planClusterPath({ cluster: 'c', current, attempted, desired });
/** The machines of each waypoint, as the numbers of old and new ones. */
function countsOf(current: ClusterState, desired: ClusterState): readonly string[] {
  const old = new Set(allPools(current).flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  return planOf(current, desired).waypoints.map(({ direction, target }) => {
    const names = (target ? allPools(target) : []).flatMap(({ nodes }) => nodes.map(({ name }) => name));
    const kept = names.filter((name) => old.has(name)).length;
    return `${direction} ${kept}+${names.length - kept}`;
  });
}

/** A cloud that may stop machines to make their disks larger. */
function onAzure(pool: NodePoolState): NodePoolState {
  if (pool.source.kind === 'static') return pool;
  return { ...pool, source: { ...pool.source, provider: { ...pool.source.provider, type: 'azure' } } };
}

describe('machines of a group that have to be others', () => {
  const before = stateOf({ web });

  it.each([
    ['image', { image: 'j' }],
    ['server type', { serverType: 'u' }],
  ])('a changed %s creates all new machines, then removes the old ones', (_what, change) => {
    const after = stateOf({ web: { ...web, ...change } }, before);
    expect(planOf(before, after).refusals).toEqual([]);
    expect(countsOf(before, after)).toEqual(['grow 4+4', 'shrink 0+4']);
  });

  it.each([
    [1, ['shrink 3+0', 'grow 3+1', 'shrink 2+1', 'grow 2+2', 'shrink 1+2', 'grow 1+3', 'shrink 0+3', 'grow 0+4']],
    [2, ['shrink 2+0', 'grow 2+2', 'shrink 0+2', 'grow 0+4']],
    [4, ['shrink 0+0', 'grow 0+4']],
  ])('update: replace removes %i machines at once, and there are never more than before', (maxUnavailable, steps) => {
    const after = stateOf({ web: { ...web, maxUnavailable, update: 'replace', image: 'j' } }, before);
    expect(planOf(before, after).refusals).toEqual([]);
    expect(countsOf(before, after).filter((step) => !step.startsWith('settle'))).toEqual(steps);
  });

  it('a group whose replacement was interrupted half way continues from there', () => {
    const after = stateOf({ web: { ...web, maxUnavailable: 2, update: 'replace', image: 'j' } }, before);
    const half = planOf(before, after).waypoints.find(({ direction }) => direction === 'grow')?.target;
    if (!half) throw new Error('nothing grows');
    const [, ...rest] = countsOf(before, after).filter((step) => step !== 'settle 4+0');
    expect(countsOf(half, after)).toHaveLength(rest.length - 1);
    expect(planOf(half, after).waypoints.at(-1)?.target).toEqual(after);
  });

  it.each([1, 2, 3])(
    'update: replace never lacks more than %i machines, planned again after each waypoint',
    (maxUnavailable) => {
      const after = stateOf({ web: { ...web, maxUnavailable, update: 'replace', image: 'j' } }, before);
      const total = (state: ClusterState | null) => (state ? allPools(state) : []).flatMap(({ nodes }) => nodes).length;
      let current = before;
      // After a shrink and after an undone grow alike there is a place free.
      for (let runs = 0; runs < 20; runs++) {
        const [next] = planOf(current, after).waypoints;
        if (!next?.target) break;
        expect(total(next.target)).toBeGreaterThanOrEqual(web.size - maxUnavailable);
        current = next.target;
      }
      expect(current).toEqual(after);
    },
  );

  it('update: inPlace gives the machines that exist another server type, and refuses another image', () => {
    const kept = { ...web, maxUnavailable: 4, update: 'inPlace' };
    const current = stateOf({ web: kept });
    const after = stateOf({ web: { ...kept, serverType: 'u' } }, current);
    expect(countsOf(current, after)).toEqual(['settle 4+0']);
    const [waypoint] = planOf(current, after).waypoints;
    const names = current.pools[0]?.nodes.map(({ name }) => name) ?? [];
    expect(waypoint?.stages).toMatchObject([
      { stage: 'infrastructure', reasons: ['sim-1: 4 machines changed in place, which restart'] },
      { stage: 'configuration', work: { restarted: names, install: [], peers: [] } },
    ]);
    expect(waypoint?.target).toMatchObject({ pools: [{ source: { serverType: 'u' } }] });
    const other = stateOf({ web: { ...kept, serverType: 'u', image: 'j' } }, current);
    expect(planOf(current, other).refusals).toMatchObject([{ fix: expect.stringContaining('update: surge') }]);
  });

  describe('update: inPlace in rounds', () => {
    const kept = { ...web, size: 5, maxUnavailable: 2, update: 'inPlace' };
    const current = stateOf({ web: kept });
    const after = stateOf({ web: { ...kept, serverType: 'u' } }, current);
    const typesOf = (state: ClusterState | null | undefined) =>
      (state ? allPools(state) : []).flatMap((pool) => pool.nodes.map((node) => serverTypeOf(node, pool))).join('');
    const restartedIn = (state: ClusterState, goal: ClusterState) =>
      planOf(state, goal).waypoints.map(({ stages }) =>
        stages.flatMap((stage) => (stage.stage === 'configuration' ? (stage.work.restarted ?? []) : [])),
      );

    it('no more than maxUnavailable machines restart at once, and the next ones wait until these are healthy', () => {
      const { waypoints, refusals } = planOf(current, after);
      expect(refusals).toEqual([]);
      expect(waypoints.map(({ direction, target }) => [direction, typesOf(target)])).toEqual([
        ['settle', 'uuttt'],
        ['settle', 'uuuut'],
        ['settle', 'uuuuu'],
      ]);
      expect(restartedIn(current, after).map((names) => names.length)).toEqual([2, 2, 1]);
      expect(waypoints.at(-1)?.target).toEqual(after);
    });

    it('the printed plan says how many machines of a round restart, and which are awaited', () => {
      const texts = describeClusterPlan(planOf(current, after)).waypoints.map(({ lines, stages }) => [
        ...lines.map(({ text }) => text),
        ...stages.flatMap(({ reasons }) => reasons),
      ]);
      const [, , fifth] = current.pools[0]?.nodes.slice(2).map(({ name }) => name) ?? [];
      expect(texts.at(-1)).toEqual([
        'machines of web get another serverType in place, and restart',
        expect.stringContaining('changed in place: 1 machine node of web'),
        expect.stringContaining('the other 4 nodes stay'),
        'sim-1: 1 machine changed in place, which restarts',
        `1 machine awaited until healthy: ${fifth}`,
      ]);
    });

    it('a new plan after a round continues with the remaining machines', () => {
      const [round] = planOf(current, after).waypoints;
      const here = round?.target ?? current;
      const again = stateOf({ web: { ...kept, serverType: 'u' } }, here);
      expect(again).toEqual(after);
      expect(planOf(here, again).waypoints.map(({ target }) => typesOf(target))).toEqual(['uuuut', 'uuuuu']);
    });

    it('machines that were changed already are changed back when the old type is written again', () => {
      const here = planOf(current, after).waypoints[0]?.target ?? current;
      const back = stateOf({ web: kept }, here);
      expect(back).toEqual(current);
      expect(planOf(here, back).refusals).toEqual([]);
      expect(planOf(here, back).waypoints.map(({ target }) => typesOf(target))).toEqual(['ttttt']);
    });

    it('a strategy that replaces machines, written after the first round, replaces all of them', () => {
      const here = planOf(current, after).waypoints[0]?.target ?? current;
      const surge = stateOf({ web: { ...kept, update: 'surge', serverType: 'u' } }, here);
      expect(planOf(here, surge).refusals).toEqual([]);
      expect(countsOf(here, surge)).toEqual(['grow 5+5', 'shrink 0+5']);
    });

    it('the cost of each round is that of the machines that remain after it', () => {
      const here = planOf(current, after).waypoints[0]?.target ?? null;
      const cost = costOfMonth([{ cluster: 'c', before: here, after }]);
      expect(cost?.machines.map(({ serverType, before, after }) => [serverType, before, after])).toEqual([
        ['u', 2, 5],
        ['t', 3, 0],
      ]);
    });
  });

  it('update: inPlace makes data disks larger without a restart, and refuses to make them smaller or to add them', () => {
    const kept = { ...web, maxUnavailable: 1, update: 'inPlace', storageDiskSize: 60 };
    const current = stateOf({ web: kept });
    const names = current.pools[0]?.nodes.map(({ name }) => name) ?? [];
    const larger = stateOf({ web: { ...kept, storageDiskSize: 80 } }, current);
    expect(planOf(current, larger)).toMatchObject({
      refusals: [],
      waypoints: [
        {
          direction: 'settle',
          target: { pools: [{ source: { storageDiskSize: 80 } }] },
          stages: [
            { stage: 'infrastructure', reasons: ['sim-1: 4 data disks made larger'] },
            { stage: 'configuration', reasons: ['the file system of 4 data disks grows'], work: { disks: names } },
          ],
        },
      ],
    });
    for (const storageDiskSize of [0, 50]) {
      const other = stateOf({ web: { ...kept, storageDiskSize } }, current);
      expect(planOf(current, other).refusals).toMatchObject([{ reason: expect.stringContaining('storageDiskSize') }]);
    }
    const azure = { ...current, pools: current.pools.map(onAzure) };
    expect(planOf(azure, { ...larger, pools: larger.pools.map(onAzure) }).refusals).toHaveLength(1);
    const bare = stateOf({ web: { ...kept, storageDiskSize: 0 } });
    expect(planOf(bare, stateOf({ web: kept }, bare)).refusals).toHaveLength(1);
  });

  it('update: inPlace first adds machines of the new size, then changes the existing ones', () => {
    const kept = { ...web, maxUnavailable: 5, update: 'inPlace' };
    const current = stateOf({ web: kept });
    const after = stateOf({ web: { ...kept, size: 5, serverType: 'u' } }, current);
    expect(countsOf(current, after)).toEqual(['grow 4+1', 'settle 4+1']);
    expect(planOf(current, after).refusals).toEqual([]);
  });

  it('update: inPlace is a fault where the provider cannot', () => {
    const providers = [{ name: 'sim-1', providerType: 'verda', secretRef: { name: 'v', namespace: 'default' } }];
    const faultsOf = (group: object, spec: object = {}) =>
      validateMachineGroups(groupsWith({ web: { ...web, update: 'inPlace', ...group } }, spec), { readObjects })
        .faults.filter(({ path }) => path === 'spec.groups.web.update')
        .map(({ reason }) => reason);
    expect(faultsOf({ maxUnavailable: 4 })).toEqual([]);
    expect(faultsOf({ maxUnavailable: 4 }, { providers })).toEqual([
      'Kubeloom cannot change machines of Verda in place',
    ]);
    const aws = [{ name: 'sim-1', providerType: 'aws', secretRef: { name: 'a', namespace: 'default' } }];
    expect(faultsOf({ spot: true }, { providers: aws })).toEqual([
      'spot machines of AWS cannot be stopped, so they cannot be changed in place',
    ]);
    expect([...faultsOf({}, { providers: aws }), ...faultsOf({ spot: true })]).toEqual([]);
  });

  it.each(providerTypeNames.filter((type) => providerTypes[type].nodes && providerTypeFacts(type)?.resizes))(
    'the modules of %s do not ignore another server type, which update: inPlace promises',
    (type) => {
      const folder = new URL(`../../templates/terraform/${type}/nodepool/`, import.meta.url);
      if (!existsSync(folder)) return;
      const text = readdirSync(folder)
        .filter((file) => file.endsWith('.tf'))
        .map((file) => readFileSync(new URL(file, folder), 'utf8'))
        .join('\n');
      const [, argument] =
        /^\s*(\w+)\s*=\s*coalesce\(var\.nodes\[each\.key\]\.server_type, var\.pool\.server_type\)$/m.exec(text) ?? [];
      const ignored = [...text.matchAll(/ignore_changes = \[([^\]]*(?:\[[^\]]*\][^\]]*)*)\]/g)]
        .map(([, list]) => list)
        .join(', ');
      // A local host has no type.
      if (type !== 'local') expect(argument).toBeDefined();
      expect(ignored.split(/,\s*/)).not.toContain(argument);
    },
  );

  it('a size of Azure that is given in place does not change the network interface of a machine that runs', () => {
    const file = new URL('../../templates/terraform/azure/nodepool/main.tf', import.meta.url);
    const [, nic = ''] = readFileSync(file, 'utf8').split('resource "azurerm_network_interface" "node"');
    const [own = ''] = nic.split('\nresource ');
    expect(own).toMatch(/ignore_changes = \[accelerated_networking_enabled,/);
  });

  it.each([
    ['hetzner', 'keep_disk = true'],
    ['digitalocean', 'resize_disk = false'],
  ])(
    'the modules of %s keep the root disk as large as it is, so that the old server type is possible again',
    (type, line) => {
      const file = new URL(`../../templates/terraform/${type}/nodepool/main.tf`, import.meta.url);
      expect(readFileSync(file, 'utf8').replaceAll(/ +/g, ' ')).toContain(line);
    },
  );

  it('update: refuse refuses another image, and protect does so for every update', () => {
    const refused = stateOf({ web: { ...web, update: 'refuse', image: 'j' } }, before);
    expect(planOf(before, refused).refusals.map(({ reason }) => reason)).toEqual([expect.stringContaining('image')]);
    const kept = stateOf({ web: { ...web, protect: true } });
    const after = stateOf({ web: { ...web, protect: true, image: 'j' } }, kept);
    expect(planOf(kept, after).refusals).not.toEqual([]);
  });
});

describe('hazard 6: a shrink that was interrupted', () => {
  const groups = { web: { ...leaf, size: 3 } };
  const before = stateOf(groups);
  const [one = '', two = ''] = before.pools[0]?.nodes.map(({ name }) => name) ?? [];
  const smaller = (attempted: ClusterState | null, unhealthy: readonly string[]): ClusterState => {
    const { manifest } = validateMachineGroups(groupsWith({ web: { ...leaf, size: 2 } }, {}, 'c'), { readObjects });
    if (manifest === undefined) throw new Error('the document is refused');
    const question = { manifest, cluster: 'c', current: before, attempted, templates: {}, unhealthy };
    const state = buildDesiredState({ ...question, ids: countingIds('x') });
    if (state === null) throw new Error('there is no cluster');
    return state;
  };
  const left = (state: ClusterState | null | undefined) =>
    (state?.pools ?? []).flatMap(({ nodes }) => nodes.map(({ name }) => name));

  it('an interrupted shrink still removes the machine that it had started to remove, whichever is unhealthy now', () => {
    const attempted = smaller(null, [one]);
    expect(left(attempted)).not.toContain(one);
    const after = smaller(attempted, [two]);
    expect(left(after)).toEqual(left(attempted));
    const { waypoints } = planOf(before, after, attempted);
    expect(waypoints.map(({ direction, target }) => [direction, left(target)])).toEqual([['shrink', left(attempted)]]);
  });
});
