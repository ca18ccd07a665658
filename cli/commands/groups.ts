/** `kubeloom get groups` and `kubeloom describe NAME GROUP`: machine groups of all manifests, and one of them with its machines. */
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import type { CliClient } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { allManifests, ofEach } from '../find/find-manifest.ts';
import { shortName } from '../manifest-name.ts';
import { statusOf } from '../print/describe-manifest.ts';
import { type GroupRow, groupRows, groupsNamed, sizeText, statesOf } from '../print/group-rows.ts';
import { shortList, type TableOptions, wrap } from '../print/layout.ts';
import { paint, paintedTable, paintStatus, print, printJson } from '../print/output.ts';
import { ago } from '../print/times.ts';

export async function printGroups(
  api: CliClient,
  { namespace, json }: { readonly namespace?: string | undefined; readonly json?: boolean },
): Promise<void> {
  const rows = (await ofEach(await allManifests(api, namespace), api.getManifest)).flatMap(groupRows);
  if (json) printJson(rows);
  else for (const line of groupTable(rows)) print(line);
}

/** Lines of the table; on a narrow terminal columns are left out. */
function groupTable(rows: readonly GroupRow[], options: TableOptions = {}): readonly string[] {
  if (rows.length === 0) return ['no machine groups'];
  return paintedTable(
    ['NAMESPACE', 'MANIFEST', 'GROUP', 'SIZE', 'WHERE', 'STATUS'],
    rows.map((row) => [
      ...[row.namespace, row.manifest, row.group, sizeText(row)],
      ...[shortList(row.providers, 3) || '-', statesOf(row)],
    ]),
    { drop: ['WHERE', 'NAMESPACE'], ...options },
  );
}

/** Throws `CliError` when the manifest has no such group. */
export function printGroup(manifest: ManifestDescription, wanted: string, json = false): void {
  const rows = groupRows(manifest);
  const found = groupsNamed(rows, wanted);
  if (found.length === 0) {
    const known =
      rows.length > 0
        ? `its groups are ${shortList(
            rows.map(({ group }) => group),
            20,
          )}`
        : 'it has none';
    throw new CliError(`${shortName(manifest)} has no machine group "${wanted}": ${known}`, exitCodes.notFound);
  }
  if (json) {
    printJson(found);
    return;
  }
  print(`${paint('bold', shortName(manifest))}  ${statusOf(manifest)}`);
  for (const row of found) for (const line of ['', ...groupLines(row)]) print(line);
}

function groupLines(row: GroupRow): readonly string[] {
  const titles = ['MACHINE', 'ADDRESS', 'MESH', 'STATUS', 'HEALTH'];
  const machines = row.machines.map(({ name, publicAddress, privateAddress, status, health }) => [
    ...[name, publicAddress ?? '-', privateAddress || '-', paintStatus(status)],
    health === undefined ? '-' : `${health.state}${health.since === undefined ? '' : `, since ${ago(health.since)}`}`,
  ]);
  return [
    `group ${paint('bold', row.group)}  size ${sizeText(row)}  ${statesOf(row)}`,
    ...(machines.length === 0
      ? []
      : paintedTable(titles, machines, { drop: ['MESH', 'ADDRESS'] }).map((line) => `  ${line}`)),
    ...row.machines.flatMap(({ name, health, notReplaced }) => [
      ...(health?.failing === undefined ? [] : wrap(`  ${name}: ${health.failing}`, 4)),
      ...(notReplaced === undefined ? [] : wrap(`  ${paint('dim', 'not replaced:')} ${name}: ${notReplaced}`, 4)),
    ]),
  ];
}
