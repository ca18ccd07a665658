/** `kubeloom get | describe | runs | events | kubeconfig`: what stands and what happened. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { apiClient, type ManifestName } from '../api-client.ts';
import { describeManifest } from '../describe-manifest.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { parseManifestName } from '../manifest-name.ts';
import { ago, duration, paintStatus, print, printJson, table } from '../output.ts';
import { eventLine } from '../watch.ts';

interface NamespaceOption {
  readonly namespace?: string;
  readonly json?: boolean;
}

export function registerInspect(program: Command): void {
  program
    .command('get')
    .description('list manifests with their status')
    .option('-n, --namespace <namespace>', 'only this namespace')
    .option('--json', 'answer as JSON')
    .action(get);
  program
    .command('describe <name>')
    .description('status, progress, nodes, load balancers and failures of a manifest')
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option('--json', 'answer as JSON')
    .action(async (name: string, options: NamespaceOption) => {
      const manifest = await apiClient().getManifest(parseManifestName(name, options.namespace));
      if (options.json) printJson(manifest);
      else print(describeManifest(manifest));
    });
  program
    .command('runs <name>')
    .description('runs of a manifest, newest first')
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option('--json', 'answer as JSON')
    .action(runs);
  program
    .command('events <name>')
    .description('what happened, oldest first')
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option('-f, --follow', 'go on printing until Ctrl-C')
    .option('--json', 'one JSON object a line')
    .action(events);
  program
    .command('kubeconfig <cluster>')
    .description('print the kubeconfig of a cluster')
    .option('-n, --namespace <namespace>', 'namespace of the manifest', 'default')
    .action(kubeconfig);
}

async function get(options: NamespaceOption): Promise<void> {
  const api = apiClient();
  const items = [];
  let next: string | undefined;
  do {
    const page = await api.listManifests(options.namespace, next);
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined);
  if (options.json) return printJson(items);
  if (items.length === 0) return print('no manifests');
  print(
    table(
      ['NAMESPACE', 'NAME', 'STATUS', 'PROGRESS', 'GENERATION', 'CLUSTERS', 'CHANGED'],
      items.map((item) => [
        item.namespace,
        item.name,
        paintStatus(item.status),
        item.progress && item.status !== 'Done' ? `${item.progress.percent} %` : '-',
        String(item.generation),
        item.clusters.map((cluster) => `${cluster.cluster} (${cluster.nodes})`).join(', ') || '-',
        ago(item.updatedAt),
      ]),
    ),
  );
}

async function runs(name: string, options: NamespaceOption): Promise<void> {
  const { items } = await apiClient().listRuns(parseManifestName(name, options.namespace));
  if (options.json) return printJson(items);
  print(
    table(
      ['RUN', 'STATUS', 'STARTED', 'TOOK', 'REASON', 'CLUSTERS'],
      items.map((run) => [
        run.runId,
        paintStatus(run.status),
        run.startedAt ? ago(run.startedAt) : '-',
        run.startedAt && run.endedAt ? duration(Date.parse(run.endedAt) - Date.parse(run.startedAt)) : '-',
        run.reason,
        Object.entries(run.clusters)
          .map(([cluster, end]) => `${cluster} ${paintStatus(end.status)}`)
          .join(', '),
      ]),
    ),
  );
}

async function events(name: string, options: NamespaceOption & { readonly follow?: boolean }): Promise<void> {
  const api = apiClient();
  const key = parseManifestName(name, options.namespace);
  let cursor: string | undefined;
  let first: number | undefined;
  for (;;) {
    const page = await api.listEvents(key, cursor);
    for (const event of page.items) {
      first ??= Date.parse(event.at);
      print(options.json ? JSON.stringify(event) : eventLine(event, first));
    }
    const more = page.next !== undefined && page.next !== cursor && page.items.length > 0;
    cursor = page.next ?? cursor;
    if (more) continue;
    if (!options.follow) return;
    await sleep(500);
  }
}

async function kubeconfig(cluster: string, options: NamespaceOption): Promise<void> {
  const api = apiClient();
  const page = await api.listManifests(options.namespace);
  const owner: ManifestName | undefined = page.items.find((item) =>
    item.clusters.some((c) => isCalled(c.cluster, cluster)),
  );
  if (!owner) {
    const known = page.items.flatMap((item) => item.clusters.map((c) => c.cluster));
    throw new CliError(
      `no cluster ${cluster} in namespace ${options.namespace}${known.length > 0 ? `; there is ${known.join(', ')}` : ''}`,
      exitCodes.notFound,
    );
  }
  process.stdout.write(await api.getKubeconfig(owner, cluster));
}

/** A cluster may be called by its id (`two-clouds-1a2b3c4`) or by its name. */
const isCalled = (id: string, name: string): boolean => id === name || id.replace(/-[a-z0-9]{7}$/, '') === name;
