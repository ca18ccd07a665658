/** `kubeloom get`: manifests with their status, as a table, as documents, or as they change. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import type { ManifestSummary } from '#contracts/api-bodies.ts';
import { fleetSorts, fleetStates } from '#contracts/fleet.ts';
import { counted } from '#domain/words.ts';
import { type CliClient, cliClient } from '../connection/api-client.ts';
import { whenMissing } from '../connection/api-problem.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { fleetIn, manifestNamed, ofEach, type ProposedManifest, proposalText } from '../find/find-manifest.ts';
import { type FleetOptions, fleetChoice } from '../find/fleet-choice.ts';
import { manifestSelector } from '../find/labels.ts';
import { openDrawing } from '../follow/live-view.ts';
import { parseManifestName, shortName } from '../manifest-name.ts';
import { jsonOption, onlyNamespace } from '../options.ts';
import { statusOf } from '../print/describe-manifest.ts';
import { jsonPathText } from '../print/json-path.ts';
import { clip, shortList, type TableOptions } from '../print/layout.ts';
import { note, paintedTable, paintStatus, print, printJson } from '../print/output.ts';
import { ago } from '../print/times.ts';
import { manifestParts, partKinds, partTable } from './get-parts.ts';

const formats = ['wide', 'name', 'yaml', 'json', 'jsonpath=TEMPLATE'] as const;

/** A word of `formats`, or `jsonpath=…`. */
function formatOf(text: string): string {
  if (text.startsWith('jsonpath=') || formats.some((format) => format === text)) return text;
  throw new CliError(`-o ${text}: write one of ${formats.join(', ')}`, exitCodes.usage);
}

interface GetOptions extends FleetOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly output?: string;
  readonly selector?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

export function registerGet(program: Command): void {
  program
    .command('get [name...]')
    .description('list manifests with their status; `get clusters|pools|nodes|groups`: what they have')
    .addOption(onlyNamespace())
    .option('-A, --all-namespaces', 'all namespaces, as without -n; NAME must then be NAMESPACE/NAME')
    .addOption(
      new Option(
        '-o, --output <format>',
        `${formats.join(', ')}; \`yaml\`: the documents as they were accepted; \`name\`: only names, for scripts`,
      ).argParser(formatOf),
    )
    .option('-l, --selector <labels>', 'only those whose labels fit, e.g. env=prod,tier!=web')
    .option('--state <states>', `only those in these states, separated by commas: ${fleetStates.join(', ')}`)
    .option('--status <statuses>', 'only those with one of these statuses, separated by commas')
    .option('--provider <provider>', 'only those with nodes of this provider instance')
    .option('--search <words>', 'only those with all of these words in their names, providers or failures')
    .addOption(new Option('--sort <order>', '`state`: problems first').choices(fleetSorts))
    .option('-w, --watch', 'keep showing changes until Ctrl-C')
    .addOption(jsonOption('answer as JSON; with --watch one object a line'))
    .action(get);
}

async function get(names: readonly string[], options: GetOptions): Promise<void> {
  if (options.allNamespaces && options.namespace !== undefined)
    throw new CliError('-A shows all namespaces and -n one: leave one of them out', exitCodes.usage);
  if (options.watch && (options.output === 'yaml' || options.output === 'name'))
    throw new CliError(`-o ${options.output} cannot be watched: leave out -w or -o`, exitCodes.usage);
  const chosen = fleetChoice(options);
  if (chosen && names.length > 0)
    throw new CliError('filters and orders are for all manifests: leave them or NAME out', exitCodes.usage);
  const api = cliClient();
  if (names[0] === 'groups') return groups(api, names.slice(1), options);
  const { namespace } = options;
  if (partKinds.includes(names[0] ?? '')) return parts(api, names, options);
  const load = () => (chosen ? chosenOnes(api, { ...chosen, namespace }) : wanted(api, names, namespace));
  if (options.watch) return watch(load, options);
  const items = await labelled(api, await load(), options);
  if (options.json || options.output === 'json') return printJson(items.map(jsonOf));
  // One that is only proposed has no document, and is nothing for a script to work on.
  const existing = items.filter((item) => names.length > 0 || item.status !== 'Proposed');
  if (options.output?.startsWith('jsonpath=')) return printPath(options.output, items.map(jsonOf), names.length === 1);
  if (options.output === 'yaml') return printDocuments(api, existing);
  if (options.output === 'name') for (const item of existing) print(shortName(item));
  else {
    for (const line of manifestTable(items, options)) print(line);
    for (const item of items) if (item.status === 'Proposed') note(`${shortName(item)}: ${proposalText(item)}`);
    if (options.state?.toLowerCase().includes('attention')) await noteRollOuts(api, namespace);
  }
}

