/** The interfaces to everything outside of the program; those of manifests, clusters, budgets and proposed plans are in `manifest-store.ts`, `cluster-stores.ts`, `budget-store.ts` and `waiting-plan-store.ts`, those of builds in `build-ports.ts`. Adapters implement them on AWS; fakes in test/ pass the same contract suites. */
import type { Config } from '#contracts/config.ts';
import type { GitSourceKey, GitSourceRecord } from '#contracts/git-sources.ts';
import type { InventoryKey, InventoryRecord } from '#contracts/inventory.ts';
import type { NotificationKey, NotificationRecord } from '#contracts/notifications.ts';
import type { ManifestKey, NewEvent, RunEvent, RunRecord, StoredEvent } from '#contracts/records.ts';
import type { RollOutClaims, RollOutKey, RollOutRecord } from '#contracts/roll-outs.ts';
import type { AskRunnerInput, RollOutInput, StateError } from '#contracts/state-inputs.ts';
import type { RoleBinding } from '#domain/manifest/role-binding.ts';
import type { NotificationMessage } from '#domain/notifications/messages.ts';
import type { DeliveryOutcome } from '#domain/notifications/next-status.ts';
import type { BudgetStore } from './budget-store.ts';
import type { BuildGrants, BuildSessions, Builds } from './build-ports.ts';
import type { AgentReportStore, ClusterStore, DemandStore } from './cluster-stores.ts';
import type { Mail } from './mail-port.ts';
import type { ManifestStore } from './manifest-store.ts';
import type { Page } from './page.ts';
import type { WaitingPlanStore } from './waiting-plan-store.ts';

/** How many machines the whole installation replaces on its own in an hour; an hour is named by its beginning, ISO 8601. */
export interface RepairBudget {
  spent(hour: string): Promise<number>;
  /** Takes one of at most `most`. False when none is left, or when too many others take one at this moment. */
  take(hour: string, most: number): Promise<boolean>;
}

export interface RunStore {
  get(key: ManifestKey, runId: string): Promise<RunRecord | undefined>;
  put(record: RunRecord): Promise<void>;
  /** Newest first. */
  list(key: ManifestKey, limit: number, next?: string): Promise<Page<RunRecord>>;
}

export interface EventStore {
  /** Appends in order; an event that is there already is kept once. */
  append(key: ManifestKey, events: readonly NewEvent[]): Promise<void>;
  /** Unless one was appended under this mark. Of several at once more than one may be there. */
  appendOnce(key: ManifestKey, mark: string, event: NewEvent): Promise<void>;
  /** Oldest first, those after the cursor, or from a time on (ISO 8601, UTC, with ms). `next` is given as soon as there was any event: a follower continues there. */
  list(key: ManifestKey, limit: number, next?: string): Promise<Page<StoredEvent>>;
}

/** An event with the manifest that it is about, and its place among the events of all manifests. */
export interface StoredFeedEvent {
  /** Grows with each event; a follower continues after it. */
  readonly id: string;
  readonly manifest: ManifestKey;
  readonly event: RunEvent;
}

export interface StoredFeedPage {
  readonly items: readonly StoredFeedEvent[];
  /** There are more events after the last one. */
  readonly more: boolean;
}

/** The events of all manifests, in one order that never changes: what is read once has nothing new before it. */
export interface EventFeed {
  /** Appends the events of a batch of the table's stream in its order, each once, however often the batch is delivered; with their ids. */
  take(batch: unknown): Promise<readonly StoredFeedEvent[]>;
  /** At most `most` events: after an id, from a time (ISO 8601) on, or from the oldest on. */
  read(from: { readonly after?: string; readonly since?: string }, most: number): Promise<StoredFeedPage>;
  /** The same in the other direction: at most so many before an id, or the newest; those that happened from a time on, and some before it. */
  readBack(from: { readonly before?: string; readonly since?: string }, most: number): Promise<StoredFeedPage>;
}

/** Where others subscribe to events. */
export interface EventBus {
  /** At least once each. Throws when the bus does not take one. Does nothing in an installation without a bus. */
  publish(events: readonly StoredFeedEvent[]): Promise<void>;
}

/** `length` bytes from the offset `from` on. */
export interface BytePiece {
  readonly from: number;
  readonly length: number;
}

