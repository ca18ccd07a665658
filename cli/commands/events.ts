/** `kubeloom events [NAME]`: what happened to a manifest or to all of them, and with -f what happens from now on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { type CliClient, cliClient, type ManifestName } from '../connection/api-client.ts';
import { whenMissing } from '../connection/api-problem.ts';
import { ofManifest } from '../find/find-manifest.ts';
import { type AllEventsOptions, allEvents } from '../follow/all-events.ts';
import { eventFeed } from '../follow/event-feed.ts';
import { shortName } from '../manifest-name.ts';
import { jsonOption } from '../options.ts';
import { eventLines } from '../print/event-lines.ts';
import { note, paint, print } from '../print/output.ts';

interface EventsOptions extends AllEventsOptions {
  readonly run?: string;
}

export function registerEvents(program: Command): void {
  program
    .command('events [name]')
    .description('show the events of a manifest, oldest first; without NAME, of all that you may see')
    .option('-n, --namespace <namespace>', 'namespace of NAME (default: "default"); without NAME: only this one')
    .option('-f, --follow', 'keep printing new events until Ctrl-C or until the manifest is deleted')
    .option('--run <run>', 'only this run')
    .addOption(jsonOption('one JSON object a line'))
    .addOption(
      new Option(
        '--since <time>',
        'from this time on (2026-11-23T08:00:00Z), 15m, 2h or 3d ago, or after the event with this id',
      ),
    )
    .addOption(new Option('--group <group>', 'only nodes of this pool or group, and of groups below it'))
    .addOption(new Option('--node <node>', 'only this node'))
    .addOption(new Option('--kind <kind...>', 'only these kinds; docs/events.md lists them'))
    .action(async (given: string | undefined, chosen: EventsOptions) => {
      const api = cliClient();
      if (given === undefined) return allEvents(api, chosen);
      const name: string = given;
      const options = { ...chosen, namespace: chosen.namespace ?? 'default' };
      const filtered = (['since', 'group', 'node', 'kind'] as const).some((option) => chosen[option] !== undefined);
      await ofManifest(api, { name, ...options }, async (key) => {
        if (!filtered) return events(api, key, options);
        // The feed shows nothing of a manifest that does not exist; this is refused.
        await api.listEvents(key);
        await allEvents(api, { ...chosen, namespace: key.namespace, manifest: key.name });
      });
    });
}

async function events(api: CliClient, key: ManifestName, options: EventsOptions): Promise<void> {
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
