/** `kubeloom history NAME`: the generations that are kept, newest first: when, by whom, why, and what changed. */
import type { Command } from 'commander';
import type { GenerationList } from '#contracts/http-documents.ts';
import { apiClient } from '../api-client.ts';
import { ofManifest } from '../find-manifest.ts';
import { listed, type TableOptions } from '../layout.ts';
import { paint, paintedTable, print, printJson } from '../output.ts';
import { ago } from '../times.ts';

interface HistoryOptions {
  readonly namespace?: string;
  readonly json?: boolean;
}

export function registerHistory(program: Command): void {
  program
    .command('history <name>')
    .description('the last generations of a manifest: when, by whom, why, what changed')
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option('--json', 'answer as JSON')
    .action(async (name: string, options: HistoryOptions) => {
      const api = apiClient();
      const { items } = await ofManifest(api, { name, ...options }, api.listGenerations);
      if (options.json) printJson(items);
      else for (const line of historyTable(items)) print(line);
    });
}

/** One row for each generation; the current one is marked. */
export function historyTable(items: GenerationList['items'], options: TableOptions = {}): readonly string[] {
  return paintedTable(
    ['GENERATION', 'WHEN', 'BY', 'REASON', 'CHANGES'],
    items.map(({ generation, current, at, by, reason, changes }) => [
      current ? `g${generation} ${paint('green', 'current')}` : `g${generation}`,
      at === undefined ? '-' : ago(at),
      by ?? '-',
      reason ?? '-',
      changes === null ? '-' : listed(changes) || 'none',
    ]),
    options,
  );
}