/** Roll-outs that need a person; they are no manifests, and rows of the table stay what scripts know. */
async function noteRollOuts(api: CliClient, namespace: string | undefined): Promise<void> {
  const { items } = await api.listTroubledRollOuts({ namespace }).catch(whenMissing({ items: [] }));
  for (const one of items) {
    const why =
      one.halted ?? 'its execution ended early; it continues automatically, or with `kubeloom rollout resume`';
    note(`roll-out ${paintStatus(one.status)}: ${why}; kubeloom rollout describe ${one.id} -n ${one.namespace}`);
  }
}

/** As kubectl: one thing that is named is the value itself, all else is a list in `items`. */
function printPath(output: string, found: readonly unknown[], isOne: boolean): void {
  print(jsonPathText(output.slice('jsonpath='.length), isOne ? found[0] : { items: found }));
}

/** Those whose labels fit; labels are in the documents. */
async function labelled<Some extends Listed>(
  api: CliClient,
  items: readonly Some[],
  { selector, watch }: GetOptions,
): Promise<readonly Some[]> {
  if (selector === undefined) return items;
  if (watch) throw new CliError('-l cannot be watched: leave out -w or -l', exitCodes.usage);
  const fits = manifestSelector(selector);
  const existing = items.filter(({ status }) => status !== 'Proposed');
  const described = await ofEach(existing, api.getManifest);
  return existing.filter((_, at) => fits(described[at]?.document));
}

async function parts(api: CliClient, [kind = '', ...names]: readonly string[], options: GetOptions): Promise<void> {
  const { namespace, output = '' } = options;
  if (options.watch || ['yaml', 'name'].includes(output))
    throw new CliError(
      `${kind} are listed as a table or as JSON: leave out -w and -o ${output}`.trim(),
      exitCodes.usage,
    );
  const manifests = (await wanted(api, names, namespace)).filter(({ status }) => status !== 'Proposed');
  const found = await manifestParts(api, kind, await labelled(api, manifests, options));
  if (options.json || output === 'json') return printJson(found);
  if (output.startsWith('jsonpath=')) return printPath(output, found, false);
  for (const line of partTable(kind, found, output === 'wide')) print(line);
}

/** A manifest of that name is read with its namespace: `kubeloom get team/groups`. */
async function groups(api: CliClient, more: readonly string[], options: GetOptions): Promise<void> {
  const { namespace, watch: watched, output, json } = options;
  if (more.length > 0) throw new CliError(`to see one group: kubeloom describe NAME ${more[0]}`, exitCodes.usage);
  if (watched || (output !== undefined && output !== 'json'))
    throw new CliError('groups are listed as a table, or with --json: leave out -w and -o', exitCodes.usage);
  const { printGroups } = await import('./groups.ts');
  await printGroups(api, { namespace, json: json === true || output === 'json' });
}

/** A manifest that exists, or one that is only proposed. */
type Listed = ManifestSummary | ProposedManifest;

/** For programs every row has a list of clusters. */
const jsonOf = (item: Listed): object => (item.status === 'Proposed' ? { ...item, clusters: [] } : item);

async function wanted(
  api: CliClient,
  names: readonly string[],
  namespace: string | undefined,
): Promise<readonly Listed[]> {
  const { items, proposed } = await fleetIn(api, names.length === 0 ? { namespace } : {});
  if (names.length === 0) return [...items, ...proposed].sort(byName);
  const found = names.map((text) => {
    const key = parseManifestName(text, namespace);
    return proposed.find((one) => shortName(one) === shortName(key)) ?? manifestNamed(items, key);
  });
  return [...new Set(found)];
}

const byName = (one: Listed, other: Listed): number =>
  `${one.namespace}#${one.name}` < `${other.namespace}#${other.name}` ? -1 : 1;

