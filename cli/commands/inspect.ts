/** `kubeloom get | describe | runs`: what stands and what ran. */
import type { Command } from 'commander';
import type { ManifestSummary, RunPage } from '#contracts/http.ts';
import { type ApiClient, apiClient, type ManifestName } from '../api-client.ts';
import { describeManifest, statusOf } from '../describe-manifest.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { counted, listed } from '../layout.ts';
import { parseManifestName } from '../manifest-name.ts';
import { note, paintStatus, print, printJson, printTable } from '../output.ts';
import { ago, duration } from '../times.ts';

interface NamespaceOption {
  readonly namespace?: string;
  readonly json?: boolean;
}

export function registerInspect(program: Command): void {
  program
    .command('get [name...]')
    .description('list manifests with their status')
    .option('-n, --namespace <namespace>', 'only this namespace')
    .option('--json', 'answer as JSON')
    .action(get);
  program
    .command('describe <name>')
    .description('status, progress, nodes, load balancers and failures of a manifest')
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option('--nodes', 'a row for each node, also where there are many')
    .option('--json', 'answer as JSON')
    .action(async (name: string, options: NamespaceOption & { readonly nodes?: boolean }) => {
      const manifest = await apiClient().getManifest(parseManifestName(name, options.namespace));
      if (options.json) printJson(manifest);
      else print(describeManifest(manifest, { everyNode: options.nodes === true }));
    });
  program
    .command('runs <name>')
    .description('runs of a manifest, newest first')
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option('--limit <number>', 'how many', wholeNumber, 20)
    .option('--json', 'answer as JSON')
    .action(runs);
}

/** Every manifest of a namespace, or of all. */
export async function allManifests(api: ApiClient, namespace?: string): Promise<readonly ManifestSummary[]> {
  const items: ManifestSummary[] = [];
  let next: string | undefined;
  do {
    const page = await api.listManifests(namespace, next);
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined);
  return items;
}

async function get(names: readonly string[], options: NamespaceOption): Promise<void> {
  const wanted = names.map((name) => parseManifestName(name, options.namespace));
  const namespaces = new Set(wanted.map(({ namespace }) => namespace));
  const all = await allManifests(apiClient(), namespaces.size === 1 ? [...namespaces][0] : options.namespace);
  const items = wanted.length === 0 ? all : wanted.map((key) => named(all, key));
  if (options.json) return printJson(items);
  if (items.length === 0) return print('no manifests');
  printTable(
    ['NAMESPACE', 'NAME', 'STATUS', 'PROGRESS', 'GENERATION', 'CHANGED', 'CLUSTERS'],
    items.map((item) => [
      item.namespace,
      item.name,
      statusOf(item),
      item.progress && item.status !== 'Done' ? `${item.progress.percent} %` : '-',
      String(item.generation),
      ago(item.updatedAt),
      clustersOf(item),
    ]),
  );
}

function named(all: readonly ManifestSummary[], key: ManifestName): ManifestSummary {
  const found = all.find((item) => item.name === key.name && item.namespace === key.namespace);
  if (found) return found;
  throw new CliError(`there is no manifest "${key.name}" in namespace "${key.namespace}"`, exitCodes.notFound);
}

/** `web 3 nodes`; the status of a cluster is told where it is not the manifest's. */
function clustersOf({ clusters }: ManifestSummary): string {
  const texts = clusters.map(({ name, nodes, status }) => {
    const count = `${name} (${counted(nodes, 'node')})`;
    return status === 'Converged' ? count : `${count} ${paintStatus(status)}`;
  });
  return listed(texts) || '-';
}

async function runs(name: string, options: NamespaceOption & { readonly limit: number }): Promise<void> {
  const api = apiClient();
  const key = parseManifestName(name, options.namespace);
  const items: RunPage['items'] = [];
  let next: string | undefined;
  do {
    const page = await api.listRuns(key, next);
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined && items.length < options.limit);
  const shown = items.slice(0, options.limit);
  if (options.json) return printJson(shown);
  printTable(
    ['RUN', 'STATUS', 'STARTED', 'TOOK', 'CLUSTERS', 'REASON'],
    shown.map((run) => [
      run.runId,
      paintStatus(run.status),
      run.startedAt ? ago(run.startedAt) : '-',
      run.startedAt && run.endedAt ? duration(Date.parse(run.endedAt) - Date.parse(run.startedAt)) : '-',
      listed(Object.entries(run.clusters).map(([cluster, end]) => `${cluster} ${paintStatus(end.status)}`)) || '-',
      run.reason,
    ]),
  );
  if (items.length > shown.length || next !== undefined) note('there are older runs: --limit shows more');
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new CliError(`--limit ${text}: write a number from 1 on`, exitCodes.usage);
}
