/** `kubeloom delete NAME`: deletes a manifest and everything that Kubeloom created for it, or orphans what cannot be deleted. */
import type { Command } from 'commander';
import { noTotals } from '#domain/planning/text/plan-totals.ts';
import { cliClient, type ManifestName } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { OnlyProposed, ofManifest, type ProposedManifest } from '../find/find-manifest.ts';
import { reportLeft, waitForRun } from '../follow/wait.ts';
import { parseManifestName, shortName } from '../manifest-name.ts';
import { jsonOption, namespaceOf } from '../options.ts';
import { print, printJson } from '../print/output.ts';
import { type Consent, confirm, confirmPlan, consentOptions } from '../submission/confirm.ts';

interface DeleteOptions extends Consent {
  readonly wait?: boolean;
  readonly namespace?: string;
  readonly orphan?: readonly string[];
}

export function registerDelete(program: Command): void {
  const command = program
    .command('delete <name>')
    .description('delete a manifest with its clusters, machines and networks')
    .addOption(namespaceOf())
    .option(
      '--orphan <node...>',
      'orphan these nodes: stop managing them instead of removing them; `all` orphans everything',
    )
    .option('--wait', 'show progress until all is gone; exit 6 or 10 to 15 when something could not be removed');
  consentOptions(command)
    .addOption(jsonOption())
    .action(async (name: string, options: DeleteOptions) => {
      const asked = parseManifestName(name, options.namespace);
      const removed = ofManifest(cliClient(), { name, ...options }, (key) => {
        if (key.name !== asked.name) throw onlyACluster(asked, key);
        return remove(key, options);
      });
      process.exitCode = await removed.catch((error: unknown) => {
        if (error instanceof OnlyProposed) return withdraw(error.manifest, options);
        throw error;
      });
    });
}

/** The name is that of a cluster, but its manifest may have other clusters, too. */
function onlyACluster(asked: ManifestName, owner: ManifestName): CliError {
  const way = `\`kubeloom delete ${shortName(owner)}\` deletes it with all clusters of the manifest; to delete one, apply the manifest without it`;
  return new CliError(`"${asked.name}" is a cluster of ${shortName(owner)}: ${way}`, exitCodes.usage);
}

/** Nothing of it exists: its plans can no longer be approved. */
async function withdraw({ namespace, name, id }: ProposedManifest, options: DeleteOptions): Promise<number> {
  const key = { namespace, name };
  const action = `end the proposal of ${shortName(key)}, which does not exist yet`;
  await confirm({ totals: noTotals, action, always: true }, options);
  const accepted = await cliClient().deleteManifest(key, {}, {});
  if (options.json) printJson({ accepted });
  else print(`${shortName(key)} was only proposed: plan ${id} can no longer be approved`);
  return exitCodes.ok;
}

async function remove(key: ManifestName, options: DeleteOptions): Promise<number> {
  const api = cliClient();
  const json = options.json === true;
  const orphans = orphansOf(options.orphan);
  const orphan = orphans.length > 0 ? orphans.join(',') : undefined;
  const action = `delete ${key.namespace}/${key.name}`;
  // With --orphan all nothing is removed; a manifest that cannot be read can be forgotten but not planned.
  const planned =
    orphan === 'all'
      ? await confirm({ totals: noTotals, action: `${action} and orphan all its nodes`, always: true }, options)
      : await confirmPlan(api, key, { action, plan: { delete: 'true', orphan }, always: true, consent: options });
  const accepted = await api.deleteManifest(key, { orphan }, { 'If-Match': planned?.etag ?? undefined });
  if (!json) {
    print(`${key.namespace}/${key.name} is being deleted: run ${accepted.runId}`);
    reportLeft(accepted.left);
  }
  if (!options.wait) {
    if (json) printJson({ accepted });
    return exitCodes.ok;
  }
  const { manifest, elapsedMs, code } = await waitForRun(api, key, accepted, { json, deleting: true });
  if (json)
    printJson({ accepted, deleted: manifest === undefined, manifest: manifest ?? null, elapsedMs, exitCode: code });
  return code;
}

/** `--orphan a b`, `--orphan a,b` and `--orphan all`. */
export function orphansOf(words: readonly string[] = []): readonly string[] {
  const names = words.flatMap((word) => word.split(',')).filter(Boolean);
  if (names.includes('all') && names.length > 1) {
    throw new CliError('--orphan all orphans everything: leave out the names of nodes', exitCodes.usage);
  }
  return names;
}
