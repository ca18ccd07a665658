/** `kubeloom describe | runs | history`: a manifest, its runs and its generations. */
import type { Command } from 'commander';
import type { RunPage } from '#contracts/api-bodies.ts';
import type { GenerationList } from '#contracts/http-documents.ts';
import { type CliClient, cliClient, itemsOf, type ManifestName } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { OnlyProposed, ofManifest, type ProposedManifest } from '../find/find-manifest.ts';
import { shortName } from '../manifest-name.ts';
import { jsonOption, namespaceOf } from '../options.ts';
import { describeManifest, planText } from '../print/describe-manifest.ts';
import { shortList, type TableOptions } from '../print/layout.ts';
import { note, paint, paintedTable, paintStatus, print, printJson, printTable, printWrapped } from '../print/output.ts';
import { phaseTimes, type StageTimes } from '../print/phase-times.ts';
import { ago, duration } from '../print/times.ts';

interface NamespaceOption {
  readonly namespace?: string;
  readonly json?: boolean;
}

export function registerInspect(program: Command): void {
  program
    .command('describe <name> [group]')
    .description('status, progress, nodes, load balancers and failures of a manifest; or a machine group of it')
    .addOption(namespaceOf())
    .option('--nodes', 'one row for each node, even if there are many')
    .addOption(jsonOption())
    .action(
      async (name: string, group: string | undefined, options: NamespaceOption & { readonly nodes?: boolean }) => {
        const api = cliClient();
        const found = await ofManifest(api, { name, ...options }, api.getManifest).catch(onlyProposed);
        if (found instanceof OnlyProposed && group !== undefined) throw found;
        if (found instanceof OnlyProposed) return printProposed(found.manifest, options);
        const manifest = found;
        if (group !== undefined) (await import('./groups.ts')).printGroup(manifest, group, options.json);
        else if (options.json) printJson(manifest);
        else print(describeManifest(manifest, { everyNode: options.nodes === true }));
      },
    );
  program
    .command('runs <name>')
    .description('runs of a manifest, newest first')
    .addOption(namespaceOf())
    .option('--limit <number>', 'how many', wholeNumber, 20)
    .option('--times', 'where the time of the newest one went: queue, start and tools, by stage')
    .addOption(jsonOption())
    .action(runs);
}

const onlyProposed = (error: unknown): OnlyProposed => {
  if (error instanceof OnlyProposed) return error;
  throw error;
};

/** A manifest that does not exist yet, with the plan that would create it. */
function printProposed(manifest: ProposedManifest, { json }: NamespaceOption): void {
  if (json) {
    printJson({ ...manifest, clusters: [] });
    return;
  }
  const name = shortName(manifest);
  const { id, by, at, reason, summary } = manifest;
  print(`${paint('bold', name)}  ${paintStatus(manifest.status)} (waits for an approval)`);
  printWrapped(`it does not exist yet: plan ${id} of ${by}, ${ago(at)} (${reason}: ${summary})`, 2);
  const ways = `\`kubeloom approve ${name} --plan ${id}\` shows it and asks; \`kubeloom reject ${name} --plan ${id}\` rejects or withdraws it`;
  printWrapped(ways, 2);
}

interface RunsOptions extends NamespaceOption {
  readonly limit: number;
  readonly times?: boolean;
}

async function runs(name: string, options: RunsOptions): Promise<void> {
  const api = cliClient();
  if (options.times) return showTimes(api, name, options);
  const items = await ofManifest(api, { name, ...options }, (key) => newestRuns(api, key, options.limit + 1));
  const shown = items.slice(0, options.limit);
  if (options.json) return printJson(shown);
  printTable(
    ['RUN', 'STATUS', 'STARTED', 'TOOK', 'CLUSTERS', 'REASON'],
    shown.map((run) => [
      run.runId,
      paintStatus(run.status),
      run.startedAt ? ago(run.startedAt) : '-',
      run.startedAt && run.endedAt ? duration(Date.parse(run.endedAt) - Date.parse(run.startedAt)) : '-',
      shortList(Object.entries(run.clusters).map(([cluster, end]) => `${cluster} ${paintStatus(end.status)}`)) || '-',
      [run.reason, planText(run)].filter(Boolean).join(', '),
    ]),
    { drop: ['CLUSTERS', 'TOOK', 'STARTED'] },
  );
  if (items.length > shown.length) note('there are older runs: --limit shows more');
}

async function showTimes(api: CliClient, name: string, options: NamespaceOption): Promise<void> {
  const [run, events] = await ofManifest(api, { name, ...options }, async (key) => {
    const [newest] = await newestRuns(api, key, 1);
    return [newest, await Array.fromAsync(itemsOf((next) => api.listEvents(key, { next })))] as const;
  });
  const rows = run === undefined ? [] : phaseTimes(events, run.runId);
  if (options.json) return printJson(rows);
  if (run === undefined || rows.length === 0) return note('no build of the newest run has ended');
  const total = (of: (row: StageTimes) => number): number => rows.reduce((sum, row) => sum + of(row), 0);
  const seconds = (count: number): string => duration(Math.round(count) * 1000);
  const cells = (stage: string, builds: number, ...times: readonly number[]): string[] => [
    ...[stage, String(builds)],
    ...times.map(seconds),
  ];
  print(paint('bold', run.runId));
  printTable(
    ['STAGE', 'BUILDS', 'QUEUE', 'START', 'TOOL', 'END'],
    [
      ...rows.map((row) => cells(row.stage, row.builds, row.queue, row.start, row.tool, row.end)),
      cells(
        ...(['all', total(({ builds }) => builds), total((row) => row.queue)] as const),
        ...[total(({ start }) => start), total(({ tool }) => tool), total(({ end }) => end)],
      ),
    ],
  );
}

async function newestRuns(api: CliClient, key: ManifestName, most: number): Promise<RunPage['items']> {
  const items: RunPage['items'] = [];
  for await (const run of itemsOf((next) => api.listRuns(key, { next }))) if (items.push(run) === most) break;
  return items;
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new CliError(`--limit ${text}: write a number from 1 on`, exitCodes.usage);
}

interface HistoryOptions {
  readonly namespace?: string;
  readonly json?: boolean;
}

export function registerHistory(program: Command): void {
  program
    .command('history <name>')
    .description('the last generations of a manifest: when, by whom, why, what changed')
    .addOption(namespaceOf())
    .addOption(jsonOption())
    .action(async (name: string, options: HistoryOptions) => {
      const api = cliClient();
      const { items } = await ofManifest(api, { name, ...options }, api.listGenerations);
      if (options.json) printJson(items);
      else for (const line of historyTable(items)) print(line);
    });
}

/** One row for each generation; the current one is marked. */
export function historyTable(items: GenerationList['items'], options: TableOptions = {}): readonly string[] {
  return paintedTable(
    ['GENERATION', 'WHEN', 'BY', 'REASON', 'CHANGES'],
    items.map(({ generation, current, at, by, reason, changes }) => [
      current ? `g${generation} ${paint('green', 'current')}` : `g${generation}`,
      at === undefined ? '-' : ago(at),
      by ?? '-',
      reason ?? '-',
      changes === null ? '-' : shortList(changes) || 'none',
    ]),
    options,
  );
}
