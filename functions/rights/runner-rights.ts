/** What each runner may do to what is stored: the table that roles in AWS are made of and that the local services enforce. */
import type { PortUse, Using } from '../ports.ts';
import { actionsOf } from './uses.ts';

/** Stage tools, one runner each; `drift` is the runner of drift checks. */
export const runnerTools = ['terraform', 'ansible', 'kubeone', 'kubectl', 'drift'] as const;
export type RunnerTool = (typeof runnerTools)[number];

/** What a runner may touch of what is stored. All are prefixes. */
export interface Bounds {
  /** Objects. */
  readonly objects: readonly string[];
  /** Objects that are read and never written. @default none */
  readonly reads?: readonly string[];
  /** Objects that are read and written, and never deleted. @default none */
  readonly keeps?: readonly string[];
  /** Objects that are written and deleted, and never read. @default none */
  readonly writes?: readonly string[];
  /** Keys below them are listed, too, as those of objects that are read. @default none */
  readonly lists?: readonly string[];
  /** Partition keys. */
  readonly partitions: readonly string[];
  /** Secrets. */
  readonly secrets: readonly string[];
  /** Secrets that are read and never written. @default none */
  readonly secretReads?: readonly string[];
  /** Runners whose builds are read and stopped. @default all */
  readonly builds?: readonly RunnerTool[];
  /** Objects and partition keys of single actions (`s3:PutObject`), in place of those above. */
  readonly byAction?: Readonly<Record<string, readonly string[]>>;
}

/** Where Terraform asks for named workspaces, wherever its states are. No object is there. */
const workspaces = ['env:/'];

/** `runs/` has the waypoints, `checks/` those of credentials and of template repositories, `access/` what people ask for to get into a cluster, `plugins/` provider types that do not come with Kubeloom, `pki/` backups of clusters' certificate authorities, `ssh/` the keys of pools, `user/` the users' Secrets. */
export const runnerBounds: Readonly<Record<RunnerTool, Bounds>> = {
  terraform: {
    objects: ['terraform/'],
    keeps: ['runs/', 'checks/', 'plugins/'],
    // States as they were before a person edited them: only who restores one reads it.
    writes: ['kept-states/'],
    lists: workspaces,
    // Its own, whose locks it may find.
    builds: ['terraform'],
    partitions: ['EVENTS#'],
    secrets: ['ssh/'],
    secretReads: ['user/'],
  },
  ansible: {
    objects: [],
    keeps: ['runs/', 'access/'],
    partitions: ['EVENTS#'],
    secrets: [],
    secretReads: ['user/', 'ssh/'],
  },
  kubeone: {
    objects: ['kubeconfigs/'],
    keeps: ['runs/'],
    writes: ['pki/'],
    partitions: ['EVENTS#'],
    secrets: [],
    secretReads: ['user/', 'ssh/'],
  },
  // Secrets of users: the tokens of private repositories that have documents.
  kubectl: {
    objects: [],
    keeps: ['runs/', 'access/'],
    reads: ['kubeconfigs/'],
    partitions: ['EVENTS#'],
    secrets: [],
    secretReads: ['user/'],
  },
  // A drift check writes nothing but its findings, and what people ask about states their answers.
  drift: {
    objects: [],
    keeps: ['runs/', 'access/'],
    reads: ['terraform/', 'kubeconfigs/', 'plugins/'],
    lists: workspaces,
    partitions: ['EVENTS#'],
    secrets: [],
    secretReads: ['user/', 'ssh/'],
  },
};

/** What every runner calls: documents, results, logs and events. */
const everyRunner = ['artifacts.getText', 'artifacts.putText', 'events.append'] as const satisfies readonly PortUse[];

/** What each runner calls of the ports: its driver gets these methods and no others. */
export const usesOfTool = {
  // Whether the build that left a lock has ended.
  terraform: [...everyRunner, 'artifacts.remove', 'builds.status', 'secrets.create', 'secrets.get'],
  // A request for access is answered by one build.
  ansible: [...everyRunner, 'artifacts.createText', 'secrets.get'],
  kubeone: [...everyRunner, 'artifacts.putBytes', 'artifacts.remove', 'secrets.get'],
  kubectl: [...everyRunner, 'artifacts.createText', 'secrets.get'],
  drift: [...everyRunner, 'artifacts.createText', 'secrets.get'],
} as const satisfies Record<RunnerTool, readonly PortUse[]>;

/** The ports as a runner gets them: what every runner calls, and `Use`. */
export type RunnerPorts<Use extends PortUse = never> = Using<(typeof everyRunner)[number] | Use | 'clock' | 'config'>;

/** The ports as the program of the runners holds them, which hands each driver what its role allows. */
export type AllRunnerPorts = RunnerPorts<(typeof usesOfTool)[RunnerTool][number]>;

/** What the tools themselves ask of AWS, apart from the ports: Terraform's S3 backend with `use_lockfile`. */
export const toolUses: Readonly<Record<RunnerTool, readonly string[]>> = {
  terraform: ['artifacts.getBytes', 'artifacts.putBytes', 'artifacts.remove'],
  ansible: [],
  kubeone: [],
  kubectl: [],
  drift: ['artifacts.getBytes'],
};

/** Whether a role with these uses replaces Secrets: who only creates them is held to that. */
export const mayReplaceSecrets = (uses: readonly string[]): boolean => uses.includes('secrets.put');

/** All actions of a runner, sorted. */
export function runnerActions(tool: RunnerTool): readonly string[] {
  return actionsOf([...usesOfTool[tool], ...toolUses[tool]]);
}

/** Prefixes of what an action may touch; without bounds it may touch all. */
export function prefixesOf(action: string, bounds: Bounds | undefined): readonly string[] {
  const own = bounds?.byAction?.[action];
  if (own !== undefined) return own;
  if (bounds === undefined || action === 'ssm:GetParametersByPath') return [''];
  const readable = [...bounds.objects, ...(bounds.reads ?? []), ...(bounds.keeps ?? [])];
  if (action === 's3:GetObject') return readable;
  if (action === 's3:ListBucket') return [...readable, ...(bounds.lists ?? [])];
  if (action === 's3:PutObject') return [...bounds.objects, ...(bounds.keeps ?? []), ...(bounds.writes ?? [])];
  if (action === 's3:DeleteObject') return [...bounds.objects, ...(bounds.writes ?? [])];
  if (action === 'ssm:GetParameter') return [...bounds.secrets, ...(bounds.secretReads ?? [])];
  const [service] = action.split(':');
  if (service === 's3') return bounds.objects;
  if (service === 'dynamodb') return bounds.partitions;
  if (service === 'codebuild') return bounds.builds ?? [''];
  // What has no key here: executions, the bus, roles of tools.
  if (service === 'states' || service === 'events' || service === 'sts') return [''];
  return service === 'ssm' ? bounds.secrets : [];
}

/** Whether a runner may do `action` (`s3:DeleteObject`) to an object, partition, secret (`user/team/hetzner`) or builds of a runner (`terraform`). */
export function runnerMay(tool: RunnerTool, action: string, key: string): boolean {
  const prefixes = prefixesOf(action, runnerBounds[tool]);
  return runnerActions(tool).includes(action) && prefixes.some((prefix) => key.startsWith(prefix));
}
