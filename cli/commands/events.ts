/** `kubeloom events [NAME]`: what happened to a manifest or to all of them, and with -f what happens from now on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { type AllEventsOptions, allEvents } from '../all-events.ts';
import { type ApiClient, apiClient, type ManifestName } from '../api-client.ts';
import { whenMissing } from '../api-problem.ts';
import { eventFeed } from '../event-feed.ts';
import { eventLines } from '../event-lines.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { ofManifest } from '../find-manifest.ts';
import { shortName } from '../manifest-name.ts';
import { note, paint, print } from '../output.ts';

interface EventsOptions extends AllEventsOptions {
  readonly run?: string;
}

export function registerEvents(program: Command): void {
  program
    .command('events [name]')
    .description('what happened to a manifest, oldest first; without NAME: to all that you may see')
    .option('-n, --namespace <namespace>', 'namespace of NAME (default: "default"); without NAME: only this one')
    .option('-f, --follow', 'go on printing until Ctrl-C, or until the manifest is gone')
    .option('--run <run>', 'only this run')
    .option('--json', 'one JSON object a line')
    .addOption(
      ofAll(
        '--since <time>',
        'from this time on (2026-11-23T08:00:00Z), 15m, 2h or 3d ago, or behind the event with this id',
      ),
    )
    .addOption(ofAll('--group <group>', 'only nodes of this pool or group, and of groups below it'))
    .addOption(ofAll('--node <node>', 'only this node'))
    .addOption(ofAll('--kind <kind...>', 'only these kinds: docs/events.md'))
    .action(async (given: string | undefined, chosen: EventsOptions) => {
      const api = apiClient();
      if (given === undefined) return allEvents(api, chosen);
      const name: string = given;
      const options = { ...chosen, namespace: chosen.namespace ?? 'default' };
      const unused = (['since', 'group', 'node', 'kind'] as const).filter((option) => chosen[option] !== undefined);
      if (unused.length > 0)
        throw new CliError(`--${unused[0]} is for the events of all manifests: leave out NAME`, exitCodes.usage);
      await ofManifest(api, { name, ...options }, (key) => events(api, key, options));
    });
}

const ofAll = (flags: string, description: string): Option => new Option(flags, `without NAME: ${description}`);

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
