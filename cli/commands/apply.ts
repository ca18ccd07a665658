/** `kubeloom apply`: submits documents in the order that references need, and with --wait shows it happen. */
import type { Command } from 'commander';
import type { Fault, ManifestAccepted, ManifestDescription, Problem } from '#contracts/http.ts';
import { DocumentPath, ManifestPath, RolePath } from '#contracts/http-parameters.ts';
import { validateDocuments } from '#domain/manifest/validate-documents.ts';
import { type ApiClient, apiClient, type ManifestName } from '../api-client.ts';
import { ApiProblem } from '../api-problem.ts';
import { type FileDocument, readDocuments } from '../documents.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { faultLines, located } from '../faults.ts';
import { note, paint, print, printJson } from '../output.ts';
import { notStarted, tellAccepted, waitForRun } from '../wait.ts';

interface ApplyOptions {
  readonly file: readonly string[];
  readonly wait?: boolean;
  readonly json?: boolean;
  readonly ifMatch?: string;
}

/** Documents that others refer to go first. */
const order = ['RoleBinding', 'Secret', 'TemplateGitReference', 'InputManifest'] as const;
type Kind = (typeof order)[number];

/** The namespace of a RoleBinding is `*`. */
interface Known extends ManifestName {
  readonly file: string;
  readonly kind: Kind;
  readonly document: unknown;
}

/** What became of one document; the shape of `--json`. */
interface Outcome extends ManifestName {
  readonly file: string;
  readonly kind: Kind;
  readonly stored?: ManifestName;
  /** Of a Secret; those of a manifest are in `accepted`. */
  readonly warnings?: readonly Fault[];
  readonly accepted?: ManifestAccepted;
  readonly error?: Problem;
  /** With `--wait`: as it stands at the end; null = gone. */
  readonly manifest?: ManifestDescription | null;
  readonly code: number;
}

export function registerApply(program: Command): void {
  program
    .command('apply')
    .description('submit manifests, Secrets, TemplateGitReferences and RoleBindings')
    .requiredOption('-f, --file <file...>', 'YAML or JSON files, - for standard input')
    .option('--wait', 'show progress until the run ends; exit 6 when it fails')
    .option('--if-match <etag>', 'only if the stored generation is this one, e.g. g3-a1', tagOf)
    .option('--json', 'answer as JSON')
    .action(async (options: ApplyOptions) => {
      process.exitCode = await apply(options);
    });
}

async function apply(options: ApplyOptions): Promise<number> {
  const known = await knownDocuments(options.file);
  const api = apiClient();
  const submitted: Outcome[] = [];
  for (const item of known) submitted.push(await submit(api, item, options));
  const outcomes: Outcome[] = [];
  for (const outcome of submitted) outcomes.push(options.wait ? await wait(api, outcome, options) : outcome);
  const code = Math.max(exitCodes.ok, ...outcomes.map((outcome) => outcome.code));
  if (options.json) {
    const documents = outcomes.map(({ code: _, ...outcome }) => outcome);
    printJson({ ok: code === exitCodes.ok, documents });
  }
  return code;
}

