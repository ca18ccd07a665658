/** `kubeloom planes`: which components of Cluster API are desired on which cluster, and which it has. */
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { InventoryList } from '#contracts/inventory.ts';
import { noTotals } from '#domain/planning/text/plan-totals.ts';
import { counted } from '#domain/planning/text/words.ts';
import { cliClient } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { parseManifestName } from '../manifest-name.ts';
import { print, printJson, printTable } from '../print/output.ts';
import { type Consent, confirm, consentOptions } from '../submission/confirm.ts';

interface Options {
  readonly namespace: string;
  readonly json?: boolean;
}

type PlaneRow = InventoryList['planes'][number];

export function registerPlanes(program: Command): void {
  const planes = program
    .command('planes')
    .description('management planes of Cluster API on clusters; store them with `kubeloom apply`');
  common(
    planes.command('list').description('the planes of a namespace, and whether their components are installed'),
  ).action(list);
  common(
    planes
      .command('describe <name>')
      .description('each component: the release that is desired and the one that is installed'),
  ).action(describe);
  common(planes.command('get <name>').description('print the document, as it can be applied again')).action(get);
  const deletion = planes
    .command('delete <name>')
    .description('remove the components from the cluster; definitions and namespaces stay');
  consentOptions(common(deletion)).action(remove);
}

function common(command: Command): Command {
  return command
    .option('-n, --namespace <namespace>', 'namespace of the planes', 'default')
    .option('--json', 'answer as JSON');
}

async function list({ namespace, json }: Options): Promise<void> {
  const { planes } = await cliClient().listInventory({ namespace });
  if (json) return printJson(planes);
  if (planes.length === 0) return print(`no management planes in namespace ${namespace}`);
  printTable(
    ['PLANE', 'MANIFEST', 'CLUSTER', 'STATE', 'COMPONENTS'],
    planes.map(({ plane, manifest, cluster, state, components }) => [
      plane,
      manifest,
      cluster,
      state,
      countOf(components),
    ]),
  );
}

function countOf(components: PlaneRow['components']): string {
  const done = components.filter(({ desired, installed, works }) => works && desired === installed).length;
  return `${done}/${components.length}`;
}

async function describe(name: string, { namespace, json }: Options): Promise<void> {
  const key = keyOf(name, namespace);
  const found = await planeAt(key);
  if (found === undefined) {
    const where = `\`kubeloom planes list -n ${key.namespace}\` shows those there are`;
    throw new CliError(`there is no ManagementPlane "${key.namespace}/${key.name}": ${where}`, exitCodes.notFound);
  }
  if (json) return printJson(found);
  print(`${key.namespace}/${found.plane} on cluster ${found.cluster} of manifest ${found.manifest}: ${found.state}`);
  printTable(
    ['COMPONENT', 'KIND', 'DESIRED', 'INSTALLED', 'CONTRACT', 'WORKS'],
    found.components.map(({ document, kind, desired, installed, contract, works }) => [
      ...[document, kind, desired, installed ?? '-', contract ?? '-', works ? 'yes' : 'no'],
    ]),
  );
  for (const { document, remark } of found.components) if (remark !== undefined) print(`  ${document}: ${remark}`);
}

async function get(name: string, { namespace, json }: Options): Promise<void> {
  const { document } = await cliClient().getInventory({ ...keyOf(name, namespace), kind: 'ManagementPlane' });
  if (json) printJson(document);
  else process.stdout.write(stringify(document));
}

async function remove(name: string, { namespace, json, ...consent }: Options & Consent): Promise<void> {
  const key = keyOf(name, namespace);
  const found = await planeAt(key);
  const installed = found?.components.filter((component) => component.installed !== null) ?? [];
  if (found && installed.length > 0) {
    const action = `delete ManagementPlane ${key.namespace}/${key.name}`;
    const removes = `${counted(installed.length, 'component')} removed from cluster ${found.cluster}`;
    await confirm({ totals: noTotals, action, removes }, { ...consent, ...(json && { json }) });
  }
  await cliClient().deleteInventory({ ...key, kind: 'ManagementPlane' });
  if (json) return printJson({ deleted: key });
  print(
    `ManagementPlane ${key.namespace}/${key.name} deleted: a run of the manifest of its cluster removes the components`,
  );
}

async function planeAt({ namespace, name }: ReturnType<typeof keyOf>): Promise<PlaneRow | undefined> {
  const { planes } = await cliClient().listInventory({ namespace });
  return planes.find(({ plane }) => plane === name);
}

function keyOf(name: string, namespace: string) {
  return parseManifestName(name, namespace, 'a ManagementPlane');
}
