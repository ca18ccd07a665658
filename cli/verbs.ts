/** The verbs on a stored manifest: a row is a command. Loaded with every start, so that the words of commands need no second list. */
import type { ManifestAccepted } from '#contracts/api-bodies.ts';
import type { StageName } from '#domain/plan.ts';
import type { CliClient, ManifestName, PlanRequest } from './connection/api-client.ts';
import type { Consent } from './submission/confirm.ts';

export interface VerbOptions extends Consent {
  readonly namespace: string;
  readonly wait?: boolean;
  readonly from?: StageName;
  readonly debug?: boolean;
  readonly repair?: boolean;
  readonly to?: number;
  readonly plan?: boolean;
}

export interface Verb {
  readonly name: string;
  readonly description: string;
  /** What its help shows, without `kubeloom` and the name. */
  readonly examples: readonly [string, string, ...string[]];
  /** What has happened, for people. */
  readonly done: string;
  /** Help of `--wait`; verbs that neither start nor end a run have none. */
  readonly wait?: string;
  readonly from?: true;
  readonly debug?: true;
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

export const verbs: readonly Verb[] = [
  {
    name: 'retry',
    description: 'retry what failed, from where it stopped',
    examples: ['shop --wait', 'shop --from kubernetes', 'shop --debug --wait'],
    done: 'is being retried',
    wait: 'show progress until the run ends; exit 6 or 10 to 15 when it fails',
    from: true,
    debug: true,
    plan: () => ({}),
    ask: (api, key, { from, debug, ifMatch }) => api.retryManifest(key, { from, debug }, { 'If-Match': ifMatch }),
  },
  {
    name: 'cancel',
    description: 'stop the run in progress; a grow is undone, all else stops where it is',
    examples: ['shop', 'shop --wait'],
    done: 'is being cancelled',
    wait: 'show progress until it has stopped',
    ask: (api, key) => api.cancelManifest(key),
  },
  {
    name: 'pause',
    description: 'start no more runs; a run in progress stops after its waypoint',
    examples: ['shop', 'team/shop'],
    done: 'is paused',
    ask: (api, key) => api.pauseManifest(key),
  },
  {
    name: 'resume',
    description: 'end a pause and start the waiting run',
    examples: ['shop', 'shop --wait'],
    done: 'is resumed',
    wait: 'show progress until the run ends; exit 6 or 10 to 15 when it fails',
    plan: () => ({}),
    ask: (api, key, { ifMatch }) => api.resumeManifest(key, { 'If-Match': ifMatch }),
  },
  {
    name: 'drift',
    description: 'check for drift now; report or repair it as configured in the manifest',
    examples: ['shop --wait', 'shop --repair --wait'],
    done: 'is checked for drift',
    wait: 'show progress until the check ends, then the drift that it found; exit 6 or 10 to 15 when a repair fails',
    repair: true,
    ask: (api, key, { repair }) => api.driftManifest(key, { repair }),
  },
  {
    name: 'rollback',
    description:
      'go back to the last successful generation before the current one, or to another one, as a new generation',
    examples: ['shop --wait', 'team/shop'],
    done: 'goes back',
    wait: 'show progress until the run ends; exit 6 or 10 to 15 when it fails',
    to: true,
    plan: ({ to }) => ({ rollback: to ?? 'last' }),
    ask: (api, key, { to, ifMatch }) => api.rollbackManifest(key, { to }, { 'If-Match': ifMatch }),
  },
];
