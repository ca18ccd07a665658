/** What each function may touch of what is stored: the table that its role in AWS is made of, and that tests hold it to. */
import type { PortUse } from '../ports.ts';
import { type Bounds, prefixesOf, type RunnerTool } from './runner-rights.ts';
import { actionsOf, functionUses } from './uses.ts';

/** Partition keys of the table and of its index, by port. All are prefixes. */
const partitionsOfPort: Readonly<Record<string, readonly string[]>> = {
  manifests: ['MANIFESTS', 'CHECKS', 'MANIFEST#'],
  clusters: ['MANIFEST#'],
  demands: ['MANIFEST#'],
  agentReports: ['MANIFEST#'],
  runs: ['MANIFEST#', 'RUNS#'],
  repairBudget: ['REPAIRS'],
  events: ['EVENTS#'],
  feed: ['FEED'],
  templateReferences: ['TEMPLATES#'],
  inventory: ['INVENTORY#'],
  rollOuts: ['ROLLOUTS#'],
  gitSources: ['GITSOURCES'],
  notifications: ['NOTIFICATIONS'],
  waitingPlans: ['PLANS'],
  budgets: ['BUDGETS'],
  roleBindings: ['ROLES'],
  buildGrants: ['BUILD#'],
};

/** Calls that touch heads of manifests alone lack rights to documents, and to all else that is next to these. */
const partitionsOfHeads = ['MANIFESTS', 'CHECKS'];
const usesOfHeads: ReadonlySet<string> = new Set<PortUse>([
  ...(['manifests.head', 'manifests.listHeads', 'manifests.due', 'manifests.atWork'] as const),
  'manifests.setPaused',
  'manifests.askForTemplates',
  ...(['manifests.requestCancel', 'manifests.takeLease', 'manifests.renewLease'] as const),
  ...(['manifests.settle', 'manifests.releaseLease'] as const),
]);

/** What calls touch that are not of their port alone. */
const otherPartitions: Readonly<Record<string, readonly string[]>> = {
  'events.appendOnce': ['READINGS#'],
  'rollOuts.quiet': ['ROLLOUTS'],
  // A document is written together with the DNS names that it claims, and these are released when it is gone or has others.
  'manifests.ownersOf': ['NAMES'],
  'manifests.create': ['NAMES'],
  'manifests.replace': ['NAMES'],
  'manifests.settle': ['NAMES'],
  'manifests.remove': ['NAMES'],
  'manifests.discard': ['NAMES'],
  // What is accepted is written together with the budgets that it counts in.
  'budgets.acceptManifest': ['MANIFESTS', 'MANIFEST#', 'NAMES'],
  'budgets.acceptRollOut': ['ROLLOUTS#'],
};

/** Rights for one call of a port (`manifests.get`). */
export function partitionsOfUse(use: string): readonly string[] {
  const own = usesOfHeads.has(use) ? partitionsOfHeads : (partitionsOfPort[portOf(use)] ?? []);
  return [...own, ...(otherPartitions[use] ?? [])];
}

/** Rights for many calls, each once, by the name of their port. */
const partitionsOfUses = (uses: readonly string[]): readonly string[] => [
  ...new Set(uses.toSorted().flatMap(partitionsOfUse)),
];

/** Stores that keep large documents as objects. */
const withDocuments = ['manifests', 'clusters', 'budgets'];

/** Objects that a function touches through the port `artifacts`, apart by what it does with them. All are prefixes. */
interface TouchedObjects {
  /** Keys below them are listed, too. */
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  readonly deletes?: readonly string[];
  /** Only keys are listed, and no object is read. */
  readonly lists?: readonly string[];
}

/** What is left of a cluster that is gone: functions delete it, and runners with templates of users cannot. */
const filesOfClusters = ['kubeconfigs/', 'pki/'];
const filesOfManifests = ['agents/', 'documents/', 'plugins/'];

const objectsOfFunction: Readonly<Record<string, TouchedObjects>> = {
  'collect-result': { reads: ['runs/'] },
  'commit-waypoint': { reads: ['runs/'], deletes: filesOfClusters },
  'plan-cluster': { reads: ['runs/'], writes: ['runs/'] },
  // What is left of machines that are not managed any more.
  'plan-manifest': { lists: ['terraform/'] },
  'record-drift': { reads: ['runs/'] },
  'record-rollback': { reads: ['runs/'], deletes: filesOfClusters },
  'settle-manifest': { lists: filesOfManifests, deletes: filesOfManifests },
  'stop-builds': { reads: ['runs/'], writes: ['runs/'] },
  'submit-cluster': { reads: ['rollouts/'] },
  'sync-sources': {
    reads: ['runs/', 'checks/', 'plans/', 'agents/', 'schedule/', 'catalogue/'],
    writes: ['runs/', 'checks/', 'plans/', 'schedule/', 'catalogue/'],
  },
  // What each build is for.
  'build-credentials': { reads: ['runs/', 'checks/', 'access/'] },
  tick: { reads: ['runs/'], writes: ['runs/'] },
  // The facts of a run that has not ended; what an earlier release kept of reports.
  agents: { reads: ['runs/', 'agents/'] },
  router: {
    reads: ['runs/', 'checks/', 'access/', 'agents/', 'plans/', 'rollouts/', 'kubeconfigs/', 'catalogue/'],
    writes: ['runs/', 'checks/', 'access/', 'plans/', 'rollouts/'],
    lists: ['terraform/'],
  },
};