/** In the order in which they are submitted. Throws with all that is wrong before anything is. */
async function knownDocuments(files: readonly string[]): Promise<readonly Known[]> {
  const { documents, faults } = await readDocuments(files);
  const problems = faults.flatMap(({ file, faults: list }) => [file, ...faultLines(list, 'fault')]);
  const known = documents.map((item) => identify(item));
  problems.push(...known.filter((item) => typeof item === 'string'), ...twinsIn(known));
  if (known.length === 0 && problems.length === 0) problems.push(`no document in ${files.join(', ')}`);
  if (problems.length > 0) throw new CliError(`nothing was submitted:\n${problems.join('\n')}`, exitCodes.invalid);
  return known
    .filter((item) => typeof item !== 'string')
    .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

/** Kind and name of a document, or what is wrong with them; the API checks all the rest. */
function identify({ file, index, document }: FileDocument): Known | string {
  const { kind: word, metadata } = (document ?? {}) as {
    kind?: unknown;
    metadata?: { name?: unknown; namespace?: unknown } | null;
  };
  const kind = order.find((known) => known === word);
  const name = metadata?.name;
  // A RoleBinding belongs to none.
  const namespace = kind === 'RoleBinding' ? '*' : (metadata?.namespace ?? 'default');
  const place = `${file}, document ${index + 1}`;
  if (!kind) return `${place}: kind must be one of ${order.join(', ')}, not ${JSON.stringify(word) ?? 'missing'}`;
  if (typeof name !== 'string' || typeof namespace !== 'string' || !name || !namespace)
    return `${place}: metadata.name is missing`;
  if (canBeAsked(kind, namespace, name)) return { file, kind, namespace, name, document };
  const faults = located(
    document,
    validateDocuments([document]).flatMap((verdict) => verdict.faults),
  );
  return [`${place}:`, ...faultLines(faults, 'fault')].join('\n');
}

/** Whether the API has a place for it. If not, it could only say so, and nothing of the other faults. */
function canBeAsked(kind: Kind, namespace: string, name: string): boolean {
  const path = { namespace, name };
  if (kind === 'RoleBinding') return RolePath.safeParse(path).success;
  return (kind === 'InputManifest' ? ManifestPath : DocumentPath).safeParse(path).success;
}

/** The same thing twice: the later one would take the place of the earlier at once. */
function twinsIn(items: readonly (Known | string)[]): readonly string[] {
  const seen = new Set<string>();
  return items.flatMap((item) => {
    if (typeof item === 'string') return [];
    const title = `${item.kind} ${item.kind === 'RoleBinding' ? '' : `${item.namespace}/`}${item.name}`;
    if (!seen.has(title)) {
      seen.add(title);
      return [];
    }
    return [`${item.file}: ${title} stands in these documents twice; remove or rename one of them`];
  });
}

function tagOf(text: string): string {
  if (/^(\*|"?[\w-]+"?)$/.test(text)) return text;
  throw new CliError(`--if-match ${text}: write a version as the API tells it, e.g. g3-a1`, exitCodes.usage);
}

/** One refused document does not keep the others back: each is told, the exit code is of the worst. */
async function submit(api: ApiClient, item: Known, options: ApplyOptions): Promise<Outcome> {
  const { document, ...said } = item;
  const quiet = options.json === true;
  try {
    if (item.kind === 'RoleBinding') {
      const stored = { namespace: item.namespace, name: (await api.putRole(item.name, document)).metadata.name };
      if (!quiet) print(`RoleBinding ${item.name} stored`);
      return { ...said, stored, code: exitCodes.ok };
    }
    if (item.kind === 'Secret') {
      const { warnings, ...stored } = await api.putSecret(item, document);
      if (!quiet) {
        for (const line of faultLines(warnings, 'warning')) note(line);
        print(`Secret ${item.namespace}/${item.name} stored`);
      }
      return { ...said, stored, warnings, code: exitCodes.ok };
    }
    if (item.kind === 'TemplateGitReference') {
      const stored = await api.putTemplate(item, document);
      if (!quiet) print(`TemplateGitReference ${item.namespace}/${item.name} stored`);
      return { ...said, stored, code: exitCodes.ok };
    }
    const accepted = await api.putManifest(item, document, options.ifMatch);
    if (!quiet) {
      for (const line of faultLines(accepted.warnings, 'warning')) note(line);
      tellAccepted(item, accepted);
    }
    return { ...said, accepted, code: exitCodes.ok };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    note(`${paint('red', 'kubeloom:')} ${item.file}: ${error.message}`);
    return { ...said, error: error.problem, code: error.exitCode };
  }
}

async function wait(api: ApiClient, outcome: Outcome, options: ApplyOptions): Promise<Outcome> {
  const { accepted } = outcome;
  if (!accepted) return outcome;
  if (accepted.paused) return { ...outcome, code: notStarted(accepted) };
  const { manifest, code } = await waitForRun(api, outcome, accepted, { json: options.json === true });
  return { ...outcome, manifest: manifest ?? null, code };
}
