/** `kubeloom retry | cancel | pause | resume | rollback NAME`: verbs on a stored manifest. */
import { type Command, Option } from 'commander';
import type { ManifestAccepted } from '#contracts/api-bodies.ts';
import { type StageName, stageNames } from '#domain/plan.ts';
import { type CliClient, cliClient, type ManifestName, type PlanRequest } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { ofManifest } from '../find/find-manifest.ts';
import { reportAndWait } from '../follow/wait.ts';
import { printJson } from '../print/output.ts';
import { showPlan } from '../print/show-plan.ts';
import { type Consent, confirmPlan, consentOptions } from '../submission/confirm.ts';

interface VerbOptions extends Consent {
  readonly namespace: string;
  readonly wait?: boolean;
  readonly from?: StageName;
  readonly repair?: boolean;
  readonly to?: number;
  readonly plan?: boolean;
}

interface Verb {
  readonly name: string;
  readonly description: string;
  /** What has happened, for people. */
  readonly done: string;
  /** Help of `--wait`; verbs that neither start nor end a run have none. */
  readonly wait?: string;
  readonly from?: true;
  readonly repair?: true;
  readonly to?: true;
  /** The change is planned first, and confirmed when it removes anything. */
  plan?(options: VerbOptions): PlanRequest;
  ask(
    api: CliClient,
    key: ManifestName,
    options: VerbOptions & { readonly ifMatch?: string },
  ): Promise<ManifestAccepted>;
}

const verbs: readonly Verb[] = [
  {
    name: 'retry',
    description: 'retry what failed, from where it stopped',
    done: 'is being retried',
    wait: 'show progress until the run ends; exit 6 when it fails',
    from: true,
    plan: () => ({}),
    ask: (api, key, { from, ifMatch }) => api.retryManifest(key, { from }, { 'If-Match': ifMatch }),
  },
  {
    name: 'cancel',
    description: 'stop the run under way; a grow is undone, anything else stops where it is',
    done: 'is being cancelled',
    wait: 'show progress until it has stopped',
    ask: (api, key) => api.cancelManifest(key),
  },
  {
    name: 'pause',
    description: 'start no more runs; a run under way stops after its waypoint',
    done: 'is paused',
    ask: (api, key) => api.pauseManifest(key),
  },
  {
    name: 'resume',
    description: 'end a pause and start what waits',
    done: 'is resumed',
    wait: 'show progress until the run ends; exit 6 when it fails',
    plan: () => ({}),
    ask: (api, key, { ifMatch }) => api.resumeManifest(key, { 'If-Match': ifMatch }),
  },
  {
    name: 'drift',
    description: 'check for drift now; report or repair it as configured in the manifest',
    done: 'is checked for drift',
    wait: 'show progress until the check ends, then the drift that it found; exit 6 when a repair fails',
    repair: true,
    ask: (api, key, { repair }) => api.driftManifest(key, { repair }),
  },
  {
    name: 'rollback',
    description:
      'go back to the last generation that was done before the current one, or to another, as a new generation',
    done: 'goes back',
    wait: 'show progress until the run ends; exit 6 when it fails',
    to: true,
    plan: ({ to }) => ({ rollback: to ?? 'last' }),
    ask: (api, key, { to, ifMatch }) => api.rollbackManifest(key, { to }, { 'If-Match': ifMatch }),
  },
];

export function registerVerbs(program: Command): void {
  for (const verb of verbs) {
    const command = program
      .command(`${verb.name} <name>`)
      .description(verb.description)
      .option('-n, --namespace <namespace>', 'namespace of NAME', 'default');
    if (verb.from) {
      const from = new Option('--from <stage>', 'repeat this stage and those after it, also where they succeeded');
      command.addOption(from.choices(stageNames));
    }
    if (verb.repair) {
      command.option('--repair', 'repair drift, also where an earlier repair did not help');
      command.option('--no-repair', 'change nothing, whatever the manifest says');
    }
    if (verb.to) {
      command.option('--to <generation>', 'the generation to go back to', generationOf);
      command.option('--plan', 'only show the generation and the plan; changes nothing');
    }
    if (verb.plan) consentOptions(command);
    if (verb.wait) command.option('--wait', verb.wait);
    command.option('--json', 'answer as JSON').action(async (name: string, options: VerbOptions) => {
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

function generationOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CliError(
    `--to ${text}: write the number of a generation, as \`kubeloom history\` shows them`,
    exitCodes.usage,
  );
}

async function perform(verb: Verb, key: ManifestName, options: VerbOptions): Promise<number> {
  const api = cliClient();
  const json = options.json === true;
  if (options.plan) {
    const report = await api.planManifest(key, verb.plan?.(options));
    if (json) printJson(report);
    else showPlan(report);
    return report.faults.length > 0 ? exitCodes.invalid : exitCodes.ok;
  }
  const ready = verb.plan ? await confirmed(api, key, { verb, plan: verb.plan(options), options }) : options;
  const accepted = await verb.ask(api, key, ready);
  const done = ready.to === undefined ? verb.done : `${verb.done} to generation ${ready.to}`;
  const said = verb.name === 'pause' && !options.json ? { ...accepted, paused: false } : accepted;
  const code = await reportAndWait(api, key, said, { ...options, done });
  // A cancelled run ends as failed: that is what the user asked for.
  return verb.name === 'cancel' && !accepted.paused ? exitCodes.ok : code;
}
