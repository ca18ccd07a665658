/** Templates of MachineGroups: what they produce, and what they may include. */
import { describe, expect, test } from 'vitest';
import { readObjects } from '#documents/read-objects.ts';
import { indexInventory } from '#domain/inventory/inventory-index.ts';
import { inventoryImpact } from '#domain/inventory/plan-inventory.ts';
import { resolveCluster } from '#domain/inventory/resolve-cluster.ts';
import { validateInventoryDocument } from '#domain/inventory/validate-inventory.ts';
import { manifestOfDocument } from '#domain/manifest/groups/manifest-of-document.ts';
import { validateAsManifest } from '#domain/manifest/groups/validate-as-manifest.ts';
import { groupsWith, leaf } from '#test/machine-groups/groups.ts';
import { cluster, faultTexts, inventory, resolved, template } from './inventories.ts';

const { spec } = groupsWith({ web: { ...leaf, size: '${values.size}' } });
const producing = (produces: string, reference: string, document?: unknown, parts = {}) => {
  const { document: made, ...rest } = template(reference, document, parts);
  const { document: parsed } = validateInventoryDocument('InventoryTemplate', {
    ...made,
    spec: { ...made.spec, produces },
  });
  if (parsed?.kind !== 'InventoryTemplate') throw new Error(`a template cannot produce ${produces}`);
  return { ...rest, document: parsed };
};
const machines = producing('MachineGroups', 'machines@1', { spec });
const shop = (size: number, wanted = 'machines@1') => cluster('shop', {}, { size }, wanted);

describe('a template that produces MachineGroups', () => {
  test('issue 15, 1: an InventoryCluster of a template for machine groups resolves to an ordinary MachineGroups document', () => {
    const { document, faults } = resolved({ templates: [machines], clusters: [shop(3)] });
    expect(faults).toEqual([]);
    expect(document).toMatchObject({ kind: 'MachineGroups', metadata: { name: 'shop', namespace: 'default' } });
    expect(validateAsManifest(document, { readObjects })).toMatchObject({
      document: { kind: 'MachineGroups' },
      faults: [],
    });
    const read = manifestOfDocument(document);
    expect('manifest' in read && read.manifest.spec.nodePools.dynamic).toMatchObject([{ name: 'web', count: 3 }]);
  });

  test('a template that does not say `produces` makes an InputManifest, as before', () => {
    const { document } = resolved({ clusters: [cluster('shop')] });
    expect(document).toMatchObject({ kind: 'InputManifest' });
  });

  test('a template cannot produce another kind', () => {
    const { document } = template('t@1', {});
    const verdict = validateInventoryDocument('InventoryTemplate', {
      ...document,
      spec: { ...document.spec, produces: 'MachineGroup' },
    });
    expect(verdict.faults).toMatchObject([{ path: 'spec.produces', fix: 'did you mean MachineGroups?' }]);
  });

  test('a changed value is a change of its groups, counted like any other', () => {
    const at = (size: number) =>
      inventory({ templates: [machines], clusters: [shop(size), cluster('other', {}, {}, 'machines@1')] });
    expect(inventoryImpact(at(3), at(5))).toMatchObject({
      depend: 1,
      clusters: [{ cluster: 'shop', impact: 'changes', changes: ['groups.web.size 3 → 5'] }],
    });
  });

  test('a new version of a template may produce the other kind, and the change reports that', () => {
    const templates = [machines, producing('InputManifest', 'machines@2', { spec: { size: '${values.size}' } })];
    const at = (wanted: string) => inventory({ templates, clusters: [shop(3, wanted)] });
    const [plan] = inventoryImpact(at('machines@1'), at('machines@2')).clusters;
    expect(plan?.changes).toContain('kind MachineGroups → InputManifest');
  });

  test('parts are included from templates of the same product only', () => {
    const part = { web: { ...leaf, size: '${values.size}' } };
    const using = producing('MachineGroups', 'using@1', {
      spec: { ...spec, groups: { $include: 'base@1/groups' } },
    });
    const based = (produces: string) => {
      const base = producing(produces, 'base@1', undefined, { groups: part });
      const index = indexInventory(inventory({ templates: [using, base], clusters: [shop(3, 'using@1')] }));
      return index.clusters.map((one) => resolveCluster(one, index));
    };
    expect(based('MachineGroups')[0]?.document).toMatchObject({ spec: { groups: { web: { size: 3 } } } });
    expect(based('InputManifest').flatMap(faultTexts)).toContain(
      'InventoryTemplate using@1 spec.document.spec.groups.$include: template base@1 is for InputManifest, this one for MachineGroups',
    );
  });
});