/** Secrets that a function touches: those of users, but for what deletes the SSH keys of pools that are gone. */
const secretsOfFunction: Readonly<Record<string, readonly string[]>> = {
  'commit-waypoint': ['ssh/'],
  'record-rollback': ['ssh/'],
  // Values, too: no other function reads any. Names of others do not begin like this.
  'send-notifications': ['user/*/notification-'],
};

/** Runners whose builds a function reads and stops, where these are not all: of who asks runners, those that answer. */
const buildsOfFunction: Readonly<Record<string, readonly RunnerTool[]>> = {
  router: ['terraform', 'kubectl', 'ansible', 'drift'],
  // It asks the one that fetches repositories.
  'sync-sources': ['terraform'],
};

/** `name` as in uses.json (`plan-cluster`). Throws for one that the file does not know. */
export function functionBounds(name: string): Bounds {
  const uses = functionUses(name);
  const ports = [...new Set(uses.map(portOf))].sort();
  const documents = ports.some((port) => withDocuments.includes(port)) ? ['documents/'] : [];
  const { reads = [], writes = [], deletes = [] } = objectsOfFunction[name] ?? {};
  return {
    objects: [...new Set([...reads, ...writes, ...deletes, ...documents])],
    partitions: partitionsOfUses(uses),
    secrets: ports.includes('secrets') ? (secretsOfFunction[name] ?? ['user/']) : [],
    ...(buildsOfFunction[name] && { builds: buildsOfFunction[name] }),
    byAction: Object.fromEntries(actionsOf(uses).flatMap((action) => boundsOfAction(name, action, uses))),
  };
}

/** What only reads through one port does not write there because it writes through another one. */
function boundsOfAction(
  name: string,
  action: string,
  uses: readonly string[],
): readonly (readonly [action: string, prefixes: readonly string[]])[] {
  const allowing = uses.filter((use) => actionsOf([use]).includes(action));
  if (action.startsWith('dynamodb:')) return [[action, partitionsOfUses(allowing)]];
  const ports = new Set(allowing.map(portOf));
  const { reads = [], writes = [], deletes = [], lists = [] } = objectsOfFunction[name] ?? {};
  const touched = {
    's3:GetObject': reads,
    's3:PutObject': writes,
    's3:DeleteObject': deletes,
    's3:ListBucket': [...reads, ...lists],
  }[action];
  if (touched === undefined) return [];
  const documents = withDocuments.some((port) => ports.has(port)) ? ['documents/'] : [];
  return [[action, [...new Set([...(ports.has('artifacts') ? touched : []), ...documents])]]];
}

const portOf = (use: string): string => use.split('.')[0] ?? '';

/** All actions of a function, sorted. */
export const functionActions = (name: string): readonly string[] => [...roleOf(name).keys()];

/** Whether a function may do `action` (`s3:DeleteObject`) to an object, partition, secret (`user/team/hetzner`) or builds of a runner (`terraform`). */
export function functionMay(name: string, action: string, key: string): boolean {
  return (
    roleOf(name)
      .get(action)
      ?.some((prefix) => beginsWith(key, prefix)) ?? false
  );
}

/** `*` in a prefix is one part of a path. */
function beginsWith(key: string, prefix: string): boolean {
  if (!prefix.includes('*')) return key.startsWith(prefix);
  const parts = prefix.split('/');
  const last = parts.length - 1;
  const of = key.split('/');
  return parts.every(
    (part, place) => part === '*' || (place === last ? of[place]?.startsWith(part) : of[place] === part),
  );
}

type Role = ReadonlyMap<string, readonly string[]>;
const roles = new Map<string, Role>();

/** Prefixes by action, made once: the local services ask for each request. */
function roleOf(name: string): Role {
  const known = roles.get(name);
  if (known) return known;
  const bounds = functionBounds(name);
  const role = new Map(actionsOf(functionUses(name)).map((action) => [action, prefixesOf(action, bounds)]));
  roles.set(name, role);
  return role;
}
