/** `kubeloom rollout`: roll-outs: apply changes of an inventory to its clusters, wave by wave. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import type { RollOutDescription, RollOutVerb } from '#contracts/roll-outs.ts';
import { type CliClient, cliClient } from '../connection/api-client.ts';
import { exitCodes } from '../exit-codes.ts';
import { commonExitCode, exitCodeOfFailure } from '../follow/exit-of-failure.ts';
import { whenInterrupted } from '../interrupt.ts';
import { jsonOption, namespaceOf } from '../options.ts';
import { note, paintStatus, print, printJson, printTable } from '../print/output.ts';
import { rollOutLines } from '../print/roll-out-lines.ts';
import { ago } from '../print/times.ts';
import { documentsOfNamespace } from '../submission/documents.ts';
import { planIn, printPlans, type RejectOptions, rejectOptions, reportRejected } from './approve.ts';

interface Options {
  readonly namespace: string;
  readonly json?: boolean;
  readonly wait?: boolean;
}

/** What a start may be given. */
export interface StartOptions extends Options {
  readonly file?: readonly string[];
  readonly plan?: string;
  readonly cluster?: readonly string[];
  readonly waves?: string;
  readonly soak?: string;
  readonly maxFailed?: string;
}

/** How often a roll-out is read with `--wait`. */
const readEveryMs = 1000;

export function registerRollOut(program: Command): void {
  const rollOut = program
    .command('rollout')
    .description('roll-outs: apply changes of an inventory to its clusters, wave by wave');
  const sub = (words: string, description: string): Command =>
    rollOut.command(words).description(description).addOption(namespaceOf('the inventory')).addOption(jsonOption());
  const waits = (command: Command): Command =>
    command.option('--wait', 'show progress until it ends, halts or is paused; exit 6 or 10 to 15 when it halts');
  waits(
    sub(
      'start',
      'apply the inventory to the clusters that are behind it; with -f, store documents and apply what they change',
    ),
  )
    .option('-f, --file <file...>', 'documents of the inventory, - for standard input')
    .option('--plan <id>', 'exactly the plan that `kubeloom inventory plan` printed')
    .option('--cluster <name...>', 'only these clusters')
    .option('--waves <waves>', 'how many clusters are done after each wave, as in 1,10%,100%')
    .option('--soak <time>', 'how long each wave is watched, as in 30m')
    .option('--max-failed <count>', 'halt when this many clusters have failed')
    .action(requestRollOut);
  sub('plans', 'roll-outs that were proposed, newest first').action(async ({ namespace, json }: Options) =>
    printPlans((await cliClient().listInventoryPlans({ namespace })).items, { json }),
  );
  rejectOptions(sub('reject', 'reject a proposed roll-out, or withdraw your own: it can no longer be started')).action(
    async ({ namespace, plan, reason, json }: RejectOptions) =>
      reportRejected(await cliClient().rejectInventoryPlan({ namespace, plan: planIn(plan) }, { reason }), { json }),
  );
  sub('list', 'the roll-outs of a namespace, newest first').action(list);
  sub('describe <id>', 'show the progress of a roll-out, and which clusters failed').action(describe);
  const verbs = {
    pause: 'stop before the next clusters',
    resume: 'continue; failed clusters are retried',
    undo: 'restore the previous documents of the changed clusters',
    cancel: 'stop; finished clusters keep the change',
  } as const satisfies Record<RollOutVerb, string>;
  for (const verb of ['pause', 'resume', 'undo', 'cancel'] as const)
    waits(sub(`${verb} <id>`, verbs[verb])).action((id: string, options: Options) => change(verb, id, options));
}

export async function requestRollOut(options: StartOptions): Promise<void> {
  const given = { namespace: options.namespace, verb: 'roll out' };
  const { documents, namespace } = await documentsOfNamespace(options.file, given);
  const { waves, soak, maxFailed, cluster, plan } = options;
  const api = cliClient();
  const query = {
    ...(waves && { waves }),
    ...(soak && { soak }),
    ...(maxFailed && { maxFailed }),
    ...(cluster && { clusters: cluster.join(',') }),
  };
  const headers = plan === undefined ? undefined : { 'Kubeloom-Plan': plan };
  const started = await api.startRollOut({ namespace }, { documents, query, headers });
  await finish(api, started, options, 'started');
}

async function list({ namespace, json }: Options): Promise<void> {
  const { items } = await cliClient().listRollOuts({ namespace });
  if (json) return printJson(items);
  if (items.length === 0) return print(`no roll-out in namespace ${namespace}`);
  printTable(
    ['ID', 'STATUS', 'DONE', 'FAILED', 'LEFT', 'STARTED', 'BY'],
    items.map(({ id, status, states, startedAt, startedBy }) => [
      ...[id, paintStatus(status), String((states.done ?? 0) + (states.undone ?? 0)), String(states.failed ?? 0)],
      ...[String((states.waiting ?? 0) + (states.running ?? 0)), ago(startedAt), startedBy],
    ]),
    { drop: ['BY', 'STARTED'] },
  );
}

async function describe(id: string, { namespace, json }: Options): Promise<void> {
  const found = await cliClient().getRollOut({ namespace, id });
  if (json) return printJson(found);
  for (const line of rollOutLines(found)) print(line);
}

async function change(verb: RollOutVerb, id: string, options: Options): Promise<void> {
  const api = cliClient();
  const changed = await api.changeRollOutState({ namespace: options.namespace, id, verb });
  const results = {
    pause: 'pauses before its next clusters',
    resume: 'resumed',
    undo: 'is undone',
    cancel: 'cancelled',
  };
  await finish(api, changed, options, results[verb]);
}

async function finish(api: CliClient, rollOut: RollOutDescription, options: Options, what: string): Promise<void> {
  const { json, wait } = options;
  if (!json) print(`roll-out ${rollOut.id} ${what}`);
  const end = wait ? await waitFor(api, rollOut, json === true) : rollOut;
  if (json) return printJson(end);
  if (wait || what === 'started') for (const line of rollOutLines(end)) print(line);
}

/** Shows each wave as it proceeds. */
async function waitFor(
  api: CliClient,
  { namespace, id }: RollOutDescription,
  quiet: boolean,
): Promise<RollOutDescription> {
  const forget = whenInterrupted(() =>
    note(`\nthe roll-out continues: kubeloom rollout describe ${id} -n ${namespace}`),
  );
  try {
    for (let last = ''; ; ) {
      const now = await api.getRollOut({ namespace, id });
      const line = now.waves.map(({ clusters, done }, wave) => `wave ${wave + 1}: ${done} of ${clusters}`).join('   ');
      if (!quiet && line !== last) note(line);
      last = line;
      if (now.status !== 'Running' && now.status !== 'Interrupted') {
        if (now.status === 'Halted') process.exitCode = await exitCodeOfHalt(api, now);
        return now;
      }
      await pause(readEveryMs);
    }
  } finally {
    forget();
  }
}

/** More failures than that have no common kind that is worth reading them for. */
const mostRead = 20;

/** The kind that its failed clusters have in common. */
async function exitCodeOfHalt(api: CliClient, { namespace, clusters }: RollOutDescription): Promise<number> {
  const failed = clusters.filter(({ state }) => state === 'failed');
  if (failed.length > mostRead) return exitCodes.runFailed;
  const codes = failed.map(async ({ name }) => {
    const manifest = await api.getManifest({ namespace, name }).catch(() => undefined);
    return manifest?.status === 'Failed' ? exitCodeOfFailure(manifest) : exitCodes.runFailed;
  });
  return commonExitCode(await Promise.all(codes)) || exitCodes.runFailed;
}