/** Documents too large for a table, and what tools leave: waypoints, results, logs, kubeconfigs. */
export interface Artifacts {
  getText(key: string): Promise<string | undefined>;
  putText(key: string, text: string, contentType?: string): Promise<void>;
  /** Returns false, and changes nothing, when there is one: of several at once, one gets true. */
  createText(key: string, text: string, contentType?: string): Promise<boolean>;
  /** With a `piece`: the part of it that exists; empty after the end. */
  getBytes(key: string, piece?: BytePiece): Promise<Uint8Array | undefined>;
  putBytes(key: string, bytes: Uint8Array): Promise<void>;
  list(prefix: string): Promise<readonly { readonly key: string; readonly size: number }[]>;
  remove(key: string): Promise<void>;
  removeAll(prefix: string): Promise<void>;
}

export interface Workflows {
  /** Starts `reconcile-manifest` under `runId` as name. Starting it again with the same input is fine. Returns the execution ARN. */
  startReconcile(runId: string, input: { namespace: string; name: string }): Promise<string>;
  /** Starts `roll-out` under this name; as `startReconcile`. */
  startRollOut(name: string, input: RollOutInput): Promise<string>;
  /** Has the build of a question started; the same job within five minutes is the same build. Returns its id. Throws `ServiceUnavailable` when none can be started. */
  askRunner(input: AskRunnerInput): Promise<string>;
  /** RUNNING, SUCCEEDED, FAILED, TIMED_OUT, ABORTED; undefined when it does not exist. */
  status(executionArn: string): Promise<string | undefined>;
  /** The same of the execution of `reconcile-manifest` of this run: undefined when it was never started, or ended 90 days ago. */
  statusOfRun(runId: string): Promise<string | undefined>;
  /** Error and cause of an execution that failed; undefined for every other. */
  fault(executionArn: string): Promise<StateError | undefined>;
  /** Stops it with its children; no error when it has ended. */
  stop(executionArn: string, cause: string): Promise<void>;
}

/** Secrets of users (`namespace/name`) and of the product (SSH keys), encrypted at rest; only runners read values. */
export interface SecretStore {
  exists(path: string): Promise<boolean>;
  get(path: string): Promise<Readonly<Record<string, string>> | undefined>;
  put(path: string, values: Readonly<Record<string, string>>): Promise<void>;
  /** Returns false, and changes nothing, when there is one. */
  create(path: string, values: Readonly<Record<string, string>>): Promise<boolean>;
  remove(path: string): Promise<void>;
  /** Paths below a prefix, no values. */
  list(prefix: string): Promise<readonly string[]>;
}

/** TemplateGitReference documents. */
export interface TemplateReferenceStore {
  get(namespace: string, name: string): Promise<unknown>;
  put(namespace: string, name: string, document: unknown): Promise<void>;
  remove(namespace: string, name: string): Promise<void>;
  list(namespace: string): Promise<readonly string[]>;
}

/** Documents of inventories. */
export interface InventoryStore {
  /** Undefined if it does not exist. */
  get(key: InventoryKey): Promise<InventoryRecord | undefined>;
  /** All documents of a namespace, by kind and name, as they are now. @param kind @default all kinds */
  list(namespace: string, kind?: InventoryKey['kind']): Promise<readonly InventoryRecord[]>;
  /** Throws `VersionConflict` unless the stored one is one generation older; for generation 1: if any is stored. */
  put(record: InventoryRecord): Promise<void>;
  /** It may be gone already. */
  remove(key: InventoryKey): Promise<void>;
}

export interface RollOutStore {
  /** Undefined if it does not exist. */
  get(key: RollOutKey): Promise<RollOutRecord | undefined>;
  /** Those of a namespace, newest first. */
  list(namespace: string, limit: number): Promise<readonly RollOutRecord[]>;
  /** Throws `VersionConflict` unless the stored one is one version older; for version 1: if any is stored. */
  put(record: RollOutRecord): Promise<void>;
  /** Those that are Running and were not written since `before` (ISO 8601), the oldest first. One that cannot be read is left out. */
  quiet(before: string, limit: number): Promise<readonly RollOutRecord[]>;
  /** Those that are Halted, of all namespaces, the last one first. One that cannot be read, or that an older release stored, is left out. */
  halted(limit: number): Promise<readonly RollOutRecord[]>;
  /** Version 0 and no claims if nothing is stored. */
  claims(namespace: string): Promise<RollOutClaims>;
  /** Throws `VersionConflict` as `put`. */
  putClaims(claims: RollOutClaims): Promise<void>;
}

/** GitSources. */
export interface GitSourceStore {
  /** Undefined if it does not exist. */
  get(key: GitSourceKey): Promise<GitSourceRecord | undefined>;
  /** Those of a namespace, or all, by namespace and name. One that cannot be read is left out. */
  list(namespace?: string): Promise<readonly GitSourceRecord[]>;
  /** Throws `VersionConflict` unless the stored one is one version older; for version 1: if any is stored. */
  put(record: GitSourceRecord): Promise<void>;
  /** It may be gone already. */
  remove(key: GitSourceKey): Promise<void>;
  /** Those whose `dueAt` is not after `now`, oldest first. One that cannot be read is left out. */
  due(now: string, limit: number): Promise<readonly GitSourceRecord[]>;
}