/** In the order that was asked for; those that are only proposed need a person. */
async function chosenOnes(api: CliClient, choice: Parameters<typeof fleetIn>[1]): Promise<readonly Listed[]> {
  const { items, proposed } = await fleetIn(api, choice);
  return [...proposed, ...items];
}

async function printDocuments(api: CliClient, items: readonly Listed[]): Promise<void> {
  for (const [place, item] of items.entries()) {
    const { document } = await api.getManifest(item);
    process.stdout.write(`${place > 0 ? '---\n' : ''}${stringify(document)}`);
  }
}

/** Lines of the table; on a narrow terminal `options` decide which columns are left out. */
export function manifestTable(items: readonly Listed[], options: GetOptions & TableOptions = {}): readonly string[] {
  if (items.length === 0) return ['no manifests'];
  const wide = options.output === 'wide';
  const one = !options.allNamespaces && new Set(items.map(({ namespace }) => namespace)).size === 1;
  const busy = items.some((item) => progressOf(item) !== '-');
  const drop = [
    ...(busy ? [] : ['PROGRESS']),
    ...['GENERATION', ...(one ? ['NAMESPACE'] : []), 'CHANGED', 'CLUSTERS', 'PROGRESS'],
  ];
  return paintedTable(
    ['NAMESPACE', 'NAME', 'STATUS', 'PROGRESS', 'GENERATION', 'CHANGED', ...(wide ? ['RUN'] : []), 'CLUSTERS'],
    items.map((item) => [
      item.namespace,
      item.name,
      ...(item.status === 'Proposed' ? newCells(item, wide) : cellsOf(item, wide)),
    ]),
    wide ? { width: Number.POSITIVE_INFINITY } : { width: options.width, drop: [...new Set(drop)] },
  );
}

const cellsOf = (item: ManifestSummary, wide: boolean): readonly string[] => [
  ...[statusOf(item), progressOf(item), String(item.generation), ago(item.updatedAt)],
  ...(wide ? [item.runId] : []),
  clustersOf(item),
];

/** What its plan changes takes the place of its clusters. */
function newCells({ status, at, summary }: ProposedManifest, wide: boolean): readonly string[] {
  return [`${paintStatus(status)} (waits for an approval)`, '-', '-', ago(at), ...(wide ? ['-'] : []), summary];
}

const progressOf = (item: Listed): string =>
  item.status !== 'Proposed' && item.progress && item.status !== 'Done' ? `${item.progress.percent} %` : '-';

/** `web (3 nodes)`; the status of a cluster is shown where it differs from the manifest's. */
function clustersOf({ clusters }: ManifestSummary): string {
  const texts = clusters.map(({ name, nodes, status }) => {
    const count = `${name} (${counted(nodes, 'node')})`;
    return status === 'Converged' ? count : `${count} ${paintStatus(status)}`;
  });
  return shortList(texts) || '-';
}

/** On a terminal the table is redrawn; elsewhere only changes are printed. */
async function watch(load: () => Promise<readonly Listed[]>, options: GetOptions): Promise<void> {
  const asJson = options.json === true || options.output === 'json';
  const drawing = openDrawing(process.stdout);
  const { isTTY, columns = 80, rows = 24 } = process.stdout;
  let before: ReadonlyMap<string, string> = new Map();
  for (;;) {
    const items = await load();
    const now = new Map(items.map((item) => [shortName(item), JSON.stringify(item)]));
    const changed = items.filter((item) => before.get(shortName(item)) !== now.get(shortName(item)));
    if (asJson) for (const item of changed) print(JSON.stringify(jsonOf(item)));
    else if (isTTY) {
      const lines = manifestTable(items, options).map((line) => clip(line, columns - 1));
      const hidden = lines.length - (rows - 2);
      drawing.show([], hidden > 0 ? [...lines.slice(0, rows - 3), `and ${hidden + 1} more`] : lines);
    } else {
      const lines = changed.length > 0 ? manifestTable(changed, options) : [];
      for (const line of before.size === 0 ? lines : lines.slice(1)) print(line);
      for (const name of before.keys()) if (!now.has(name)) print(`${name} is gone`);
    }
    before = now;
    await sleep(1000);
  }
}
