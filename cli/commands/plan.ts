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
import { isRefused } from '../print/refusals.ts';
import { showPlan } from '../print/show-plan.ts';
import { allowReplace, allowReplaceOption } from '../submission/allow-replace.ts';
import { readableDocuments } from '../submission/documents.ts';
import { type FileDocument, type FileNamespace, fileNamespace } from '../submission/placed-in.ts';
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
    .addOption(namespaceOf('NAME, or of documents that name none'))
    .option('--detailed-exitcode', 'exit 0 when there is nothing to do, 2 when there is, 3 when it is refused');
  allowReplaceOption(command)
    .addOption(jsonOption())
    .action(async (name: string | undefined, options: PlanOptions, self: Command) => {
      process.exitCode = await plan(name, options, fileNamespace(self));
    });
}

async function plan(name: string | undefined, options: PlanOptions, place: FileNamespace | undefined): Promise<number> {
  const api = cliClient();
  const planned = options.file
    ? await planFiles(api, await readableDocuments(options.file, place), options)
    : [{ report: await planStored(api, name, options) }];
  const reports = planned.map(({ report }) => report);
  if (options.json) printJson(reports.length === 1 ? reports[0] : reports);
  else show(planned);
  if (reports.some(isRefused)) return exitCodes.invalid;
  // As Terraform does; elsewhere 2 means wrong use.
  return options.detailedExitcode && reports.some(({ hasWork }) => hasWork) ? 2 : exitCodes.ok;
}

function planStored(api: CliClient, name: string | undefined, options: PlanOptions): Promise<PlanReport> {
  if (!name) throw new CliError('plan what? give -f FILE, or the NAME of a stored manifest', exitCodes.usage);
  return ofManifest(api, { name, ...options }, (key) => api.planManifest(key));
}

/** A plan, and the document of a file that it is of. */
interface Planned {
  readonly report: PlanReport;
  readonly document?: unknown;
}

/** Documents of the same files count as stored, also when they are not applied yet. */
async function planFiles(
  api: CliClient,
  read: readonly FileDocument[],
  { file: files = [], allowReplace: replaced }: PlanOptions,
): Promise<readonly Planned[]> {
  const documents = read.map(({ document }) => document);
  allowReplace(documents, replaced);
  const related = referencedDocuments(documents);
  const reports: Planned[] = [];
  for (const document of documents) {
    if (!isManifest(document)) continue;
    const { namespace, name } = documentName(document);
    const report = await api.planManifest({ namespace, name: name || '-' }, { document, related });
    reports.push({ report, document });
  }
  reports.push(...(await planPlanes(api, documents)));
  if (reports.length === 0) throw new CliError(`no manifest in ${files.join(', ')}`, exitCodes.invalid);
  return reports;
}

/** A plane changes the manifest of its cluster: as it is stored, unless the same files have it. */
async function planPlanes(api: CliClient, documents: readonly unknown[]): Promise<readonly Planned[]> {
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
      return { report: await api.planManifest(key, { document, related }) };
    }),
  );
}

function show(planned: readonly Planned[]): void {
  for (const { report, document } of planned) showPlan(report, document);
  const totals = planned.map(({ report }) => report.totals);
  if (totals.length > 1) printWrapped(`total of all: ${totalsText(sumOf(totals))}`, 2);
}
