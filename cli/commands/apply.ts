/** `kubeloom apply`: submits documents in the order that references need; with --wait it follows the run. */
import type { Command } from 'commander';
import type { ManifestAccepted, ManifestDescription, PlanReport, WireFault } from '#contracts/api-bodies.ts';
import type { TemplateUser } from '#contracts/http-documents.ts';
import { removesAnything, sumOf } from '#domain/planning/text/plan-totals.ts';
import { type CliClient, cliClient, type ManifestName, type PutCondition } from '../connection/api-client.ts';
import { ApiProblem } from '../connection/api-problem.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { commonExitCode } from '../follow/exit-of-failure.ts';
import { notStarted, reportAccepted, waitForRun } from '../follow/wait.ts';
import { shortName } from '../manifest-name.ts';
import { jsonOption, namespaceOfFiles } from '../options.ts';
import { faultLines } from '../print/faults.ts';
import { behindLines } from '../print/inventory-lines.ts';
import { note, paint, print, printJson, printWrapped } from '../print/output.ts';
import { showPlan } from '../print/show-plan.ts';
import { sourceIsDue } from '../print/source-lines.ts';
import { templateUserLines } from '../print/template-lines.ts';
import { allowReplace, allowReplaceOption } from '../submission/allow-replace.ts';
import { type Consent, canAsk, confirm, consentOptions } from '../submission/confirm.ts';
import { type FileNamespace, fileNamespace } from '../submission/placed-in.ts';
import {
  isInventoryKind,
  type Judged,
  judge,
  type Kind,
  knownDocuments,
  type Refused,
} from '../submission/submission.ts';

interface ApplyOptions extends Consent {
  readonly file: readonly string[];
  readonly wait?: boolean;
  readonly allowReplace?: readonly string[];
  readonly ifMatch?: string;
  readonly plan?: readonly string[];
}

/** The result for one document; the shape of `--json`. */
interface Outcome extends ManifestName {
  readonly file: string;
  readonly kind: Kind;
  readonly stored?: ManifestName;
  /** Documents of an inventory only: clusters whose manifests change when they are applied. */
  readonly behind?: readonly string[];
  /** A TemplateGitReference only: manifests that use another commit of it, and how many more there are that are not shown. */
  readonly users?: readonly TemplateUser[] | undefined;
  readonly others?: number | undefined;
  /** Warnings of a Secret; those of a manifest are in `accepted`. */
  readonly warnings?: readonly WireFault[];
  readonly accepted?: ManifestAccepted;
  readonly error?: Refused;
  /** With `--wait`: its state at the end; null = deleted. */
  readonly manifest?: ManifestDescription | null;
  readonly code: number;
}

export function registerApply(program: Command): void {
  const command = program
    .command('apply')
    .description(
      'submit manifests, Secrets, TemplateGitReferences, RoleBindings, GitSources, Notifications and documents of inventories',
    )
    .requiredOption('-f, --file <file...>', 'YAML or JSON files, - for standard input')
    .addOption(namespaceOfFiles())
    .option('--wait', 'show progress until the run ends; exit 6 or 10 to 15 when it fails')
    .option('--if-match <etag>', 'only if the stored generation is this one, e.g. g3-a1', tagOf);
  command.option(
    '--plan <id...>',
    'carry out exactly these plans, as `kubeloom plan` printed them; refused if anything has changed since',
    planOf,
  );
  consentOptions(allowReplaceOption(command))
    .addOption(jsonOption())
    .action(async (options: ApplyOptions, self: Command) => {
      process.exitCode = await apply(options, fileNamespace(self));
    });
}

async function apply(options: ApplyOptions, place: FileNamespace | undefined): Promise<number> {
  const known = await knownDocuments(options.file, place);
  allowReplace(
    known.map(({ document }) => document),
    options.allowReplace,
  );
  const api = cliClient();
  const judged = await judge(api, known, options.plan);
  const refused = judged.some((item) => item.refused);
  if (!refused) await confirmPlans(judged, options);
  const submitted: Outcome[] = [];
  for (const item of judged) submitted.push(refused ? notSubmitted(item) : await submit(api, item, options));
  if (refused) note('nothing was stored or started');
  const outcomes: Outcome[] = [];
  for (const outcome of submitted) outcomes.push(options.wait ? await wait(api, outcome, options) : outcome);
  const code = commonExitCode(outcomes.map((outcome) => outcome.code));
  if (options.json) {
    const documents = outcomes.map(({ code: _, ...outcome }) => outcome);
    printJson({ ok: code === exitCodes.ok, exitCode: code, documents });
  }
  return code;
}

/** Shows plans that remove something to the user at a terminal. Throws when they are not confirmed. */
async function confirmPlans(judged: readonly Judged[], options: ApplyOptions): Promise<void> {
  const removing = judged.flatMap((item) => {
    const totals = item.plan?.totals ?? item.totals;
    return totals && removesAnything(totals) ? [{ ...item, totals }] : [];
  });
  if (canAsk(options) && !options.yes && !options.plan) for (const { plan } of removing) if (plan) showPlan(plan);
  const names = removing.map(({ namespace, name }) => `${namespace}/${name}`);
  const totals = sumOf(removing.map((item) => item.totals));
  // A user who names a plan has seen it.
  if (options.plan === undefined) await confirm({ totals, action: `apply ${names.join(', ')}` }, options);
}

/** If one document is refused, none is submitted: stored documents must fit together. */
function notSubmitted({ refused, plan: _, totals: _totals, document: _document, ...judged }: Judged): Outcome {
  if (!refused) return { ...judged, code: exitCodes.ok };
  const { problem, exitCode } = refused;
  const lines = [`${judged.file}: ${problem.detail}`, ...faultLines(problem.faults ?? [], 'fault')];
  note(`${paint('red', 'kubeloom:')} ${lines.join('\n')}`);
  return { ...judged, error: problem, code: exitCode };
}

