/** `kubeloom planes`: which components of Cluster API are desired on which cluster, and which it has. */
import type { Command } from 'commander';
import type { InventoryList } from '#contracts/inventory.ts';
import { noTotals } from '#domain/planning/text/plan-totals.ts';
import { counted } from '#domain/words.ts';
import type { CliClient, ManifestName } from '../connection/api-client.ts';
import { addDocumentCommands } from '../document-commands.ts';
import { print, printTable } from '../print/output.ts';
import { confirm, consentOptions } from '../submission/confirm.ts';

type PlaneRow = InventoryList['planes'][number];

export function registerPlanes(program: Command): void {
  const planes = program
    .command('planes')
    .description('management planes of Cluster API on clusters; store them with `kubeloom apply`');
  addDocumentCommands(planes, {
    kind: 'ManagementPlane',
    within: 'namespace',
    list: {
      description: 'list the planes of a namespace, and whether their components are installed',
      rows: async (api, namespace = 'default') => (await api.listInventory({ namespace })).planes,
      titles: ['PLANE', 'MANIFEST', 'CLUSTER', 'STATE', 'COMPONENTS'],
      cells: ({ plane, manifest, cluster, state, components }) => [
        plane,
        manifest,
        cluster,
        state,
        countOf(components),
      ],
    },
    describe: {
      description: 'show the desired and the installed release of each component',
      read: planeAt,
      print: describe,
    },
    document: async (api, key) => (await api.getInventory({ ...key, kind: 'ManagementPlane' })).document,
    remove: {
      description: 'remove the components from the cluster; definitions and namespaces stay',
      options: consentOptions,
      act: remove,
      outcome: 'a run of the manifest of its cluster removes the components',
    },
  });
}

function countOf(components: PlaneRow['components']): string {
  const done = components.filter(({ desired, installed, works }) => works && desired === installed).length;
  return `${done}/${components.length}`;
}

function describe({ plane, manifest, cluster, state, components }: PlaneRow): void {
  print(`${plane} on cluster ${cluster} of manifest ${manifest}: ${state}`);
  printTable(
    ['COMPONENT', 'KIND', 'DESIRED', 'INSTALLED', 'CONTRACT', 'WORKS'],
    components.map(({ document, kind, desired, installed, contract, works }) => [
      ...[document, kind, desired, installed ?? '-', contract ?? '-', works ? 'yes' : 'no'],
    ]),
  );
  for (const { document, remark } of components) if (remark !== undefined) print(`  ${document}: ${remark}`);
}

async function remove(api: CliClient, key: ManifestName, consent: object): Promise<void> {
  const found = await planeAt(api, key);
  const installed = found?.components.filter((component) => component.installed !== null) ?? [];
  if (found && installed.length > 0) {
    const action = `delete ManagementPlane ${key.namespace}/${key.name}`;
    const removes = `${counted(installed.length, 'component')} removed from cluster ${found.cluster}`;
    await confirm({ totals: noTotals, action, removes }, consent);
  }
  await api.deleteInventory({ ...key, kind: 'ManagementPlane' });
}

async function planeAt(api: CliClient, { namespace, name }: ManifestName): Promise<PlaneRow | undefined> {
  const { planes } = await api.listInventory({ namespace });
  return planes.find(({ plane }) => plane === name);
}
