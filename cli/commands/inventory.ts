/** `kubeloom inventory`: what clusters inherit, and what a change does to them. */
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { InventoryList } from '#contracts/inventory.ts';
import { type InventoryKind, inventoryKinds } from '#domain/inventory/inventory-documents.ts';
import { nearest } from '#domain/nearest.ts';
import { type CliClient, cliClient } from '../connection/api-client.ts';
import { ApiProblem } from '../connection/api-problem.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { reportAccepted } from '../follow/wait.ts';
import { shortName } from '../manifest-name.ts';
import { jsonOption, namespaceOf } from '../options.ts';
import { placedLines, planLines } from '../print/inventory-lines.ts';
import { note, print, printJson, printTable } from '../print/output.ts';
import { ago } from '../print/times.ts';
import { documentsOfNamespace } from '../submission/documents.ts';
import { requestRollOut } from './rollout.ts';

interface Options {
  readonly namespace: string;
  readonly json?: boolean;
}

export function registerInventory(program: Command): void {
  const inventory = program
    .command('inventory')
    .description('layers of values, templates, and the clusters that inherit them; store them with `kubeloom apply`');
  const sub = (words: string, description: string): Command => inventory.command(words).description(description);
  common(sub('list', 'list the documents, and the clusters that are behind them')).action(list);
  const change = sub('plan', 'show which clusters a change of the inventory changes, and how; changes nothing')
    .option(
      '-f, --file <file...>',
      'documents of the inventory, - for standard input; without it, the stored inventory is planned for the clusters that are behind it',
    )
    .option('--detail', 'what changes in each cluster');
  common(change).action(plan);
  const manifests = sub(
    'apply [cluster...]',
    'make the manifests of these clusters from the inventory and submit them; with --all, of all clusters that are behind',
  )
    .option('--all', 'all clusters that are behind or have no manifest')
    .option('--plan <id>', 'exactly the plan that `kubeloom inventory plan` printed, as a roll-out')
    .option('-f, --file <file...>', 'with --plan: the documents that were planned');
  common(manifests).action(apply);
  common(sub('get <kind> <name>', 'print a document, as it can be applied again').alias('describe')).action(get);
  const deletion = 'delete a document that no cluster needs; the manifest of an InventoryCluster stays';
  common(sub('delete <kind> <name>', deletion)).action(remove);
}

function common(command: Command): Command {
  return command.addOption(namespaceOf('the inventory')).addOption(jsonOption());
}

async function list({ namespace, json }: Options): Promise<void> {
  const found = await cliClient().listInventory({ namespace });
  if (json) return printJson(found);
  for (const [title, plan] of Object.entries(found.proposed ?? {})) {
    const way =
      plan.name === null
        ? `kubeloom rollout start -n ${namespace} --plan ${plan.id}`
        : `kubeloom approve ${shortName({ namespace, name: plan.name })} --plan ${plan.id}`;
    note(`${title} does not exist yet: ${plan.by} proposed it ${ago(plan.at)} (${plan.summary}): \`${way}\``);
  }
  if (found.items.length === 0) return print(`no inventory in namespace ${namespace}`);
  printTable(
    ['KIND', 'NAME', 'LEVEL', 'GENERATION', 'BY'],
    found.items.map(({ kind, name, level = '', generation, by }) => [kind, name, level, `g${generation}`, by]),
  );
  if (found.clusters.length === 0) return;
  print('');
  printTable(
    ['CLUSTER', 'TEMPLATE', 'STATE'],
    found.clusters.map(({ cluster, template, state }) => [cluster, template, state]),
  );
  for (const { cluster, changes, faults } of found.clusters) {
    for (const line of [...changes.map((change) => `  ${change}`), ...placedLines(faults)]) print(`${cluster}${line}`);
  }
}

async function plan({
  file,
  detail,
  ...options
}: Options & { file?: readonly string[]; detail?: boolean }): Promise<void> {
  const { documents, namespace } = await documentsOfNamespace(file, { namespace: options.namespace, verb: 'plan' });
  const body = documents.map((document) => JSON.stringify(document)).join('\n---\n');
  const answer = await cliClient().planInventory({ namespace }, body);
  const bad = answer.faults.length + answer.refused > 0;
  if (bad) process.exitCode = exitCodes.invalid;
  if (options.json) return printJson(answer);
  if (answer.faults.length > 0) {
    for (const line of placedLines(answer.faults)) note(line);
    return;
  }
  for (const line of planLines(answer, detail === true)) print(line);
}

async function apply(
  names: readonly string[],
  { namespace, json, all, plan, file }: Options & { all?: boolean; plan?: string; file?: readonly string[] },
): Promise<void> {
  if (plan !== undefined) {
    const cluster = names.length > 0 && { cluster: names };
    return requestRollOut({ namespace, plan, ...(json && { json }), ...(file && { file }), ...cluster });
  }
  if (file)
    throw new CliError('-f is for a plan: give its id with --plan, or use `kubeloom apply -f FILE`', exitCodes.usage);
  const api = cliClient();
  if (names.length === 0 && !all) throw new CliError('apply which clusters? name them, or give --all', exitCodes.usage);
  const wanted = names.length > 0 ? names : await clustersBehind(api, namespace);
  if (wanted.length === 0 && !json) print('no cluster is behind');
  const outcomes = [];
  for (const name of wanted) {
    try {
      const accepted = await api.applyInventory({ namespace, name });
      if (!json) reportAccepted({ namespace, name }, accepted);
      outcomes.push({ name, accepted });
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      note(`kubeloom: ${name}: ${error.message}`);
      process.exitCode = Math.max(Number(process.exitCode ?? 0), error.exitCode);
      outcomes.push({ name, error: error.problem });
    }
  }
  if (json) printJson(outcomes);
}

async function clustersBehind(api: CliClient, namespace: string): Promise<readonly string[]> {
  const { clusters }: InventoryList = await api.listInventory({ namespace });
  const refused = clusters.filter(({ state }) => state === 'refused').map(({ cluster }) => cluster);
  if (refused.length > 0)
    note(
      `left out, because their manifests cannot be made: ${refused.join(', ')}; \`kubeloom inventory list\` says why`,
    );
  return clusters.filter(({ state }) => state === 'behind' || state === 'missing').map(({ cluster }) => cluster);
}

async function get(kind: string, name: string, { namespace, json }: Options): Promise<void> {
  const { document } = await cliClient().getInventory({ namespace, kind: kindNamed(kind), name });
  if (json) printJson(document);
  else process.stdout.write(stringify(document));
}

async function remove(kind: string, name: string, { namespace, json }: Options): Promise<void> {
  const key = { namespace, kind: kindNamed(kind), name };
  await cliClient().deleteInventory(key);
  if (json) printJson({ deleted: key });
  else print(`${key.kind} ${namespace}/${name} deleted`);
}

/** `layer` is as good as `InventoryLayer`. */
function kindNamed(text: string): InventoryKind {
  const found = inventoryKinds.find((kind) =>
    [kind, kind.replace(/^(Inventory|Management)/, '')].some((one) => one.toLowerCase() === text.toLowerCase()),
  );
  if (found) return found;
  const near = nearest(text, ['layer', 'order', 'template', 'cluster', 'plane']);
  throw new CliError(
    `there is no kind "${text}": ${near ? `did you mean ${near}?` : 'use layer, order, template, cluster or plane'}`,
    exitCodes.usage,
  );
}