function tagOf(text: string): string {
  if (/^(\*|"?[\w-]+"?)$/.test(text)) return text;
  throw new CliError(`--if-match ${text}: write a version as \`kubeloom get\` shows it, e.g. g3-a1`, exitCodes.usage);
}

/** One more of a list: commander hands on what it has so far. */
function planOf(text: string, before: readonly string[] = []): readonly string[] {
  if (/^[0-9a-f]{40}$/.test(text)) return [...before, text];
  throw new CliError(`--plan ${text}: write the id of a plan, as \`kubeloom plan\` prints it`, exitCodes.usage);
}

/** Each document that the API refuses now, such as after a change in between, is reported; the exit code is the common one. */
async function submit(api: CliClient, item: Judged, options: ApplyOptions): Promise<Outcome> {
  const { document, plan, totals: _totals, refused: _, ...judged } = item;
  const quiet = options.json === true;
  try {
    if (item.kind === 'RoleBinding') {
      const stored = { namespace: item.namespace, name: (await api.putRole(item, document)).metadata.name };
      if (!quiet) print(`RoleBinding ${item.name} stored`);
      return { ...judged, stored, code: exitCodes.ok };
    }
    if (item.kind === 'Secret') {
      const { warnings, ...stored } = await api.putSecret(item, document);
      if (!quiet) {
        for (const line of faultLines(warnings, 'warning')) note(line);
        print(`Secret ${item.namespace}/${item.name} stored`);
      }
      return { ...judged, stored, warnings, code: exitCodes.ok };
    }
    if (item.kind === 'TemplateGitReference') {
      const { behind: users, others, ...stored } = await api.putTemplate(item, document);
      if (!quiet) {
        print(`TemplateGitReference ${item.namespace}/${item.name} stored`);
        for (const line of templateUserLines(users, others)) note(line);
      }
      return { ...judged, stored, users, others, code: exitCodes.ok };
    }
    if (item.kind === 'GitSource') {
      const { namespace, name } = await api.putGitSource(item, document);
      if (!quiet) print(`GitSource ${namespace}/${name} stored: ${sourceIsDue({ namespace, name })}`);
      return { ...judged, stored: { namespace, name }, code: exitCodes.ok };
    }
    if (item.kind === 'Notification') {
      const { namespace, name } = await api.putNotification(item, document);
      if (!quiet)
        print(
          `Notification ${namespace}/${name} stored: \`kubeloom notifications test ${namespace}/${name}\` tries it`,
        );
      return { ...judged, stored: { namespace, name }, code: exitCodes.ok };
    }
    if (isInventoryKind(item.kind)) {
      const planned = item.kind === 'ManagementPlane' && options.plan;
      const { warnings, behind, refused, accepted, ...stored } = await api.putInventory(
        { ...item, kind: item.kind },
        document,
        planned ? { 'Kubeloom-Plan': planned.join(',') } : {},
      );
      if (!quiet) {
        for (const line of faultLines(warnings, 'warning')) note(line);
        if (accepted) reportAccepted(accepted, accepted);
        else print(`${item.kind} ${item.namespace}/${item.name} ${stored.unchanged ? 'unchanged' : 'stored'}`);
        for (const line of behindLines({ behind, refused })) note(line);
      }
      return { ...judged, stored, behind, ...(accepted && { accepted }), code: exitCodes.ok };
    }
    const bound = options.plan && { 'Kubeloom-Plan': options.plan.join(',') };
    const accepted = await api.putManifest(item, document, { ...versionOf(plan, options), ...bound });
    if (!quiet) {
      for (const line of faultLines(accepted.warnings, 'warning')) note(line);
      reportAccepted(item, accepted);
    }
    return { ...judged, accepted, code: exitCodes.ok };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    note(`${paint('red', 'kubeloom:')} ${item.file}: ${error.message}`);
    return { ...judged, error: error.problem, code: error.exitCode };
  }
}

/** Only the plan that was shown is applied: if the manifest changed in between, the API refuses. */
function versionOf(plan: PlanReport | undefined, { ifMatch }: ApplyOptions): PutCondition {
  if (ifMatch !== undefined && ifMatch !== '*') return { 'If-Match': ifMatch };
  if (plan?.etag) return { 'If-Match': plan.etag };
  return ifMatch === undefined ? { 'If-None-Match': '*' } : { 'If-Match': ifMatch };
}

/** After the first run of a manifest that has succeeded: how to connect, look and undo. */
function firstSteps(manifest: ManifestDescription): readonly string[] {
  const { generation, attempt, status, clusters } = manifest;
  const [cluster] = clusters;
  if (generation > 1 || attempt > 1 || status !== 'Done' || cluster === undefined) return [];
  const place = manifest.namespace === 'default' ? '' : ` -n ${manifest.namespace}`;
  return [
    '',
    `connect:   kubeloom kubeconfig ${cluster.name}${place} --merge`,
    `look:      kubeloom describe ${shortName(manifest)}; kubeloom console --open`,
    `undo:      kubeloom delete ${shortName(manifest)} --wait`,
  ];
}

async function wait(api: CliClient, outcome: Outcome, options: ApplyOptions): Promise<Outcome> {
  const { accepted } = outcome;
  if (!accepted) return outcome;
  if (accepted.paused) return { ...outcome, code: notStarted(accepted) };
  const { manifest, code } = await waitForRun(api, accepted, accepted, { json: options.json === true });
  if (!options.json && manifest) for (const line of firstSteps(manifest)) printWrapped(line, 11);
  return { ...outcome, manifest: manifest ?? null, code };
}
