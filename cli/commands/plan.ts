/** `kubeloom plan`: what would happen, as sentences; changes nothing. */
import type { Command } from 'commander';
import type { PlanReport } from '#contracts/api-bodies.ts';
import { documentName, isManifest } from '#domain/documents/validate-documents.ts';
import { ManagementPlane } from '#domain/planes/management-plane.ts';
import { sumOf, totalsText } from '#domain/planning/text/plan-totals.ts';
import { type CliClient, cliClient } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { ofManifest } from '../find/find-manifest.ts';
import { jsonOption, namespaceOf } from '../options.ts';
import { printJson, printWrapped } from '../print/output.ts';
import { showPlan } from '../print/show-plan.ts';
import { allowReplace, allowReplaceOption } from '../submission/allow-replace.ts';
import { readableDocuments } from '../submission/documents.ts';
import { referencedDocuments } from '../submission/submission.ts';

interface PlanOptions {
  readonly file?: readonly string[];
  readonly namespace?: string;
  readonly detailedExitcode?: boolean;
  readonly allowReplace?: readonly string[];
  readonly json?: boolean;
}

export function registerPlan(program: Command): void {
  const command = program
    .command('plan [name]')
    .description('show what would happen: waypoints, stages, reasons, nodes, totals; changes nothing')
    .option('-f, --file <file...>', 'manifests to plan; without it, the stored manifest NAME is planned')
    .addOption(namespaceOf())
    .option('--detailed-exitcode', 'exit 0 when there is nothing to do, 2 when there is');
  allowReplaceOption(command)
    .addOption(jsonOption())
    .action(async (name: string | undefined, options: PlanOptions) => {
      process.exitCode = await plan(name, options);
    });
}

async function plan(name: string | undefined, options: PlanOptions): Promise<number> {
  const api = cliClient();
  const reports = options.file
    ? await planFiles(api, options.file, options.allowReplace)
    : [await planStored(api, name, options)];
  if (options.json) printJson(reports.length === 1 ? reports[0] : reports);
  else show(reports);
  if (reports.some((report) => report.faults.length > 0)) return exitCodes.invalid;
  // As Terraform does; elsewhere 2 means wrong use.
  return options.detailedExitcode && reports.some(({ hasWork }) => hasWork) ? 2 : exitCodes.ok;
}

function planStored(api: CliClient, name: string | undefined, options: PlanOptions): Promise<PlanReport> {
  if (!name) throw new CliError('plan what? give -f FILE, or the NAME of a stored manifest', exitCodes.usage);
  return ofManifest(api, { name, ...options }, (key) => api.planManifest(key));
}

/** Documents of the same files count as stored, also when they are not applied yet. */
async function planFiles(
  api: CliClient,
  files: readonly string[],
  replaced?: readonly string[],
): Promise<PlanReport[]> {
  const documents = (await readableDocuments(files)).map(({ document }) => document);
  allowReplace(documents, replaced);
  const related = referencedDocuments(documents);
  const reports: PlanReport[] = [];
  for (const document of documents) {
    if (!isManifest(document)) continue;
    const { namespace, name } = documentName(document);
    reports.push(await api.planManifest({ namespace, name: name || '-' }, { document, related }));
  }
  reports.push(...(await planPlanes(api, documents)));
  if (reports.length === 0) throw new CliError(`no manifest in ${files.join(', ')}`, exitCodes.invalid);
  return reports;
}

/** A plane changes the manifest of its cluster: as it is stored, unless the same files have it. */
async function planPlanes(api: CliClient, documents: readonly unknown[]): Promise<PlanReport[]> {
  const given = new Set(
    documents.filter(isManifest).map((document) => Object.values(documentName(document)).join('/')),
  );
  const wanted = new Map(
    documents.flatMap((document) => {
      const plane = ManagementPlane.safeParse(document).data;
      if (plane === undefined) return [];
      const key = { namespace: plane.metadata.namespace, name: plane.spec.cluster.manifest };
      const title = `${key.namespace}/${key.name}`;
      return given.has(title) ? [] : [[title, key] as const];
    }),
  );
  const related = referencedDocuments(documents);
  return Promise.all(
    [...wanted.values()].map(async (key) => {
      const { document } = await api.getManifest(key);
      return api.planManifest(key, { document, related });
    }),
  );
}

function show(reports: readonly PlanReport[]): void {
  for (const report of reports) showPlan(report);
  if (reports.length > 1) printWrapped(`total of all: ${totalsText(sumOf(reports.map(({ totals }) => totals)))}`, 2);
}
