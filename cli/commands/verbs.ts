/** `kubeloom retry | cancel | pause | resume | rollback NAME`: what a person can tell a manifest beside what it wishes for. */
import { type Command, Option } from 'commander';
import type { ManifestAccepted } from '#contracts/http.ts';
import { type StageName, stageNames } from '#domain/plan.ts';
import { type ApiClient, apiClient, type ManifestName } from '../api-client.ts';

import { parseManifestName } from '../manifest-name.ts';
import { printJson } from '../output.ts';
import { notStarted, tellAccepted, waitForRun } from '../wait.ts';

interface VerbOptions {
  readonly namespace: string;
  readonly wait?: boolean;
  readonly json?: boolean;
  readonly from?: StageName;
  readonly repair?: boolean;
}

interface Verb {
  readonly name: string;
  readonly description: string;
  /** What has happened, for people. */
  readonly done: string;
  /** Help of `--wait`; verbs that start and end nothing have none. */
  readonly wait?: string;
  readonly from?: true;
  readonly repair?: true;
  ask(api: ApiClient, key: ManifestName, options: VerbOptions): Promise<ManifestAccepted>;
}

const verbs: readonly Verb[] = [
  {
    name: 'retry',
    description: 'try again what failed, from where it stopped',
    done: 'is tried again',
    wait: 'show progress until the run ends; exit 6 when it fails',
    from: true,
    ask: (api, key, { from }) => api.retryManifest(key, from),
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
    description: 'start nothing any more; a run under way stops after its waypoint',
    done: 'is paused',
    ask: (api, key) => api.pauseManifest(key),
  },
  {
    name: 'resume',
    description: 'end a pause and start what waits',
    done: 'is resumed',
    wait: 'show progress until the run ends; exit 6 when it fails',
    ask: (api, key) => api.resumeManifest(key),
  },
  {
    name: 'drift',
    description: 'compare what stands with what was made; as the manifest says, it is told only or made again',
    done: 'is checked for drift',
    wait: 'show progress until the check ends, then what differs; exit 6 when a repair fails',
    repair: true,
    ask: (api, key, { repair }) => api.driftManifest(key, repair),
  },
  {
    name: 'rollback',
    description: 'go back to the document before, as a new generation',
    done: 'goes back to the document before',
    wait: 'show progress until the run ends; exit 6 when it fails',
    ask: (api, key) => api.rollbackManifest(key),
  },
];

export function registerVerbs(program: Command): void {
  for (const verb of verbs) {
    const command = program
      .command(`${verb.name} <name>`)
      .description(verb.description)
      .option('-n, --namespace <namespace>', 'namespace of NAME', 'default');
    if (verb.from) {
      const from = new Option(
        '--from <stage>',
        'do this stage and those behind it again, also where they had succeeded',
      );
      command.addOption(from.choices(stageNames));
    }
    if (verb.repair) {
      command.option('--repair', 'make again what differs, also where an earlier repair did not help');
      command.option('--no-repair', 'change nothing, whatever the manifest says');
    }
    if (verb.wait) command.option('--wait', verb.wait);
    command.option('--json', 'answer as JSON').action(async (name: string, options: VerbOptions) => {
      process.exitCode = await perform(verb, parseManifestName(name, options.namespace), options);
    });
  }
}

async function perform(verb: Verb, key: ManifestName, options: VerbOptions): Promise<number> {
  const api = apiClient();
  const json = options.json === true;
  const accepted = await verb.ask(api, key, options);
  if (!json) tellAccepted(key, verb.name === 'pause' ? { ...accepted, paused: false } : accepted, verb.done);
  if (!options.wait || accepted.paused) {
    if (json) printJson({ accepted });
    return options.wait ? notStarted(accepted) : 0;
  }
  const waited = await waitForRun(api, key, accepted, { json });
  if (json) printJson({ accepted, manifest: waited.manifest ?? null, elapsedMs: waited.elapsedMs });
  // A cancelled run has failed, as was asked for.
  return verb.name === 'cancel' ? 0 : waited.code;
}
