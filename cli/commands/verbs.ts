/** `kubeloom retry NAME` and the other verbs on a stored manifest. */
import { type Command, Option } from 'commander';
import { stageNames } from '#domain/plan.ts';
import { type CliClient, cliClient, type ManifestName, type PlanRequest } from '../connection/api-client.ts';
import { exitCodes } from '../exit-codes.ts';
import { ofManifest } from '../find/find-manifest.ts';
import { reportAndWait } from '../follow/wait.ts';
import { generationArgument, jsonOption, namespaceOf } from '../options.ts';
import { printJson } from '../print/output.ts';
import { isRefused } from '../print/refusals.ts';
import { showPlan } from '../print/show-plan.ts';
import { confirmPlan, consentOptions } from '../submission/confirm.ts';
import { type Verb, type VerbOptions, verbs } from '../verbs.ts';

export function registerVerbs(program: Command): void {
  for (const verb of verbs) {
    const command = program.command(`${verb.name} <name>`).description(verb.description).addOption(namespaceOf());
    if (verb.from) {
      const from = new Option('--from <stage>', 'repeat this stage and those after it, even if they succeeded');
      command.addOption(from.choices(stageNames));
    }
    if (verb.debug) command.option('--debug', 'let the tools of this run say more in their logs, masked as always');
    if (verb.repair) {
      command.option('--repair', 'repair drift, even if an earlier repair did not help');
      command.option('--no-repair', 'change nothing, whatever the manifest says');
    }
    if (verb.to) {
      command.option('--to <generation>', 'the generation to go back to', generationArgument);
      command.option('--plan', 'only show the generation and the plan; changes nothing');
    }
    // A check that may repair takes `--yes`, as all that may remove something; it does not ask.
    if (verb.plan || verb.repair) consentOptions(command);
    if (verb.wait) command.option('--wait', verb.wait);
    command.addOption(jsonOption()).action(async (name: string, options: VerbOptions) => {
      process.exitCode = await ofManifest(cliClient(), { name, ...options }, (key) => perform(verb, key, options));
    });
  }
}

interface Intent {
  readonly verb: Verb;
  readonly plan: PlanRequest;
  readonly options: VerbOptions;
}

/** The options with the confirmed version and the generation to go back to. */
async function confirmed(
  api: CliClient,
  key: ManifestName,
  { verb, plan, options }: Intent,
): Promise<VerbOptions & { readonly ifMatch?: string }> {
  const action = `${verb.name} ${key.namespace}/${key.name}`;
  const { etag, rollbackTo } = await confirmPlan(api, key, {
    plan,
    action,
    always: verb.to === true,
    consent: options,
  });
  return { ...options, ...(etag && { ifMatch: etag }), ...(rollbackTo !== undefined && { to: rollbackTo }) };
}

async function perform(verb: Verb, key: ManifestName, options: VerbOptions): Promise<number> {
  const api = cliClient();
  const json = options.json === true;
  if (options.plan) {
    const report = await api.planManifest(key, verb.plan?.(options));
    if (json) printJson(report);
    else showPlan(report);
    return isRefused(report) ? exitCodes.invalid : exitCodes.ok;
  }
  const ready = verb.plan ? await confirmed(api, key, { verb, plan: verb.plan(options), options }) : options;
  const accepted = await verb.ask(api, key, ready);
  const done = ready.to === undefined ? verb.done : `${verb.done} to generation ${ready.to}`;
  const answer = verb.name === 'pause' && !options.json ? { ...accepted, paused: false } : accepted;
  const code = await reportAndWait(api, key, answer, { ...options, done });
  // A cancelled run ends as failed: that is what the user asked for.
  return verb.name === 'cancel' && !accepted.paused ? exitCodes.ok : code;
}
