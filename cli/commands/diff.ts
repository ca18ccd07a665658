/** `kubeloom diff`: how documents of a manifest differ, line by line: two generations, or what is stored and a file. */
import type { Command } from 'commander';
import { documentPatch, type TitledDocument } from '#documents/document-patch.ts';
import { isManifest, kindOf } from '#domain/documents/validate-documents.ts';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { withoutServerFields } from '#domain/manifest/faults/kubernetes-document.ts';
import { MachineGroups } from '#domain/manifest/groups/machine-groups.ts';
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { withProxyOf } from '#domain/manifest/with-proxy.ts';
import { type CliClient, cliClient, type ManifestName } from '../connection/api-client.ts';
import { whenMissing } from '../connection/api-problem.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { ofManifest } from '../find/find-manifest.ts';
import { shortName } from '../manifest-name.ts';
import { generationArgument, jsonOption, namespaceOf } from '../options.ts';
import { note, paint, print, printJson } from '../print/output.ts';
import { readableDocuments } from '../submission/documents.ts';
import { type FileNamespace, fileNamespace } from '../submission/placed-in.ts';

interface DiffOptions {
  readonly file?: readonly string[];
  readonly namespace?: string;
  readonly json?: boolean;
}

interface Difference extends ManifestName {
  /** `generation 3`, or the name of a file. */
  readonly from: string;
  readonly to: string;
  /** Null where nothing is stored yet. */
  readonly changes: readonly string[] | null;
  readonly patch: string;
}

export function registerDiff(program: Command): void {
  program
    .command('diff [name] [from] [to]')
    .description('show how two generations of a manifest differ, or the stored manifest and a file')
    .option('-f, --file <file...>', 'compare the stored manifests with these files, - for standard input')
    .addOption(namespaceOf())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nFROM and TO are generations as `kubeloom history NAME` lists them, such as g3.\nWithout TO, the current one; without both, the last change.',
    )
    .action(diff);
}

async function diff(
  name: string | undefined,
  from: string | undefined,
  to: string | undefined,
  options: DiffOptions,
  command: Command,
): Promise<void> {
  const api = cliClient();
  if ((name === undefined) === (options.file === undefined))
    throw new CliError('compare what? give the NAME of a manifest, or -f FILE', exitCodes.usage);
  const differences =
    name === undefined
      ? await withFiles(api, options.file ?? [], fileNamespace(command))
      : [await ofManifest(api, { name, ...options }, (key) => betweenGenerations(api, key, { from, to }))];
  if (options.json) printJson(differences.map(asJson));
  else for (const difference of differences) show(difference);
}

async function betweenGenerations(
  api: CliClient,
  key: ManifestName,
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
): Promise<Difference> {
  const asked = [from, to].map((text) => text && generationArgument(text));
  const { items } = await api.listGenerations(key);
  const [newest, before] = items.map(({ generation }) => generation);
  const first = asked[0] || before;
  if (first === undefined) {
    // It is no failure: a script that compares after every change need not know which one was the first.
    const only = `generation ${newest ?? 1}`;
    return { ...key, from: only, to: only, changes: [], patch: '' };
  }
  const generation = asked[1] || newest || first;
  const { changes, diff } = await api.diffGenerations({ ...key, generation }, { from: first });
  return { ...key, from: `generation ${first}`, to: `generation ${generation}`, changes, patch: diff };
}

async function withFiles(
  api: CliClient,
  files: readonly string[],
  place: FileNamespace | undefined,
): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  for (const { file, document } of await readableDocuments(files, place)) {
    const { metadata } = (document ?? {}) as { metadata?: Partial<ManifestName> };
    if (!isManifest(document)) continue;
    const key = { namespace: metadata?.namespace ?? 'default', name: metadata?.name ?? '-' };
    const stored = await storedSide(api, key);
    const to = { title: file, document: asAccepted(document, stored.document) };
    differences.push(compared(key, stored, to));
  }
  if (differences.length === 0) throw new CliError(`no manifest in ${files.join(', ')}`, exitCodes.invalid);
  return differences;
}

async function storedSide(api: CliClient, key: ManifestName): Promise<TitledDocument> {
  const stored = await api.getManifest(key).catch(whenMissing(undefined));
  return stored ? { title: `generation ${stored.generation}`, document: stored.document } : { title: 'not stored' };
}

/** With the defaults that the API fills in; unchanged when it has faults, which `validate` reports. */
function asAccepted(document: unknown, stored: unknown): unknown {
  const plain = withoutServerFields(document);
  if (kindOf(plain) === 'MachineGroups') return MachineGroups.safeParse(plain).data ?? plain;
  const { data } = InputManifest.safeParse(plain);
  return data === undefined ? plain : withProxyOf(data, stored);
}

function compared(key: ManifestName, from: TitledDocument, to: TitledDocument): Difference {
  const titled = (side: TitledDocument): TitledDocument => ({
    ...side,
    title: `${key.namespace}/${key.name} (${side.title})`,
  });
  const changes = from.document === undefined ? null : documentChanges(from.document, to.document);
  return { ...key, from: from.title, to: to.title, changes, patch: documentPatch(titled(from), titled(to)) };
}

const asJson = ({ namespace, name, from, to, changes, patch }: Difference): unknown => ({
  namespace,
  name,
  from,
  to,
  changes,
  diff: changes?.length === 0 ? '' : patch,
});

function show(difference: Difference): void {
  const { from, to, changes, patch } = difference;
  if (changes?.length === 0) {
    const only =
      from === to ? `only ${from} exists, there is nothing to compare` : `no difference between ${from} and ${to}`;
    note(`${shortName(difference)}: ${only}`);
    return;
  }
  // The lines around a change seldom show which pool it belongs to.
  for (const change of changes ?? []) print(paint('dim', `# ${change}`));
  for (const line of patch.trimEnd().split('\n')) print(painted(line));
}

function painted(line: string): string {
  if (/^(---|\+\+\+) /.test(line)) return paint('bold', line);
  if (line.startsWith('@@')) return paint('cyan', line);
  return line.startsWith('+') ? paint('green', line) : line.startsWith('-') ? paint('red', line) : line;
}
