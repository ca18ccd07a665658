/** The one DynamoDB table: its schema and every key in it. Change a key and stored items are lost: that needs a migration. */
import type { GitSourceKey } from '#contracts/git-sources.ts';
import { hasEnded } from '#contracts/has-ended.ts';
import type { InventoryKey } from '#contracts/inventory.ts';
import type { NotificationKey } from '#contracts/notifications.ts';
import type { ManifestKey, ManifestStatus } from '#contracts/records.ts';
import type { RollOutKey } from '#contracts/roll-outs.ts';
import type { PlansOf, WaitingPlanKey } from '../waiting-plan-store.ts';

/**
 * | item            | pk                       | sk                      | `due` index               |
 * |-----------------|--------------------------|-------------------------|---------------------------|
 * | head of a manifest | `MANIFESTS`           | `<ns>#<name>`           | `MANIFESTS` or `CHECKS`, `dueAt` |
 * | document        | `MANIFEST#<ns>#<name>`   | `DOCUMENT#<generation>` |                           |
 * | cluster         | `MANIFEST#<ns>#<name>`   | `CLUSTER#<cluster>`     |                           |
 * | demand          | `MANIFEST#<ns>#<name>`   | `DEMAND#<cluster>`      |                           |
 * | report of an agent | `MANIFEST#<ns>#<name>` | `AGENT#<cluster>`       |                           |
 * | run             | `MANIFEST#<ns>#<name>`   | `RUN#<run id>`          | `RUNS#<ns>#<name>`, queued |
 * | event           | `EVENTS#<ns>#<name>`     | `<time>#<place>#<hash>` |                           |
 * | mark of a reading | `READINGS#<ns>#<name>` | `<hour>#<reader>#<thing>` |                         |
 * | events of all   | `FEED`                   | `<position>`            |                           |
 * | repairs         | `REPAIRS`                | `<hour>`                |                           |
 * | template ref.   | `TEMPLATES#<ns>`         | `<name>`                |                           |
 * | inventory       | `INVENTORY#<ns>`         | `<kind>#<name>`         |                           |
 * | roll-out        | `ROLLOUTS#<ns>`          | `ROLLOUT#<id>`          | `ROLLOUTS`, last write    |
 * | their clusters  | `ROLLOUTS#<ns>`          | `CLAIMS`                |                           |
 * | git source      | `GITSOURCES`             | `<ns>#<name>`           | `GITSOURCES`, `dueAt`     |
 * | notification    | `NOTIFICATIONS`          | `<ns>#<name>`           |                           |
 * | role binding    | `ROLES`                  | `<name>`                |                           |
 * | credentials of a build | `BUILD#<build>`   | `CREDENTIALS`           |                           |
 * | budget          | `BUDGETS`                | `<ns>` or `*`           |                           |
 * | waiting plan    | `PLANS`                  | `<ns>#<name>#<id>`      |                           |
 * | DNS name in use | `NAMES`                  | `<name>`                |                           |
 *
 * All heads share one partition: listing them is one consistent query, and a thousand writes a second is far away. Documents are not
 * among them: an item is read and paid for as a whole, whatever a query asks of it.
 */
export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Keys only: what is found there is read from the table. */
  dueIndex: { name: 'due', partitionKey: 'duePartition', sortKey: 'dueAt' },
  /** Epoch seconds after which DynamoDB removes runs and events. */
  timeToLive: 'expireAt',
} as const;

export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** Partition of the `due` index that holds manifests the scheduler has to handle. */
export const dueManifests = 'MANIFESTS';

/** Partition for those whose run has ended, to be checked or retried: however many wait, they delay no other. */
export const dueChecks = 'CHECKS';

/** A manifest that is done is due only for a check, one that failed for a retry. */
export const partitionOf = (status: ManifestStatus): string => (hasEnded({ status }) ? dueChecks : dueManifests);

export const manifestItem = (key: ManifestKey): ItemKey => ({ pk: 'MANIFESTS', sk: `${key.namespace}#${key.name}` });

/** Sort key prefix of one namespace's manifests. */
export const manifestsOf = (namespace: string): string => `${namespace}#`;

export const manifestPartition = (key: ManifestKey): string => `MANIFEST#${key.namespace}#${key.name}`;

export const clusterItem = (key: ManifestKey, cluster: string): ItemKey => ({
  pk: manifestPartition(key),
  sk: `CLUSTER#${cluster}`,
});

/** Sort key prefix of what is asked of the clusters of a manifest. */
export const demandsOf = 'DEMAND#';

export const demandItem = (key: ManifestKey, cluster: string): ItemKey => ({
  pk: manifestPartition(key),
  sk: `${demandsOf}${cluster}`,
});

