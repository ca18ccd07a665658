/** What each function may touch of what is stored: the table that its role in AWS is made of, and that tests hold it to. */
import { type Bounds, prefixesOf } from './runner-rights.ts';
import { actionsOf, functionUses } from './uses.ts';

/** Partition keys of the table and of its index, by port. All are prefixes. */
export const partitionsOfPort: Readonly<Record<string, readonly string[]>> = {
  manifests: ['MANIFESTS', 'CHECKS', 'MANIFEST#'],
  clusters: ['MANIFEST#'],
  demands: ['MANIFEST#'],
  runs: ['MANIFEST#', 'RUNS#'],
  repairBudget: ['REPAIRS'],
  events: ['EVENTS#'],
  feed: ['FEED'],
  templateReferences: ['TEMPLATES#'],
  inventory: ['INVENTORY#'],
  rollOuts: ['ROLLOUTS#'],
  gitSources: ['GITSOURCES'],
  roleBindings: ['ROLES'],
};

/** Stores that keep large documents as objects. */
const withDocuments = ['manifests', 'clusters'];

/** Objects that a function reads and writes through the port `artifacts`; the others only list keys, or nothing. */
const objectsOfFunction: Readonly<Record<string, readonly string[]>> = {
  'collect-result': ['runs/'],
  'commit-waypoint': ['runs/', 'kubeconfigs/', 'pki/'],
  'plan-cluster': ['runs/'],
  'record-drift': ['runs/'],
  'record-rollback': ['runs/', 'kubeconfigs/', 'pki/'],
  'settle-manifest': ['agents/', 'documents/', 'plugins/'],
  'stop-builds': ['runs/'],
  'submit-cluster': ['rollouts/'],
  'sync-sources': ['runs/', 'checks/', 'plans/', 'agents/'],
  tick: ['runs/'],
  router: ['runs/', 'checks/', 'access/', 'agents/', 'plans/', 'rollouts/', 'kubeconfigs/'],
};

/** Where a function lists keys and reads no object: what is left of machines that are not managed any more. */
const onlyListed: Readonly<Record<string, readonly string[]>> = {
  'plan-manifest': ['terraform/'],
  router: ['terraform/'],
};

/** Backups of certificate authorities: functions delete them with their cluster, and do nothing else with them. */
const onlyDeleted = ['pki/'];

/** `name` as in uses.json (`plan-cluster`). Throws for one that the file does not know. */
export function functionBounds(name: string): Bounds {
  const uses = functionUses(name);
  const ports = [...new Set(uses.map(portOf))].sort();
  const documents = ports.some((port) => withDocuments.includes(port)) ? ['documents/'] : [];
  return {
    objects: [...new Set([...(objectsOfFunction[name] ?? []), ...documents])],
    partitions: [...new Set(ports.flatMap((port) => partitionsOfPort[port] ?? []))],
    secrets: ports.includes('secrets') ? ['user/'] : [],
    byAction: Object.fromEntries(actionsOf(uses).flatMap((action) => boundsOfAction(name, action, uses))),
  };
}

/** What only reads through one port does not write there because it writes through another one. */
function boundsOfAction(
  name: string,
  action: string,
  uses: readonly string[],
): readonly (readonly [action: string, prefixes: readonly string[]])[] {
  const ports = [...new Set(uses.filter((use) => actionsOf([use]).includes(action)).map(portOf))].sort();
  if (action.startsWith('dynamodb:'))
    return [[action, [...new Set(ports.flatMap((port) => partitionsOfPort[port] ?? []))]]];
  if (!/^s3:(\w+Object|ListBucket)$/.test(action)) return [];
  const own = ports.includes('artifacts') ? (objectsOfFunction[name] ?? []) : [];
  const objects = action === 's3:DeleteObject' ? own : own.filter((prefix) => !onlyDeleted.includes(prefix));
  const documents = ports.some((port) => withDocuments.includes(port)) ? ['documents/'] : [];
  const listed = action === 's3:ListBucket' ? (onlyListed[name] ?? []) : [];
  return [[action, [...new Set([...objects, ...listed, ...documents])]]];
}

const portOf = (use: string): string => use.split('.')[0] ?? '';

/** All actions of a function, sorted. */
export const functionActions = (name: string): readonly string[] => [...roleOf(name).keys()];

/** Whether a function may do `action` (`s3:DeleteObject`) to an object, partition or secret (`user/team/hetzner`). */
export function functionMay(name: string, action: string, key: string): boolean {
  return (
    roleOf(name)
      .get(action)
      ?.some((prefix) => key.startsWith(prefix)) ?? false
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
