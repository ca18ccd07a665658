/** Every kind of event: types and docs/events.md (`node scripts/generate-event-docs.ts`) follow from it. What another version stored may have others. */
import type { EventKindRow, EventLevel } from './event-kind-row.ts';
import { toolEventKinds } from './tool-event-kinds.ts';

/** By what they are about. Events of a cluster name it; those of a stage, or of a tool that works for it, also name the stage. */
export const eventKinds = {
  manifest: {
    Requested: { level: 'info', when: 'a user requested a change; says who, and from where' },
    ScaleRequested: { level: 'info', when: 'sizes of autoscaled pools were requested; says by whom, and from where' },
    StateEditRequested: { level: 'info', when: 'an edit of a Terraform state was requested; says which, and by whom' },
    ReplacementRequested: { level: 'info', when: 'the replacement of nodes was requested; says why, and by whom' },
    PlanProposed: {
      level: 'info',
      when: 'a plan waits for an approval; says how much changes, and the command that approves it',
    },
    PlanBeyondBudget: { level: 'info', when: 'the same, because a budget requires it; says which' },
    PlanSuperseded: { level: 'info', when: 'a newer proposal of the same document took the place of a proposed plan' },
    PlanRejected: { level: 'info', when: 'an approver rejected a proposed plan; says why, and who' },
    PlanWithdrawn: { level: 'info', when: 'the author of a proposed plan withdrew it' },
    PlanWaits: {
      level: 'warning',
      when: 'a proposed plan waits for a decision for more than a day; then every week',
      fault: 'a user',
    },
    BehindInventory: {
      level: 'warning',
      when: 'for more than a day the inventory asks for something else than the manifest does; then every week',
      fault: 'a user',
    },
    CatalogueIgnored: {
      level: 'warning',
      when: 'what a cloud says it sells was asked with credentials of the manifest, and is not used; says why',
      fault: 'a service',
    },
    KubeconfigRead: {
      level: 'info',
      when: 'a user got the kubeconfig of the admin of a cluster; says who, and from where',
    },
    LogRead: {
      level: 'info',
      when: 'a user read logs of a run; says who, and from where; once an hour for each user and run',
    },
    StateRead: {
      level: 'info',
      when: 'a user read which resources Terraform knows of a cluster; says who, and from where',
    },
    SecretsListed: {
      level: 'info',
      when: 'a user listed the names of Secrets; says who, and from where; once an hour for each user and namespace',
    },
    RunStarted: { level: 'info', when: 'a run starts; says how many clusters have work' },
    RunSucceeded: { level: 'info', when: 'all clusters are as desired, or the drift check is done' },
    RunSuperseded: { level: 'info', when: 'the manifest was changed meanwhile; its newer generation follows' },
    RunPaused: { level: 'info', when: 'the manifest is paused; resume it to continue' },
    RunCancelled: { level: 'warning', when: 'a user cancelled the run' },
    RunFailed: {
      level: 'error',
      when: 'clusters are not as desired, or a request was undone',
      fault: 'see `StageFailed`',
    },
    TemplatesMoved: { level: 'warning', when: 'a reference names other templates than those in use; says why' },
    TemplatesTaken: { level: 'info', when: 'a run uses the templates that a reference names now' },
    TemplatesFailed: { level: 'error', when: 'moved templates failed; says what follows', fault: 'see `StageFailed`' },
    RetryScheduled: { level: 'info', when: 'a failed manifest will be retried automatically; says when' },
    RetriesUsedUp: {
      level: 'error',
      when: 'the automatic retries of a failed manifest are used up',
      fault: 'see `StageFailed`',
    },
    RunCutOff: { level: 'warning', when: 'its execution ended too early; says what follows', fault: 'platform' },
  },
  rollOut: {
    RollOutStarted: { level: 'info', when: 'a roll-out is started, resumed or undone; says by whom' },
    WaveStarted: { level: 'info', when: 'a wave starts; says which, and how many clusters it has' },
    WaveSoaks: { level: 'info', when: 'a wave is done and watched; says until when' },
    RollOutInterrupted: {
      level: 'warning',
      when: 'its execution ended early, as in a restart; another one continues it',
      fault: 'a run that was interrupted',
    },
    RollOutPaused: { level: 'info', when: 'it stopped before the next clusters, as a user requested' },
    RollOutHalted: {
      level: 'error',
      when: 'the limit of failed clusters is reached, or it cannot continue; says which clusters and why',
      fault: 'see `StageFailed`',
    },
    RollOutWaits: {
      level: 'warning',
      when: 'a roll-out is halted for more than a day; then every week',
      fault: 'a user',
    },
    RollOutEnded: { level: 'info', when: 'all of its clusters are done or undone, or a user cancelled the rest' },
  },
  cluster: {
    PlanMade: { level: 'info', when: 'the path to the desired state is planned; says how much changes' },
    WaypointStarted: { level: 'info', when: 'the stages of a waypoint start' },
    PlanExplained: { level: 'info', when: 'a waypoint starts: one sentence on what it changes' },
    WaypointReached: { level: 'info', when: 'the target of a waypoint is the current state' },
    RollbackStarted: { level: 'warning', when: 'a grow failed and is undone', fault: 'see `StageFailed`' },
    RolledBack: { level: 'error', when: 'a grow was undone; says what is left', fault: 'see `StageFailed`' },
    BackedOff: { level: 'warning', when: 'a waypoint continues after a pause', fault: 'see `StageFailed`' },
    WaitsForNodes: {
      level: 'warning',
      node: 'always',
      when: 'a waypoint pauses for nodes: says which, what holds them, since when, and for how long it waits',
      fault: 'a user, or pods',
    },
    RetriesEnded: { level: 'warning', when: 'a waypoint is no longer retried', fault: 'see `StageFailed`' },
    NeedsAttention: { level: 'error', when: 'a user has to retry or to change the manifest', fault: 'as it says' },
    ClusterFailed: { level: 'error', or: ['warning'], when: 'how its run failed, in three lines', fault: 'as it says' },
    AccessGiven: {
      level: 'info',
      when: 'a user got access to the cluster; says who, from where, in which role, until when',
    },
    CredentialsRefused: {
      level: 'error',
      when: 'something in a build asked for the credentials that its runner has; it got none',
      fault: 'a template, machine or cluster that runs commands in the build',
    },
    DemandMet: { level: 'info', when: 'a size or a replacement that was requested apart from the manifest is reached' },
    DemandDropped: {
      level: 'warning',
      when: 'its grow was undone: it is not retried until someone requests it again',
      fault: 'see `StageFailed`',
    },
    LeftBehind: { level: 'warning', when: 'the cluster was orphaned; lists what keeps running' },
    DriftChecked: { level: 'info', or: ['warning', 'error'], when: 'no drift was found in what could be checked' },
    DriftFound: { level: 'warning', or: ['error'], when: 'drift was found; says what follows', fault: 'outside' },
    DriftListed: { level: 'warning', node: 'sometimes', when: 'one difference that was found', fault: 'outside' },
    CertificatesEnd: {
      level: 'error',
      when: 'certificates end soon, and no check renews them: checks are off, or the manifest is paused; every week',
      fault: 'a user',
    },
    AgentSilent: {
      level: 'warning',
      when: 'the agent in the cluster has not reported for more than ten minutes, as a check finds it',
      fault: 'the cluster, or its way to the API',
    },
    DriftRepaired: { level: 'info', when: 'the check after a repair finds that it helped' },
    RepairDidNotHelp: { level: 'error', when: 'the check after a repair finds the same', fault: 'outside' },
    NodeUnhealthy: { level: 'warning', node: 'always', when: 'a check finds a node not ready, or its machine gone' },
    NoticeReceived: {
      level: 'warning',
      node: 'always',
      when: 'the agent reports what the cloud announced about the machine of a node',
    },
    NodeReplaced: { level: 'warning', node: 'always', when: 'an unhealthy node is replaced automatically; says why' },
    RepairRefused: {
      level: 'warning',
      node: 'always',
      when: 'an unhealthy node is not replaced; says why, and until when',
    },
    OutageSuspected: {
      level: 'error',
      when: 'half of a region is down at once, or 40 % of it where that is ten or more: nothing is replaced',
      fault: 'provider',
    },
    DriftCheckFailed: {
      level: 'warning',
      or: ['error'],
      when: 'a check failed; says whether it repeats',
      fault: 'as it says',
    },
  },
  stage: {
    StageStarted: { level: 'info', when: 'a try of a stage starts in its container' },
    UndoStarted: { level: 'info', when: 'a try to undo a stage starts in its container' },
    StageSucceeded: { level: 'info', node: 'sometimes', when: 'a stage is done; says in what time, and what it did' },
    StageUndone: { level: 'info', node: 'sometimes', when: 'a stage of a grow was undone' },
    StageRetried: { level: 'warning', node: 'sometimes', when: 'a failed stage is retried', fault: 'by its class' },
    WaitsForCapacity: {
      level: 'warning',
      node: 'sometimes',
      when: 'the account runs no more builds at once: the stage waits, hours at most, and starts when one is free',
      fault: 'a quota of AWS',
    },
    StageCancelled: { level: 'warning', node: 'sometimes', when: 'a stage was stopped, as a user requested' },
    StageFailed: { level: 'error', node: 'sometimes', when: 'a stage failed; says what to do', fault: 'by its class' },
  },
  tool: toolEventKinds,
} as const satisfies Readonly<Record<string, Readonly<Record<string, EventKindRow>>>>;

