/** `kubeloom logs RUN`: what the tools of a run wrote, stage by stage, live with -f. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { LogList } from '#contracts/api-bodies.ts';
import type { RunStatus } from '#contracts/records.ts';
import { RunWork } from '#contracts/stage.ts';
import { cliClient } from '../connection/api-client.ts';
import { type NamedRunOptions, namedRun } from '../find/find-run.ts';
import { jsonOption, namespaceOf } from '../options.ts';
import { note, paint, print, printJson, printRaw } from '../print/output.ts';

interface LogOptions extends NamedRunOptions {
  readonly follow?: boolean;
  readonly stage?: RunWork;
  readonly cluster?: string;
}

type LogItem = LogList['items'][number];

export function registerLogs(program: Command): void {
  program
    .command('logs <run>')
    .description('logs of the tools of a run: RUN is its id, or the name of a manifest or cluster for its newest run')
    .option('--previous', 'with a name: the run before the newest')
    .option('-f, --follow', 'keep printing until the run ends')
    .addOption(new Option('--stage <stage>', 'only this stage, or `drift`: the check').choices(RunWork.options))
    .option('--cluster <cluster>', 'only this cluster')
    .addOption(namespaceOf('the manifest'))
    .addOption(jsonOption('list the logs with their sizes instead of printing them'))
    .action(logs);
}

async function logs(name: string, given: LogOptions): Promise<void> {
  const api = cliClient();
  const { key, run, cluster } = await namedRun(api, name, given);
  const options = { ...given, ...(cluster !== undefined && given.cluster === undefined && { cluster }) };
  const list = async () => (await api.listLogs({ ...key, run })).items.filter((item) => isWanted(item, options));
  if (options.json) return printJson(await list());
  const offsets = new Map<string, number>();
  let current = '';
  for (;;) {
    // The status is read before the logs: logs that are read after the end are complete.
    const { status } = await api.getRun({ ...key, run });
    const ended = hasEnded(status);
    const wanted = await list();
    for (const item of wanted) {
      const offset = offsets.get(item.path) ?? 0;
      if (offset >= item.size) continue;
      const read = await api.readLog(item.path, offset);
      if (read.text && current !== item.path) {
        print(paint('bold', titleOf(item)));
        current = item.path;
      }
      printRaw(read.text);
      offsets.set(item.path, read.next);
    }
    if (!options.follow || ended) {
      if (wanted.length === 0) note(nothing(options, status));
      return;
    }
    await sleep(500);
  }
}

const hasEnded = (status: RunStatus): boolean => status !== 'Queued' && status !== 'Running';

function isWanted({ stage, cluster }: LogItem, options: LogOptions): boolean {
  return (!options.stage || stage === options.stage) && (!options.cluster || isCalled(cluster, options.cluster));
}

/** A cluster may be called by its id (`two-clouds-1a2b3c4`) or by its name. */
const isCalled = (id: string, name: string): boolean => id === name || id.replace(/-[a-z0-9]{7}$/, '') === name;

function titleOf({ cluster, waypoint, stage, mode, attempt }: LogItem): string {
  return `== ${cluster} ${waypoint} ${stage}${mode === 'undo' ? ' (undo)' : ''}, try ${attempt}`;
}

function nothing({ stage, cluster }: LogOptions, status: RunStatus): string {
  const what = stage || cluster ? 'no such log' : 'no log';
  if (status === 'Superseded') return `${what}: the run never started; a newer change of the manifest replaced it`;
  const ended = hasEnded(status);
  return ended ? `${what}: the run ended before a stage that writes a log` : `${what} yet: the run continues`;
}
