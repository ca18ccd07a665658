/** What is in a bundle, for the person who opens it. Pure. */
import type { Run } from '#contracts/api-bodies.ts';
import type { ArchivedText } from './tar.ts';

const about: Readonly<Record<string, string>> = {
  'run.json': 'the run: generation, attempt, reason, times, how each cluster ended',
  'plan.json': 'its path: every waypoint of each cluster in words, also those that it did not reach',
  'times.json': 'seconds that its builds took, by stage and phase',
  'failures.json': 'by cluster: what failed last, the cause, what to do. Another run may have failed since',
  'description.json': 'the manifest as it is now: clusters, nodes, what the last check for drift found',
  'manifest.json':
    'its document as it is now, without annotations, scripts, inline documents, settings of plugins and long texts',
  'events.ndjson': 'the events of the run, oldest first, a line each',
  'versions.json': 'versions of the installation, of the command line and of Node',
  'doctor.json': 'what `kubeloom doctor` finds on the machine that made the bundle',
  logs: 'the logs of its builds: logs/CLUSTER/WAYPOINT/STAGE-TRY.txt',
};

interface Bundled {
  readonly run: Run;
  readonly files: readonly ArchivedText[];
  /** The manifest exists. */
  readonly isThere: boolean;
}

export function readmeOf({ run, files, isThere }: Bundled): string {
  const names = [...new Set(files.map(({ path }) => path.split('/')[0] ?? ''))];
  const width = Math.max(...names.map((name) => name.length));
  return [
    `Run ${run.runId} of the manifest ${run.namespace}/${run.manifest}: ${run.status}`,
    `Reason: ${run.reason}${run.debug ? ' (its logs say more than usual)' : ''}`,
    '',
    ...names.map((name) => `${name.padEnd(width)}  ${about[name] ?? ''}`),
    ...(isThere ? [] : ['', 'The manifest is deleted: its document and its description are not here.']),
    ...(names.includes('logs') ? [] : ['', 'No log of the run is kept, or it started no build.']),
    '',
    'What is not in it: values of Secrets, kubeconfigs, SSH keys, Terraform states, plans of Terraform, tokens, and the',
    'history of the executions of Step Functions, which have the name of the run there.',
    'What is in it: names of clusters, nodes, clouds and regions, addresses of machines, names of the people who requested',
    'something and the addresses that they did it from, and whatever your scripts print. Read it before you send it.',
    '',
  ].join('\n');
}