type Table = typeof eventKinds;
export type KindOf<Subject extends keyof Table> = keyof Table[Subject];
/** Values that the runner reports when it starts a stage. */
export type StageStart = Extract<KindOf<'stage'>, 'StageStarted' | 'UndoStarted'>;
export type EventKind = { [Subject in keyof Table]: KindOf<Subject> }[keyof Table];
type RowOf<Kind> = {
  [Subject in keyof Table]: Kind extends KindOf<Subject> ? Table[Subject][Kind] : never;
}[keyof Table];

type LevelOf<Row extends EventKindRow> = Row['level'] | (Row extends { or: readonly (infer Other)[] } ? Other : never);
type NodeOf<Row> = Row extends { readonly node: 'always' }
  ? { readonly node: string }
  : Row extends { readonly node: 'sometimes' }
    ? { readonly node?: string }
    : { readonly node?: never };

/** What is reported; its message is for people. */
export type Reported<Kind extends EventKind> = { [One in Kind]: EventOf<One, RowOf<One>> }[Kind];
type EventOf<Kind, Row extends EventKindRow> = {
  readonly kind: Kind;
  readonly level?: LevelOf<Row>;
  readonly message: string;
} & NodeOf<Row>;

const rows: Readonly<Record<EventKind, EventKindRow>> = {
  ...eventKinds.manifest,
  ...eventKinds.rollOut,
  ...eventKinds.cluster,
  ...eventKinds.stage,
  ...eventKinds.tool,
};

export function levelOf({ kind, level }: { readonly kind: EventKind; readonly level?: EventLevel }): EventLevel {
  return level ?? rows[kind].level;
}
