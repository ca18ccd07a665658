/** Machines that have our tags and that no one knows, and the receipt of a deletion: by the hook `list` of a type. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waypointKeys } from '#contracts/stage.ts';
import { driftKey } from '#domain/drift.ts';
import { repairPlans } from '#domain/planning/work/repair-plans.ts';
import { strayItems, unlisted } from '#runner/drift/stray-items.ts';
import { actOnStrays } from '#runner/terraform/strays/act-on-strays.ts';
import { reportDeletion, type Strays, straysOf } from '#runner/terraform/strays/strays.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { aCheck, aDocument, prefix, type StageWorld, stageWorld } from '#test/runner/stage-world.ts';
import { hooksIn } from './hooks-in.ts';

const node = 'control-aaaaaaa-01';
const parts = [{ provider: { name: 'p1', type: 'local', templates: 'builtin@1' }, wanted: true, pools: [] }];
const input = {
  installation: 'i',
  cluster: 'shop-1234567',
  provider: 'p1',
  kind: 'machines' as const,
  destroy: false,
  resources: [{ address: 'a', type: 'terraform_data', index: 'retiring-01', values: null }],
};
const machine = {
  address: 'a',
  type: 'machine',
  index: 'retiring-01' as string | number | undefined,
  values: null as { id?: string } | null,
};
const volume = { address: 'b', type: 'volume', index: node, values: { id: 'v-1' } };
type Request = Parameters<typeof straysOf>[2];

let world: StageWorld;
beforeEach(() => {
  world = stageWorld();
});
afterEach(() => world.close());

const listsItems = (...items: readonly object[]) =>
  world.file('terraform/local/list.ts', `console.log(${JSON.stringify(JSON.stringify({ items }))});`);
const lists = (...names: readonly string[]) => listsItems(...names.map((name) => ({ id: `id-${name}`, name })));
async function withStage(work: (context: Parameters<typeof straysOf>[0]) => Promise<void>): Promise<void> {
  await world.put(aDocument([{ stage: 'infrastructure', reasons: ['try'], work: { workspaces: [] } }]));
  const result = await world.run('infrastructure', {
    tool: async (context) => {
      await work(context);
      return {};
    },
  });
  expect(result.error).toBeUndefined();
}
async function strays(change: Partial<Request> = {}, of = parts): Promise<Strays> {
  let found: Strays = { failed: 'nothing was asked' };
  await withStage(async (context) => {
    found = await straysOf(context, await hooksIn(context, of), { ...input, ...change });
  });
  return found;
}
async function receipt(removed: readonly string[], others: readonly string[] = []): Promise<readonly string[]> {
  const deletion = { input, removed, others: new Set(others), shared: false };
  await withStage(async (context) => reportDeletion(context, { ...deletion, hooks: await hooksIn(context, parts) }));
  return (await world.reported()).filter((text) => text.startsWith('DeletionReceipt'));
}

describe('strays', () => {
  it('a listed machine that neither the state of the cluster nor the one of Terraform knows is a stray', async () => {
    lists(node, 'retiring-01', 'who-is-that');
    expect(await strays()).toMatchObject({ found: [{ id: 'id-who-is-that', name: 'who-is-that' }], removable: false });
  });

  it('a machine that has the name of a node, and another id than the one in the state of Terraform, is a stray', async () => {
    const resources = [{ ...machine, index: node, values: { id: 'I-1' } }];
    listsItems({ id: 'i-1', name: node }, { id: 'i-2', name: node });
    expect(await strays({ resources })).toMatchObject({ found: [{ id: 'i-2', name: node }] });
    const items = strayItems([{ provider: 'p1', type: 'local', strays: await strays({ resources }) }]);
    expect(items).toMatchObject([{ where: { provider: 'p1', name: node, id: 'i-2' } }]);
  });

  it('two strays with one name are two strays', async () => {
    listsItems({ id: 'i-8', name: 'who-is-that' }, { id: 'i-9', name: 'who-is-that' });
    const items = strayItems([{ provider: 'p1', type: 'local', strays: await strays() }]);
    expect(new Set(items.map(driftKey)).size).toBe(2);
  });

  it.each([
    ['the state has no machine of it', [{ ...machine, index: 'other', values: { id: 'i-1' } }]],
    ['the state has only another thing of it', [volume, { ...machine, index: 'other', values: { id: 'i-1' } }]],
    [
      'the state has none of the ids of the list',
      ['other', node].map((index) => ({ ...machine, index, values: { id: `form-of-${index}` } })),
    ],
  ])('a machine with the name of a node is not a stray while %s', async (_while, resources) => {
    listsItems({ id: 'i-1', name: 'other' }, { id: 'i-2', name: node });
    expect(await strays({ resources: [...resources, machine] })).toMatchObject({ found: [] });
  });

  it('a machine that was given another name is no stray: the state of Terraform has its id', async () => {
    listsItems({ id: 'i-1', name: 'renamed' });
    expect(await strays({ resources: [{ ...machine, values: { id: 'i-1' } }] })).toMatchObject({ found: [] });
  });

  it('a stray that two versions of a type list, or two instances of one account, is one stray', async () => {
    lists('who-is-that');
    const [part] = parts;
    const other = { ...part, provider: { name: 'p1', type: 'local', templates: 'builtin@2' } } as typeof part;
    const found = await strays(
      {},
      [part, other].flatMap((one) => one ?? []),
    );
    expect(found).toMatchObject({ found: [{ name: 'who-is-that' }] });
    const listed = ['p1', 'p2'].map((provider) => ({ provider, type: 'local', strays: found }));
    expect(strayItems(listed)).toMatchObject([{ kind: 'stray', where: { provider: 'p1', name: 'who-is-that' } }]);
    const types = ['local', 'house'].map((type) => ({ provider: type, type, strays: found }));
    expect(strayItems(types)).toHaveLength(2);
  });

  it('strays can be stopped and deleted where the type has a hook for it', async () => {
    lists('who-is-that');
    expect(await strays()).toMatchObject({ removable: false, stoppable: false });
    world.file('terraform/local/remove.ts', '');
    world.file('terraform/local/stop.ts', '');
    expect(await strays()).toMatchObject({ removable: true, stoppable: true });
    const items = await strays().then((found) => strayItems([{ provider: 'p1', type: 'local', strays: found }]));
    expect(items).toMatchObject([{ repairable: true, hold: 'possible' }]);
  });

  it('a stray that is stopped already is in quarantine', async () => {
    const items = [{ id: 'a', name: 'who-is-that', stopped: true }];
    world.file('terraform/local/list.ts', `console.log(${JSON.stringify(JSON.stringify({ items }))});`);
    const [item] = strayItems([{ provider: 'p1', type: 'local', strays: await strays() }]);
    expect(item).toMatchObject({ hold: 'held', message: expect.stringContaining('in quarantine') });
  });

  it('only what is still a stray is stopped or deleted, each once, also where a type is there in two versions', async () => {
    lists(node, 'who-is-that', 'another');
    const asked = join(world.directory, 'asked');
    const note = `import { appendFileSync, readFileSync } from 'node:fs';
      appendFileSync(${JSON.stringify(asked)}, JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).machines));`;
    for (const hook of ['stop', 'remove']) world.file(`terraform/local/${hook}.ts`, note);
    const [part] = parts;
    const other = { ...part, provider: { name: 'p1', type: 'local', templates: 'builtin@2' } } as typeof part;
    const both = [part, other].flatMap((one) => one ?? []);
    let done: readonly string[] = [];
    await withStage(async (context) => {
      done = await actOnStrays(
        context,
        { hooks: await hooksIn(context, both), input },
        { action: 'quarantine', ids: ['id-who-is-that', `id-${node}`] },
      );
    });
    expect(done).toEqual(['who-is-that']);
    expect(readFileSync(asked, 'utf8')).toBe(JSON.stringify([{ id: 'id-who-is-that', name: 'who-is-that' }]));
  });

  it('nothing is stopped or deleted when the listing fails, or when the state of Terraform is empty', async () => {
    world.file('terraform/local/list.ts', "console.error('the cloud is silent'); process.exit(4);");
    world.file('terraform/local/remove.ts', 'process.exit(9);');
    const asked = { action: 'delete', ids: ['id-who-is-that'] } as const;
    await withStage(async (context) => {
      await expect(actOnStrays(context, { hooks: await hooksIn(context, parts), input }, asked)).rejects.toThrow(
        /the cloud is silent/,
      );
      lists('who-is-that');
      expect(
        await actOnStrays(context, { hooks: await hooksIn(context, parts), input: { ...input, resources: [] } }, asked),
      ).toEqual([]);
    });
  });

  it('nothing is a stray when the state of Terraform is empty: it may be lost', async () => {
    lists('who-is-that');
    expect(await strays({ resources: [] })).toMatchObject({ found: [] });
  });

  it('nothing is a stray when the listing failed, or is not what a hook answers', async () => {
    world.file('terraform/local/list.ts', "console.error('the cloud is silent'); process.exit(4);");
    expect(await strays()).toEqual({ failed: expect.stringContaining('the cloud is silent') });
    world.file('terraform/local/list.ts', "console.log('{}{}');");
    expect(await strays()).toEqual({ failed: expect.stringContaining('invalid JSON') });
  });

  it('a listing that is denied is a note of the check, any other that fails leaves the check incomplete', async () => {
    const sentence = 'p1: unknown machines could not be listed: why';
    expect(unlisted('p1', { failed: 'why', denied: true })).toEqual({ unchecked: [], notes: [sentence] });
    expect(unlisted('p1', { failed: 'why' })).toEqual({ unchecked: [sentence], notes: [] });
    await world.put(aCheck(twoProviderState()));
    const look = async () => ({ items: [], ...unlisted('p1', { failed: 'why', denied: true }) });
    expect((await world.checkDrift([look])).error).toBeUndefined();
    const report = await world.ports.artifacts.getText(waypointKeys.drift(prefix));
    expect(JSON.parse(report ?? '')).toMatchObject({ unchecked: [], notes: [sentence] });
  });

  it('a repair of a stray is about that machine of its provider instance and nothing else', () => {
    const provider = twoProviderState().pools.flatMap(({ source }) =>
      source.kind === 'dynamic' ? [source.provider.name] : [],
    )[0];
    const where = { provider: provider ?? '', name: 'who-is-that', id: 'i-9' };
    const stray = { kind: 'stray' as const, where, message: 'm', repairable: true };
    for (const action of ['quarantine', 'delete'] as const)
      expect(repairPlans(twoProviderState(), [stray], action)).toMatchObject([
        {
          stage: 'infrastructure',
          work: { workspaces: [], strays: [{ provider, action, ids: ['i-9'] }] },
        },
      ]);
  });
});

describe('the receipt of a deletion', () => {
  it('the receipt says what was removed, and that nothing with the tags is left', async () => {
    lists();
    expect(await receipt(['web-01', 'web-02'])).toEqual([
      'DeletionReceipt: p1: removed web-01, web-02; nothing with the tags of the cluster is left',
    ]);
  });

  it('the receipt names what is left, without what the user orphaned', async () => {
    lists('web-01', 'kept-01');
    expect(await receipt(['web-01'], ['kept-01'])).toEqual([
      'DeletionReceipt: p1: removed web-01; it still has web-01 (id-web-01): remove it there',
    ]);
  });

  it('the receipt does not claim what no one could list', async () => {
    world.file('terraform/local/provider.json', '{}');
    expect(await receipt(['web-01'])).toEqual([
      'DeletionReceipt: p1: removed web-01; its type cannot list what is left',
    ]);
    world.file('terraform/local/list.ts', "console.error('no answer'); process.exit(4);");
    expect((await receipt([])).join()).toMatch(/p1: removed no machine; what is left could not be listed: .*no answer/);
  });
});
