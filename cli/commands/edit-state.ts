/** `kubeloom state rm | mv | import`: shows what an edit of a Terraform state does and leads to, then has it made by a run. */
import type { Command } from 'commander';
import { questionLimitMs } from '#contracts/job.ts';
import type { ReadState } from '#contracts/state-reading.ts';
import { type MeantEdit, meantEdit, type WantedChange } from '#domain/meant-edit.ts';
import { noTotals } from '#domain/planning/text/plan-totals.ts';
import { stateEditTexts, stateEditTitle } from '#domain/planning/text/state-edit-text.ts';
import type { StateEdit } from '#domain/state-edit.ts';
import { accessOutcome } from '../access/access-request.ts';
import { type CliClient, cliClient } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { type FoundCluster, findCluster } from '../find/find-cluster.ts';
import { reportAndWait } from '../follow/wait.ts';
import { jsonOption, manifestOption, namespaceOf } from '../options.ts';
import { print, printJson, printWrapped } from '../print/output.ts';
import { type Consent, canAsk, confirm, consentOptions } from '../submission/confirm.ts';

interface EditOptions extends Consent {
  readonly namespace: string;
  readonly manifest?: string;
  readonly workspace?: string;
  readonly plan?: boolean;
  readonly wait?: boolean;
}

export function registerStateEdits(state: Command): void {
  const command = (words: string, description: string): Command => {
    const one = state
      .command(words)
      .description(description)
      .addOption(namespaceOf('the manifest'))
      .addOption(manifestOption())
      .option(
        '--workspace <workspace>',
        'the Terraform state, as `kubeloom state list` shows it, if several are possible',
      )
      .option('--plan', 'only show what would be done')
      .option('--wait', 'show progress until the run ends; exit 6 or 10 to 15 when it fails');
    return consentOptions(one).addOption(jsonOption());
  };
  command(
    'rm <cluster> <address...>',
    'stop managing resources: they are removed from a Terraform state, and keep existing',
  ).action((cluster: string, addresses: readonly string[], options: EditOptions) =>
    edit(cluster, { kind: 'rm', addresses }, options),
  );
  command('mv <cluster> <from> <to>', 'give a resource another address in its Terraform state').action(
    (cluster: string, from: string, to: string, options: EditOptions) =>
      edit(cluster, { kind: 'mv', from, to }, options),
  );
  command(
    'import <cluster> <address> <id>',
    'manage a resource that exists, by the id that its provider gave it',
  ).action((cluster: string, address: string, id: string, options: EditOptions) =>
    edit(cluster, { kind: 'import', address, id }, options),
  );
}

async function edit(wanted: string, change: WantedChange, options: EditOptions): Promise<void> {
  const api = cliClient();
  const found = await findCluster(api, wanted, options);
  const { namespace, name } = found.owner;
  const place = { namespace, name, cluster: found.cluster };
  const planned = editOf(meantEdit(change, await knownStates(api, place), options.workspace));
  const title = stateEditTitle(planned);
  const texts = stateEditTexts(planned, await nodesOf(api, found));
  if (options.plan && options.json) return printJson({ ...planned, title, texts });
  if (!options.json && (options.plan || !options.yes)) show(title, texts);
  if (options.plan) return;
  await agree(`edit ${title}`, options);
  const accepted = await api.editState(place, planned);
  process.exitCode = await reportAndWait(api, { namespace, name }, accepted, {
    ...options,
    done: `gets an edit of ${title}`,
  });
}

/** Everything that is wrong with it, one fault a line. */
function editOf(meant: MeantEdit): StateEdit {
  if ('edit' in meant) return meant.edit;
  throw new CliError(`nothing was changed: ${meant.faults.join('\n')}`, exitCodes.invalid);
}

async function knownStates(api: CliClient, place: Parameters<CliClient['requestState']>[0]) {
  const { id } = await api.requestState(place, {});
  const look = () => api.getState({ ...place, id });
  const { workspaces }: ReadState = await accessOutcome(look, (answer) => answer.read, {
    limitMs: 2 * questionLimitMs.state,
  });
  return workspaces.map(({ resources, ...state }) => ({
    ...state,
    addresses: resources.map(({ address }) => address),
  }));
}

async function nodesOf(api: CliClient, { owner, cluster }: FoundCluster): Promise<ReadonlySet<string>> {
  const { clusters } = await api.getManifest({ namespace: owner.namespace, name: owner.name });
  const nodes = clusters.find((one) => one.cluster === cluster)?.nodes ?? [];
  return new Set(nodes.map(({ name }) => name));
}

function show(title: string, texts: readonly string[]): void {
  print(title);
  for (const text of texts) printWrapped(`  · ${text}`, 4);
}

/** A state that is wrong makes and deletes machines later: each edit is confirmed. */
async function agree(action: string, options: EditOptions): Promise<void> {
  if (options.yes) return;
  if (!canAsk(options))
    throw new CliError(
      'nothing was changed: there is no terminal for a confirmation; read what would be done with --plan, then add --yes',
      exitCodes.unconfirmed,
    );
  await confirm({ totals: noTotals, action, always: true, removes: 'the next runs follow the edited state' }, options);
}