/** Notifications. */
export interface NotificationStore {
  /** Undefined if it does not exist. */
  get(key: NotificationKey): Promise<NotificationRecord | undefined>;
  /** Those of a namespace, or all, by namespace and name. One that cannot be read is left out. */
  list(namespace?: string): Promise<readonly NotificationRecord[]>;
  /** Throws `VersionConflict` unless the stored one is one version older; for version 1: if any is stored. */
  put(record: NotificationRecord): Promise<void>;
  /** It may be gone already. */
  remove(key: NotificationKey): Promise<void>;
}

/** RoleBinding documents. What `list` answers may be some seconds old. */
export interface RoleBindingStore {
  list(): Promise<readonly RoleBinding[]>;
  put(binding: RoleBinding): Promise<void>;
  /** Throws `NotFound`. */
  remove(name: string): Promise<void>;
}

/** The commit that a branch or tag of a git repository names now, or why it is not known. */
export type ResolvedTemplates = { readonly commit: string } | { readonly reason: string; readonly fix: string };

export type RepositoryDocument = 'TemplateGitReference' | 'GitSource' | 'plugin';

/** Repositories of git. */
export interface TemplateSources {
  /** The commit that a branch, tag or hash names. Never throws: a fault is for the author of what names it. @default TemplateGitReference */
  resolve(url: string, revision: string, document?: RepositoryDocument): Promise<ResolvedTemplates>;
}

/** A message to a receiver that a user named. */
export interface SentMessage {
  readonly url: string;
  /** `whsec_` and base64; absent: it is not signed. */
  readonly signingKey?: string | undefined;
  /** The same for each attempt. */
  readonly id: string;
  /** ISO 8601. */
  readonly sentAt: string;
  readonly message: NotificationMessage;
}

/** Where notifications go: addresses on the public internet. */
export interface Receivers {
  /** One attempt; it follows no redirect. Never throws: what was wrong is for the author of the Notification. */
  send(message: SentMessage): Promise<DeliveryOutcome>;
}

export interface Clock {
  now(): Date;
}

/** Random lower-case letters and digits for names. */
export interface Ids {
  hash(length: number): string;
}

export interface Deps {
  readonly manifests: ManifestStore;
  readonly clusters: ClusterStore;
  readonly demands: DemandStore;
  readonly agentReports: AgentReportStore;
  readonly repairBudget: RepairBudget;
  readonly runs: RunStore;
  readonly events: EventStore;
  readonly feed: EventFeed;
  readonly bus: EventBus;
  readonly artifacts: Artifacts;
  readonly workflows: Workflows;
  readonly builds: Builds;
  readonly buildGrants: BuildGrants;
  readonly buildSessions: BuildSessions;
  readonly secrets: SecretStore;
  readonly templateReferences: TemplateReferenceStore;
  readonly inventory: InventoryStore;
  readonly rollOuts: RollOutStore;
  readonly gitSources: GitSourceStore;
  readonly notifications: NotificationStore;
  readonly waitingPlans: WaitingPlanStore;
  readonly budgets: BudgetStore;
  readonly roleBindings: RoleBindingStore;
  readonly templateSources: TemplateSources;
  readonly receivers: Receivers;
  readonly mail: Mail;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: Config;
}

/** Ports whose methods need no right in AWS: what this process has, git repositories and receivers of notifications over HTTPS. */
export type FreePort = 'clock' | 'ids' | 'config' | 'templateSources' | 'receivers';
type AwsPort = Exclude<keyof Deps, FreePort>;

/** `port.method` (`manifests.get`): what the role of a function or runner in AWS has to allow. */
export type PortUse = { [Port in AwsPort]: `${Port}.${keyof Deps[Port] & string}` }[AwsPort];

type MethodOf<Use, Port extends string> = Use extends `${Port}.${infer Method}` ? Method : never;

/**
 * The ports with these methods and no others: a call of a method that is not declared does not compile, under whatever
 * name the port is passed on. `Deps` itself is for composition (`wire.ts`), fakes and what only passes it on.
 */
export type Using<Use extends PortUse | FreePort> = Pick<Deps, Extract<Use, FreePort>> & {
  readonly [Port in Use extends `${infer Name extends AwsPort}.${string}` ? Name : never]: Pick<
    Deps[Port],
    MethodOf<Use, Port> & keyof Deps[Port]
  >;
};
