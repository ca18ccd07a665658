/** `kubeloom state list | show`: what Terraform knows of a cluster; `rm`, `mv` and `import` are next to it. */
import type { Command } from 'commander';
import { questionLimitMs } from '#contracts/job.ts';
import type { ReadState } from '#contracts/state-reading.ts';
import { accessOutcome } from '../access/access-request.ts';
import { cliClient } from '../connection/api-client.ts';
import { findCluster } from '../find/find-cluster.ts';
import { jsonOption, manifestOption, namespaceOf } from '../options.ts';
import { note, print, printJson, printTable } from '../print/output.ts';
import { registerStateEdits } from './edit-state.ts';

interface StateOptions {
  readonly namespace: string;
  readonly manifest?: string;
  readonly json?: boolean;
}

export function registerState(program: Command): void {
  const state = program
    .command('state')
    .description('what Terraform knows of a cluster, and edits of that; each use is an event');
  const command = (words: string, description: string): Command =>
    state
      .command(words)
      .description(description)
      .addOption(namespaceOf('the manifest'))
      .addOption(manifestOption())
      .addOption(jsonOption());
  command('list <cluster>', 'list the resources in the Terraform states of a cluster').action(list);
  command('show <cluster> <address>', 'show what identifies a resource: ids, names, addresses, places').action(show);
  registerStateEdits(state);
}

async function list(cluster: string, options: StateOptions): Promise<void> {
  const { workspaces } = await read(cluster, options);
  if (options.json) return printJson(workspaces);
  printTable(
    ['WORKSPACE', 'ADDRESS', 'ID', ''],
    workspaces.flatMap(({ workspace, resources }) =>
      resources.map(({ address, id, tainted }) => [workspace, address, id ?? '-', tainted ? 'tainted' : '']),
    ),
  );
  remarksOn(workspaces);
}

async function show(cluster: string, address: string, options: StateOptions): Promise<void> {
  const { workspaces } = await read(cluster, options, address);
  if (options.json) return printJson(workspaces);
  for (const { workspace, resources } of workspaces)
    for (const { address: place, tainted, attributes = {} } of resources) {
      print(`${place} in ${workspace}${tainted ? ', tainted: the next apply recreates it' : ''}`);
      printTable(['ATTRIBUTE', 'VALUE'], Object.entries(attributes));
    }
  remarksOn(workspaces);
}

async function read(wanted: string, options: StateOptions, address?: string): Promise<ReadState> {
  const api = cliClient();
  const { owner, cluster } = await findCluster(api, wanted, options);
  const place = { namespace: owner.namespace, name: owner.name, cluster };
  const { id } = await api.requestState(place, { address });
  const look = () => api.getState({ ...place, id });
  return accessOutcome(look, (answer) => answer.read, { limitMs: 2 * questionLimitMs.state });
}

function remarksOn(workspaces: ReadState['workspaces']): void {
  for (const { workspace, serial, waits } of workspaces) {
    if (serial === null) note(`${workspace} has no state: nothing was created, or all of it is deleted`);
    if (waits) note(`${workspace}: a newer state waits to be saved, which the next run does: \`kubeloom retry NAME\``);
  }
}