/** What the agent of a cluster reported last. */
export const agentItem = (key: ManifestKey, cluster: string): ItemKey => ({
  pk: manifestPartition(key),
  sk: `AGENT#${cluster}`,
});

/** What was replaced in the whole installation in one hour. */
export const repairHourItem = (hour: string): ItemKey => ({ pk: 'REPAIRS', sk: hour });

/** Sort key prefix of the documents of generations. */
export const documentsOf = 'DOCUMENT#';

/** The document of a generation. */
export const documentItem = (key: ManifestKey, generation: number): ItemKey => ({
  pk: manifestPartition(key),
  sk: `${documentsOf}${generation}`,
});

/** Key of the item of a document. */
export const generationOf = ({ sk }: { readonly sk?: unknown }): number => Number(String(sk).slice(documentsOf.length));

export const runItem = (key: ManifestKey, runId: string): ItemKey => ({
  pk: manifestPartition(key),
  sk: `RUN#${runId}`,
});

/** Partition of the `due` index that orders the runs of a manifest by the time they were queued. */
export const runsByTime = (key: ManifestKey): string => `RUNS#${key.namespace}#${key.name}`;

/** Beginning of the partitions of events: the stream of the table is read for nothing else. */
export const eventPartitions = 'EVENTS#';

export const eventPartition = (key: ManifestKey): string => `${eventPartitions}${key.namespace}#${key.name}`;

/** Someone's reading of something in one hour is an event already. */
export const readingItem = ({ namespace, name }: ManifestKey, mark: string): ItemKey => ({
  pk: `READINGS#${namespace}#${name}`,
  sk: mark,
});

/** Undefined for every other partition. */
export function manifestOfEvents(partition: string): ManifestKey | undefined {
  const [, namespace, name] = /^EVENTS#([^#]+)#([^#]+)$/.exec(partition) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** Partition of the events of all manifests, in the order in which the stream of the table brought them. */
export const feedPartition = 'FEED';

export const feedItem = (position: number): ItemKey => ({ pk: feedPartition, sk: String(position).padStart(16, '0') });

export const templateItem = (namespace: string, name: string): ItemKey => ({ pk: `TEMPLATES#${namespace}`, sk: name });

/** A document of an inventory; a template has its version in its name. */
export const inventoryItem = ({ namespace, kind, name }: InventoryKey): ItemKey => ({
  pk: `INVENTORY#${namespace}`,
  sk: `${kind}#${name}`,
});

/** Sort key prefix of the roll-outs of a namespace. */
export const rollOutsOf = 'ROLLOUT#';

export const rollOutItem = ({ namespace, id }: RollOutKey): ItemKey => ({
  pk: `ROLLOUTS#${namespace}`,
  sk: `${rollOutsOf}${id}`,
});

/** Partition of the `due` index that holds roll-outs that are Running, by the time at which they were written last. */
export const runningRollOuts = 'ROLLOUTS';

/** The same for those that halted, of all namespaces. */
export const haltedRollOuts = 'ROLLOUTS#HALTED';

/** Which roll-out touches which clusters. */
export const rollOutClaimsItem = (namespace: string): ItemKey => ({ pk: `ROLLOUTS#${namespace}`, sk: 'CLAIMS' });

/** Partition of all GitSources, in the table and in the `due` index. */
export const gitSources = 'GITSOURCES';

export const gitSourceItem = (key: GitSourceKey): ItemKey => ({ pk: gitSources, sk: `${key.namespace}#${key.name}` });

/** Partition of all Notifications. */
export const notifications = 'NOTIFICATIONS';

export const notificationItem = (key: NotificationKey): ItemKey => ({
  pk: notifications,
  sk: `${key.namespace}#${key.name}`,
});

/** Partition of all plans that wait for an approval. */
export const waitingPlans = 'PLANS';

/** Sort key prefix of those of a namespace, or of a manifest. */
export const waitingPlansOf = ({ namespace, name }: PlansOf): string =>
  name === undefined ? `${namespace}#` : `${namespace}#${name}#`;

export const waitingPlanItem = (key: WaitingPlanKey): ItemKey => ({
  pk: waitingPlans,
  sk: `${waitingPlansOf(key)}${key.id}`,
});

/** Which manifest has a DNS name. */
export const nameItem = (name: string): ItemKey => ({ pk: 'NAMES', sk: name });

/** What serialises what is accepted within the budget of a namespace, or of the installation (`*`). */
export const budgetItem = (of: string): ItemKey => ({ pk: 'BUDGETS', sk: of });

/** Which token got the credentials of a build. */
export const buildGrantItem = (build: string): ItemKey => ({ pk: `BUILD#${build}`, sk: 'CREDENTIALS' });

/** Partition of all role bindings. */
export const roleBindings = 'ROLES';

export const roleBindingItem = (name: string): ItemKey => ({ pk: roleBindings, sk: name });
