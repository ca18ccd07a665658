/** Which machines the receipt of a deletion names: those that existed, not those that were only planned. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noFacts } from '#domain/cluster-state.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { host, json, openRecordings, record, stateKey, template, world } from '#test/runner/recorded-terraform.ts';
import { aDocument } from '#test/runner/stage-world.ts';

const work = { workspaces: [{ kind: 'machines' as const, name: 'hz-prod', destroy: true }] };
const deletion = { direction: 'destroy', before: twoProviderState(), target: null } as const;
const document = aDocument([{ stage: 'infrastructure', reasons: ['deleted'], work }], deletion);

beforeEach(async () => {
  await openRecordings();
  await world.ports.artifacts.putText(stateKey, '{}');
});
afterEach(() => world.close());

/** Terraform destroys them. */
function destroys(...nodes: readonly string[]): void {
  const resource = (node: string) => ({ resource: { addr: host(node) }, action: 'delete' });
  record('plan.out', json(nodes.map((node) => ({ '@message': 'p', type: 'planned_change', change: resource(node) }))));
  const done = (node: string) => ({ ...resource(node), elapsed_seconds: 1 });
  record('apply.out', json(nodes.map((node) => ({ '@message': 'd', type: 'apply_complete', hook: done(node) }))));
}
async function receipt(): Promise<string> {
  expect((await world.run('infrastructure')).error).toBeUndefined();
  return (await world.reported()).findLast((text) => text.startsWith('DeletionReceipt')) ?? '';
}

describe('the machines of a receipt', () => {
  it('a machine that was only planned is not in the receipt', async () => {
    await world.put(document);
    destroys('control-aaaaaaa-02');
    expect(await receipt()).toMatch(/: removed control-aaaaaaa-02; nothing with the tags/);
  });

  it('the disk of a machine that was to stay is not in the receipt as left', async () => {
    const orphan = 'control-aaaaaaa-01';
    const kept = { ...work, orphan: [orphan] };
    await world.put(aDocument([{ stage: 'infrastructure', reasons: ['deleted'], work: kept }], deletion));
    destroys('control-aaaaaaa-02');
    const left = [{ id: 'vol-1', name: `${orphan}-d`, kind: 'volume' }];
    template('list.ts', `console.log(${JSON.stringify(JSON.stringify({ items: left }))});`);
    expect(await receipt()).toMatch(/: removed control-aaaaaaa-02; nothing with the tags/);
  });

  it('a machine that a first, failed attempt removed is in the receipt of the second', async () => {
    const facts = { ...noFacts, nodes: { 'control-aaaaaaa-01': { publicAddress: '198.51.100.1' } } };
    await world.put({ ...document, facts }, facts);
    destroys('control-aaaaaaa-01');
    record('apply.code', '1');
    expect((await world.run('infrastructure')).ok).toBe(false);
    record('apply.code', '0');
    destroys('edge-ccccccc-01');
    expect(await receipt()).toMatch(/: removed control-aaaaaaa-01, edge-ccccccc-01; nothing with the tags/);
  });

  it('the receipt also lists machines that were unknown to Terraform and were removed by the provider type', async () => {
    await world.put(document);
    destroys();
    template('before-apply.ts', `console.log('{"removed":["who-is-that"]}');`);
    expect(await receipt()).toMatch(/: removed who-is-that; nothing with the tags/);
  });
});
