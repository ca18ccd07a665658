/** `kubeloom scale NAME POOL=5` and `kubeloom replace NAME NODE`: what is asked of clusters apart from their manifest. */
import type { Command } from 'commander';
import type { ManifestAccepted } from '#contracts/api-bodies.ts';
import { type CliClient, cliClient, type ManifestName } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { ofManifest } from '../find/find-manifest.ts';
import { reportAndWait } from '../follow/wait.ts';
import { jsonOption, namespaceOf } from '../options.ts';

interface Options {
  readonly namespace: string;
  readonly cluster?: string;
  readonly because?: string;
  readonly undo?: boolean;
  readonly wait?: boolean;
  readonly json?: boolean;
}

export function registerDemand(program: Command): void {
  const command = (words: string, description: string) =>
    program.command(words).description(description).addOption(namespaceOf());
  const last = (one: Command) =>
    one.option('--wait', 'show progress until the run ends; exit 6 or 10 to 15 when it fails').addOption(jsonOption());

  last(
    command(
      'scale <name> <size...>',
      'set sizes of machine groups, or of autoscaled pools within their bounds, as POOL=NUMBER',
    ).option('--cluster <cluster>', 'the cluster, if several clusters use the pools'),
  ).action(async (name: string, texts: readonly string[], options: Options) => {
    const sizes = Object.fromEntries(texts.map(sizeOf));
    const body = { sizes, ...(options.cluster !== undefined && { cluster: options.cluster }) };
    await perform(name, options, { done: 'is scaled', ask: (api, key) => api.scaleManifest(key, body) });
  });

  last(
    command('replace <name> <node...>', 'replace nodes; their replacements are created first')
      .option('--because <text>', 'the reason, shown in events and `describe`')
      .option('--undo', 'cancel the replacement, if the removal of the nodes has not started'),
  ).action(async (name: string, nodes: string[], options: Options) => {
    const { because, undo } = options;
    const body = { nodes, ...(because !== undefined && { because }), ...(undo && { undo }) };
    const done = undo ? 'keeps these nodes' : 'gets other nodes';
    await perform(name, options, { done, ask: (api, key) => api.replaceNodes(key, body) });
  });
}

/** `web=5` */
function sizeOf(text: string): readonly [pool: string, count: number] {
  const [, pool = '', count] = /^([^=]+)=(\d{1,3})$/.exec(text) ?? [];
  // A group in a group: its machines have the path with `-`.
  if (count !== undefined) return [pool.replaceAll('/', '-'), Number(count)];
  throw new CliError(`${text}: write the name of a pool and a number of nodes, as in web=5`, exitCodes.usage);
}

interface Intent {
  /** What has happened, for people. */
  readonly done: string;
  ask(api: CliClient, key: ManifestName): Promise<ManifestAccepted>;
}

async function perform(name: string, options: Options, { done, ask }: Intent): Promise<void> {
  const api = cliClient();
  process.exitCode = await ofManifest(api, { name, ...options }, async (key) =>
    reportAndWait(api, key, await ask(api, key), { ...options, done }),
  );
}
