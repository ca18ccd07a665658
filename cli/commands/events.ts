/** `kubeloom events NAME`: what happened, and with -f what happens from now on. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type ApiClient, apiClient, type ManifestName } from '../api-client.ts';
import { whenMissing } from '../api-problem.ts';
import { eventFeed } from '../event-feed.ts';
import { eventLines } from '../event-lines.ts';
import { ofManifest } from '../find-manifest.ts';
import { shortName } from '../manifest-name.ts';
import { note, paint, print } from '../output.ts';

interface EventsOptions {
  readonly namespace?: string;
  readonly follow?: boolean;
  readonly run?: string;
  readonly json?: boolean;
}

export function registerEvents(program: Command): void {
  program
    .command('events <name>')
    .description('what happened, oldest first')
    .option('-n, --namespace <namespace>', 'namespace of NAME', 'default')
    .option('-f, --follow', 'go on printing until Ctrl-C, or until the manifest is gone')
    .option('--run <run>', 'only this run')
    .option('--json', 'one JSON object a line')
    .action(async (name: string, options: EventsOptions) => {
      const api = apiClient();
      await ofManifest(api, { name, ...options }, (key) => events(api, key, options));
    });
}

async function events(api: ApiClient, key: ManifestName, options: EventsOptions): Promise<void> {
  const feed = eventFeed(api, key);
  let reported = false;
  let run: { readonly id: string; readonly began: number } | undefined;
  for (;;) {
    const gone = options.follow && (await api.getManifest(key).catch(whenMissing(undefined))) === undefined;
    for (const event of await feed.read()) {
      if (options.run !== undefined && event.runId !== options.run) continue;
      reported = true;
      if (options.json) {
        print(JSON.stringify(event));
        continue;
      }
      if (run?.id !== event.runId) {
        run = { id: event.runId, began: Date.parse(event.at) };
        print(`${paint('bold', event.runId)}  ${paint('dim', event.at)}`);
      }
      for (const line of eventLines(event, run.began)) print(line);
    }
    if (!options.follow) {
      if (!reported && options.run !== undefined)
        note(`no events of run ${options.run}: \`kubeloom runs ${shortName(key)}\` lists them`);
      return;
    }
    if (gone) return note(`${key.namespace}/${key.name} is gone`);
    await sleep(500);
  }
}
