/** `kubeloom logs RUN`: what the tools of a run wrote, stage by stage, live with -f. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { apiClient } from '../api-client.ts';
import { manifestOfRun } from '../manifest-name.ts';
import { note, paint, print } from '../output.ts';

interface LogOptions {
  readonly follow?: boolean;
  readonly stage?: string;
  readonly cluster?: string;
  readonly namespace?: string;
}

export function registerLogs(program: Command): void {
  program
    .command('logs <run>')
    .description('logs of the tools of a run')
    .option('-f, --follow', 'go on until the run ends')
    .option('--stage <stage>', 'only this stage (infrastructure, configuration, kubernetes, nodes, traffic)')
    .option('--cluster <cluster>', 'only this cluster')
    .option('-n, --namespace <namespace>', 'namespace of the manifest', 'default')
    .action(logs);
}

async function logs(run: string, options: LogOptions): Promise<void> {
  const api = apiClient();
  const key = manifestOfRun(run, options.namespace);
  const offsets = new Map<string, number>();
  let current = '';
  for (;;) {
    const { items } = await api.listLogs(key, run);
    const wanted = items.filter(
      (item) =>
        (!options.stage || item.stage === options.stage) && (!options.cluster || item.cluster === options.cluster),
    );
    for (const item of wanted) {
      const offset = offsets.get(item.path) ?? 0;
      if (offset >= item.size) continue;
      const read = await api.readLog(item.path, offset);
      if (read.text && current !== item.path) {
        const undo = item.mode === 'undo' ? ' (undo)' : '';
        print(paint('bold', `== ${item.cluster} ${item.waypoint} ${item.stage}${undo}, try ${item.attempt}`));
        current = item.path;
      }
      process.stdout.write(read.text);
      offsets.set(item.path, read.next);
    }
    if (!options.follow) {
      if (wanted.length === 0) note('no log yet: the run has not reached a stage that writes one');
      return;
    }
    const { status } = await api.getRun(key, run);
    if (status !== 'Queued' && status !== 'Running') return;
    await sleep(500);
  }
}
