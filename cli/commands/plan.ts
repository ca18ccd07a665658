/** `kubeloom plan`: what would happen, as sentences; changes nothing. */
import type { Command } from 'commander';
import { type DescribedWaypoint, describeClusterPlan } from '#domain/planning/describe-plan.ts';
import { type ApiClient, apiClient } from '../api-client.ts';
import { readDocuments } from '../documents.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { faultLines } from '../faults.ts';
import { parseManifestName } from '../manifest-name.ts';
import { paint, print, printJson, printWrapped } from '../output.ts';
import { ago } from '../times.ts';

interface PlanOptions {
  readonly file?: readonly string[];
  readonly namespace?: string;
  readonly json?: boolean;
}

export function registerPlan(program: Command): void {
  program
    .command('plan [name]')
    .description('what would happen: waypoints, stages, reasons, nodes; changes nothing')
    .option('-f, --file <file...>', 'manifests to plan; without it NAME is planned as it is stored')
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option('--json', 'answer as JSON')
    .action(async (name: string | undefined, options: PlanOptions) => {
      process.exitCode = await plan(name, options);
    });
}

async function plan(name: string | undefined, options: PlanOptions): Promise<number> {
  const api = apiClient();
  const reports = options.file ? await planFiles(api, options.file) : [await planStored(api, name, options)];
  if (options.json) printJson(reports.length === 1 ? reports[0] : reports);
  else for (const report of reports) show(report);
  return reports.some((report) => report.faults.length > 0) ? exitCodes.invalid : exitCodes.ok;
}

type Report = Awaited<ReturnType<ApiClient['planManifest']>>;

function planStored(api: ApiClient, name: string | undefined, options: PlanOptions): Promise<Report> {
  if (!name) throw new CliError('plan what? give -f FILE, or the NAME of a stored manifest', exitCodes.usage);
  return api.planManifest(parseManifestName(name, options.namespace), undefined);
}

async function planFiles(api: ApiClient, files: readonly string[]): Promise<Report[]> {
  const { documents, faults } = await readDocuments(files);
  if (faults.length > 0) {
    const lines = faults.flatMap(({ file, faults: list }) => [file, ...faultLines(list, 'fault')]);
    throw new CliError(lines.join('\n'), exitCodes.invalid);
  }
  const reports: Report[] = [];
  for (const { document } of documents) {
    const { kind, metadata } = (document ?? {}) as { kind?: string; metadata?: { name?: string; namespace?: string } };
    if (kind !== 'InputManifest') continue;
    reports.push(
      await api.planManifest({ namespace: metadata?.namespace ?? 'default', name: metadata?.name ?? '-' }, document),
    );
  }
  if (reports.length === 0) throw new CliError(`no InputManifest in ${files.join(', ')}`, exitCodes.invalid);
  return reports;
}

function show(report: Report): void {
  print(paint('bold', `${report.namespace}/${report.name}`));
  for (const line of faultLines(report.faults, 'fault')) print(line);
  for (const line of faultLines(report.warnings, 'warning')) print(line);
  if (report.faults.length > 0) return;
  for (const plan of report.clusters) showCluster(plan);
  for (const { cluster, differs, items, checkedAt } of report.drift) {
    print();
    printWrapped(`  ${paint('yellow', 'drift:')} cluster ${cluster}: ${differs} (checked ${ago(checkedAt)})`, 4);
    for (const { message } of items) printWrapped(`    · ${message}`, 6);
  }
  if (report.clusters.length === 0) print('  nothing to do: there are no clusters');
}

function showCluster(plan: Report['clusters'][number]): void {
  const { summary, waypoints, refusals } = describeClusterPlan(plan);
  print();
  printWrapped(`  cluster ${paint('bold', plan.cluster)}: ${summary}`, 4);
  for (const [index, waypoint] of waypoints.entries()) showWaypoint(waypoint, index + 1);
  for (const { path, reason, fix } of refusals) {
    printWrapped(`  ${paint('red', 'refused')} ${path}: ${reason}`, 4);
    printWrapped(`    → ${fix}`, 6);
  }
}

function showWaypoint({ title, lines, stages, forwardOnly }: DescribedWaypoint, number: number): void {
  const [direction = '', ...rest] = title.split(': ');
  print();
  printWrapped(`  ${number}. ${paint('bold', direction)}: ${rest.join(': ')}`, 5);
  for (const { mark, text } of lines) printWrapped(`     ${paint(markStyles[mark], `${mark} ${text}`)}`, 7);
  const width = Math.max(...stages.map(({ stage }) => stage.length), 0);
  for (const { stage, reasons } of stages) {
    printWrapped(paint('dim', `       ${stage.padEnd(width)}  ${reasons.join('; ')}`), width + 9);
  }
  const end = forwardOnly ? 'retried, then waits for you; it is not undone' : 'undone: what it made is removed again';
  printWrapped(paint('dim', `       if it fails: ${end}`), 9);
}

const markStyles = { '+': 'green', '~': 'yellow', '-': 'red', '=': 'dim', '·': 'cyan' } as const;
