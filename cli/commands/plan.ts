/** `kubeloom plan`: what would happen, as sentences; changes nothing. */
import type { Command } from 'commander';
import { describeClusterPlan } from '#domain/planning/describe-plan.ts';
import { type ApiClient, apiClient } from '../api-client.ts';
import { readDocuments } from '../documents.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { parseManifestName } from '../manifest-name.ts';
import { faultLines, paint, print, printJson } from '../output.ts';

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
  if (!report.hasWork && report.faults.length === 0) print('  nothing to do: what stands is what is wished for');
  for (const cluster of report.clusters.filter(({ waypoints, refusals }) => waypoints.length + refusals.length > 0)) {
    const description = describeClusterPlan(cluster);
    print(`\n  cluster ${paint('bold', cluster.cluster)}: ${description.summary}`);
    for (const [index, waypoint] of description.waypoints.entries()) {
      const forward = waypoint.forwardOnly ? paint('yellow', '  (forward-only: retried, not undone)') : '';
      print(`  ${index + 1}. ${paint('cyan', waypoint.title)}${forward}`);
      for (const sentence of waypoint.sentences) print(`       ${sentence}`);
      for (const stage of waypoint.stages)
        print(`       ${paint('dim', `${stage.stage}: ${stage.reasons.join('; ')}`)}`);
    }
    for (const refusal of description.refusals)
      print(`  ${paint('red', 'refused')} ${refusal.path}: ${refusal.reason}\n       → ${refusal.fix}`);
  }
}
