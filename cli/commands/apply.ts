/** `kubeloom apply`: submits documents in the order that references need, and with --wait shows it happen. */
import type { Command } from 'commander';
import { type ApiClient, apiClient, type ManifestName } from '../api-client.ts';
import { describeManifest } from '../describe-manifest.ts';
import { type FileDocument, readDocuments } from '../documents.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { duration, faultLines, note, print, printJson } from '../output.ts';
import { exitCodeOfRun, follow } from '../watch.ts';

interface ApplyOptions {
  readonly file: readonly string[];
  readonly wait?: boolean;
  readonly json?: boolean;
  readonly ifMatch?: string;
}

/** Documents that others refer to go first. */
const order = ['Secret', 'TemplateGitReference', 'InputManifest'] as const;
type Kind = (typeof order)[number];

export function registerApply(program: Command): void {
  program
    .command('apply')
    .description('submit manifests, Secrets and TemplateGitReferences')
    .requiredOption('-f, --file <file...>', 'YAML or JSON files, - for standard input')
    .option('--wait', 'show progress until the run ends; exit 6 when it fails')
    .option('--if-match <etag>', 'only if the stored generation is this one, e.g. g3-a1')
    .option('--json', 'answer as JSON')
    .action(async (options: ApplyOptions) => {
      process.exitCode = await apply(options);
    });
}

async function apply(options: ApplyOptions): Promise<number> {
  const { documents, faults } = await readDocuments(options.file);
  const problems = faults.flatMap(({ file, faults: list }) => [file, ...faultLines(list, 'fault')]);
  const known = documents.map((item) => ({ ...item, ...identify(item) }));
  problems.push(
    ...known.flatMap(({ file, index, fault }) => (fault ? [`${file}, document ${index + 1}: ${fault}`] : [])),
  );
  if (problems.length > 0) throw new CliError(`nothing was submitted:\n${problems.join('\n')}`, exitCodes.invalid);

  const api = apiClient();
  const sorted = known.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const answers: unknown[] = [];
  let code: number = exitCodes.ok;
  for (const { kind, key, document } of sorted) {
    if (kind !== 'InputManifest') {
      answers.push(kind === 'Secret' ? await api.putSecret(key, document) : await api.putTemplate(key, document));
      if (!options.json) print(`${kind} ${key.namespace}/${key.name} stored`);
      continue;
    }
    const outcome = await submit(api, key, document, options);
    answers.push(outcome.answer);
    code = Math.max(code, outcome.code);
  }
  if (options.json) printJson(answers.length === 1 ? answers[0] : answers);
  return code;
}

async function submit(api: ApiClient, key: ManifestName, document: unknown, options: ApplyOptions) {
  const accepted = await api.putManifest(key, document, options.ifMatch);
  const title = `${key.namespace}/${key.name}`;
  if (!options.json) {
    for (const line of faultLines(accepted.warnings, 'warning')) note(line);
    print(
      accepted.unchanged
        ? `${title} unchanged (generation ${accepted.generation}); nothing was started`
        : `${title} accepted: generation ${accepted.generation}, run ${accepted.runId}`,
    );
  }
  if (!options.wait) return { answer: accepted, code: exitCodes.ok };
  const followed = await follow(api, key, { runId: accepted.runId, quiet: options.json === true });
  if (!options.json && followed.manifest) {
    print();
    print(describeManifest(followed.manifest));
    print(`\n${followed.manifest.status} after ${duration(followed.elapsedMs)}`);
  }
  return { answer: followed.manifest ?? accepted, code: exitCodeOfRun(followed, false) };
}

/** Kind and name of a document, or what is wrong with them; the API checks all the rest. */
function identify(item: FileDocument): { kind: Kind; key: ManifestName; fault?: string } {
  const document = item.document as { kind?: unknown; metadata?: { name?: unknown; namespace?: unknown } } | null;
  const kind = order.find((known) => known === document?.kind);
  const name = document?.metadata?.name;
  const namespace = document?.metadata?.namespace ?? 'default';
  const nowhere = { kind: 'InputManifest' as const, key: { namespace: '', name: '' } };
  if (!kind)
    return { ...nowhere, fault: `kind must be one of ${order.join(', ')}, not ${JSON.stringify(document?.kind)}` };
  if (typeof name !== 'string' || typeof namespace !== 'string')
    return { ...nowhere, fault: 'metadata.name is missing' };
  return { kind, key: { namespace, name } };
}
