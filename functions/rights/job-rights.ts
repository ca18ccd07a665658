/**
 * What one job may do to what is stored: the part of its runner's rights (`runner-rights.ts`) that is about its own cluster. Roles in AWS are
 * made of it, with session tags in place of names, and the local services enforce it.
 */
import { questionKeys } from '#contracts/job.ts';
import { clusterKeys, waypointKeys } from '#contracts/stage.ts';
import { eventPartition } from '../adapters/table-keys.ts';
import type { RunnerTool } from './runner-rights.ts';

/** Where a job has its things: each part is a session tag in AWS, at most 256 characters. `nowhere` in place of what it does not have. */
export interface JobPlace {
  readonly namespace: string;
  readonly manifest: string;
  /** Id of the cluster. */
  readonly cluster: string;
  readonly run: string;
  /** `w00` */
  readonly waypoint: string;
  /** `nodes-undo/2` */
  readonly attempt: string;
  /** Artifact prefix of a question below `checks/` or `access/`, which is that of its runner. */
  readonly question: string;
}

/** Part of a place that a job does not have: nothing is stored below it, and no name is the same. */
export const nowhere = '-';

export const noPlace: JobPlace = {
  namespace: nowhere,
  manifest: nowhere,
  cluster: nowhere,
  run: nowhere,
  waypoint: nowhere,
  attempt: nowhere,
  question: nowhere,
};

/** By action (`s3:GetObject`): keys of objects, partitions or Secrets; one that ends with `*` is the beginning of all below it. */
export type JobRights = Readonly<Record<string, readonly string[]>>;

/** Copies of accepted provider types: a session names those of its job. */
export const acceptedCopies = 'checks/_copies/*';
/** Secrets of users: a session names those of its job. */
const usersSecrets = 'user/*';

/** Actions on builds need no key here: they are those of the runner's own project. */
export function jobRights(tool: RunnerTool, place: JobPlace): JobRights {
  const { namespace, manifest, cluster, run, waypoint, attempt, question } = place;
  const about = { namespace, manifest, cluster };
  const work = `runs/${namespace}/${manifest}/${run}/${cluster}/${waypoint}`;
  const states = `terraform/${namespace}/${manifest}/${cluster}/*`;
  // Which machines of a state were destroyed: `lost-state.ts`.
  const notes = `runs/destroyed/${states}`;
  const kept = `kept-states/${namespace}/${manifest}/${cluster}/*`;
  const plugins = `plugins/${namespace}/${manifest}/*`;
  const poolKeys = `ssh/${namespace}/${manifest}/${cluster}/*`;
  const { kubeconfig, authority, formerAuthority } = clusterKeys(about);
  // What a job is asked is written by the pipeline alone: a build that could change it would choose what the next one may do.
  const results = [`${work}/${attempt}/*`];
  const facts = waypointKeys.facts(work);
  const common = {
    's3:GetObject': [`${work}/*`],
    's3:ListBucket': [`${work}/*`],
    's3:PutObject': [...results, facts],
    'dynamodb:BatchWriteItem': [eventPartition({ namespace, name: manifest })],
    'ssm:GetParameter': [usersSecrets],
  };
  const check = `checks/${question}`;
  const access = `access/${question}`;
  const giveAccess = {
    's3:GetObject': [...common['s3:GetObject'], `${access}/*`],
    's3:PutObject': [...common['s3:PutObject'], ...answersOf(access), questionKeys.claim(access)],
  };
  switch (tool) {
    case 'terraform':
      return {
        ...common,
        's3:GetObject': [...common['s3:GetObject'], `${check}/*`, states, notes, plugins, acceptedCopies],
        's3:ListBucket': [...common['s3:ListBucket'], 'env:/*'],
        's3:PutObject': [...common['s3:PutObject'], ...answersOf(check), states, notes, kept, plugins, acceptedCopies],
        's3:DeleteObject': [states],
        'ssm:GetParameter': [usersSecrets, poolKeys],
        'ssm:PutParameter': [poolKeys],
      };
    case 'ansible':
      return { ...common, ...giveAccess, 'ssm:GetParameter': [usersSecrets, poolKeys] };
    case 'kubeone':
      return {
        ...common,
        's3:GetObject': [...common['s3:GetObject'], kubeconfig],
        's3:PutObject': [...common['s3:PutObject'], kubeconfig, authority],
        's3:DeleteObject': [kubeconfig, authority, formerAuthority],
        'ssm:GetParameter': [usersSecrets, poolKeys],
      };
    case 'kubectl':
      return { ...common, ...giveAccess, 's3:GetObject': [...giveAccess['s3:GetObject'], kubeconfig] };
    case 'drift':
      return {
        ...common,
        's3:GetObject': [...giveAccess['s3:GetObject'], states, kubeconfig, plugins],
        's3:ListBucket': [...common['s3:ListBucket'], 'env:/*'],
        's3:PutObject': [...results, waypointKeys.drift(work), ...answersOf(access), questionKeys.claim(access)],
        'ssm:GetParameter': [usersSecrets, poolKeys],
      };
    default:
      return tool satisfies never;
  }
}

const answersOf = (question: string): readonly string[] => [questionKeys.result(question), questionKeys.log(question)];

/** Whether a pattern of `JobRights` has the key. */
export function coversKey(pattern: string, key: string): boolean {
  return pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern;
}
