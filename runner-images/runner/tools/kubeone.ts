/** The kubernetes stage: `kubeone apply` in a directory of its own; `reset` for static nodes of a cluster that goes away. */
import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterKeys } from '#contracts/stage.ts';
import { kubeconfigExpiries } from '#documents/kubeconfig-expiries.ts';
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import { kubeoneReleaseFor } from '#domain/kubernetes-versions.ts';
import { kubeconfigLimit } from '#domain/observed/kubeconfig.ts';
import { type KubeOneInput, leaderOf, renderKubeOneManifest } from '#rendering/kubeone-manifest.ts';
import { publicAddressOf } from '#rendering/node-access.ts';
import { sshLoginOf } from '../ansible/ssh-command.ts';
import { absentNodes, unresetNodes } from '../kubeone/absent-nodes.ts';
import { findAddons } from '../kubeone/addons-directory.ts';
import { withFullDisk } from '../kubeone/full-disk.ts';
import { continueUpgrade } from '../kubeone/interrupted-upgrade.ts';
import { kubeoneError } from '../kubeone/kubeone-failure.ts';
import { runToLastTask } from '../kubeone/last-task.ts';
import { acceptedKubeconfig, removeKubeconfig } from '../kubernetes/kubeconfig.ts';
import { controlNames, membersOf } from '../kubernetes/members.ts';
import { removeOldMembers } from '../kubernetes/remove-old-members.ts';
import { renewCertificates } from '../kubernetes/renew-certificates.ts';
import { resetHalfJoined } from '../kubernetes/reset-half-joined.ts';
import { complaintsOnly } from '../process.ts';
import { writeSshKeyFiles } from '../ssh-keys.ts';
import { type ContextOf, knownStates, type StageSummary, type ToolOf } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';

/** KubeOne sometimes waits for machines without output. */
const quietMs = 20 * 60_000;
const totalMs = 90 * 60_000;

export const kubeone: ToolOf<'kubeone'> = async (context) => {
  if (context.plan.stage !== 'kubernetes') throw new Error(`kubeone cannot run stage ${context.plan.stage}`);
  const { action, certificates } = context.plan.work;
  if (action === 'reset') return reset(context);
  const applied = action === 'apply' ? await apply(context) : {};
  if (certificates === undefined || context.target === null) return applied;
  const { renewed } = await renewCertificates(context, context.target, certificates);
  return { ...applied, nodesRenewed: renewed };
};

async function apply(context: ContextOf<'kubeone'>): Promise<StageSummary> {
  const state = context.target;
  if (state === null) throw new Error('there is no cluster to apply');
  const program = await findKubeOne(context, state);
  const simulated = await isSimulated(context, program);
  if (simulated) context.facts.simulated('control plane');
  const { addons } = state.kubernetesOptions ?? {};
  const addonsDirectory = addons === undefined ? undefined : await findAddons(addons, context);
  const absent = await absentNodes(context, state);
  const { directory, keyDirectory } = await prepare(context, state, { addonsDirectory, absent });
  const known = context.facts.current.kubeconfigKey !== undefined;
  await removeOldMembers(context, state, keyDirectory);
  await resetHalfJoined(context, state, keyDirectory);
  const options = await continueUpgrade(context, state);
  const args = ['apply', '-m', 'kubeone.yaml', '-y', ...options];
  const command = { label: 'kubeone', tool: 'kubeone', program, args, cwd: directory, quietMs, totalMs } as const;
  const result = await runToLastTask(context, command, { state, absent });
  if (result.code !== 0) {
    const printed = `${result.stdout}\n${result.stderr}`;
    const failure = kubeoneError(printed, state, context.document.before, nodesByAddress(context, state));
    const member = membersOf(state).find(({ node }) => node.name === failure.resource);
    const login = member && sshLoginOf(member, context.facts.current, keyDirectory);
    throw new StageFailure(await withFullDisk(context, login, failure));
  }
  await keepWhatItLeft(context, state, { directory, leader: leaderOf(state, absent) });
  context.emit({
    kind: known ? 'KubernetesUpdated' : 'KubernetesInstalled',
    message: `Kubernetes ${state.kubernetesVersion} runs${simulated ? ' (simulated control plane)' : ''}`,
  });
  return { kubernetesVersion: state.kubernetesVersion, ...(simulated ? { simulated: 'control plane' } : {}) };
}

/** KubeOne names machines by their public addresses. */
function nodesByAddress({ facts }: ContextOf<'kubeone'>, state: ClusterState): ReadonlyMap<string, string> {
  return new Map(allNodes(state).map(({ node }) => [publicAddressOf(node, facts.current), node.name]));
}

/** Only static nodes need it: the Kubernetes of other machines is deleted with them. */
async function reset(context: ContextOf<'kubeone'>): Promise<StageSummary> {
  const state = context.target ?? context.others[0];
  if (state === undefined) return { nodesReset: 0 };
  const absent = await unresetNodes(context, state);
  if (controlNames(state).every((name) => absent.has(name))) {
    const message =
      'no control node answers, so KubeOne resets no node; the rest is removed with the nodes or by the next stage';
    context.emit({ kind: 'ResetIncomplete', message });
    await removeKubeconfig(context);
    return { nodesReset: 0 };
  }
  const program = await findKubeOne(context, state);
  const { directory } = await prepare(context, state, { absent });
  const result = await context.run({
    label: 'kubeone',
    tool: 'kubeone',
    program,
    // With a dead API server each of the last three would fail the whole reset.
    args: [
      'reset',
      '-m',
      'kubeone.yaml',
      '-y',
      '--remove-binaries',
      '--destroy-workers=false',
      '--remove-volumes=false',
      '--remove-lb-services=false',
    ],
    cwd: directory,
    quietMs,
    totalMs,
  });
  if (result.code !== 0) {
    context.emit({
      kind: 'ResetIncomplete',
      message: 'KubeOne could not reset every node; the rest is removed with the nodes or by the next stage',
    });
  }
  await removeKubeconfig(context);
  return { nodesReset: membersOf(state).length - absent.size };
}

/** In the first directory of the PATH that has one: `kubeone-<release>` of the release that knows this Kubernetes version, else `kubeone`. */
async function findKubeOne(context: ContextOf<'kubeone'>, state: ClusterState): Promise<string> {
  const { kubeone, path } = context.runner;
  if (kubeone !== undefined) return kubeone;
  const before = context.document.before?.kubernetesVersion ?? state.kubernetesVersion;
  const release = kubeoneReleaseFor(state.kubernetesVersion, before)?.release;
  const isOfRelease = (name: string) =>
    release !== undefined && (name === `kubeone-${release}` || name.startsWith(`kubeone-${release}.`));
  for (const directory of path) {
    const names = await readdir(directory).catch(() => []);
    const found = names.find(isOfRelease) ?? names.find((name) => name === 'kubeone');
    if (found !== undefined) return join(directory, found);
  }
  return 'kubeone';
}

/** Its version says so. */
async function isSimulated(context: ContextOf<'kubeone'>, program: string): Promise<boolean> {
  const { stdout } = await context.run({
    label: 'kubeone version',
    program,
    args: ['version'],
    onLine: complaintsOnly,
  });
  return /simulated/i.test(stdout);
}

async function prepare(
  context: ContextOf<'kubeone'>,
  state: ClusterState,
  more: Pick<KubeOneInput, 'addonsDirectory' | 'absent'> = {},
): Promise<{ readonly directory: string; readonly keyDirectory: string }> {
  const directory = join(context.workDirectory, 'kubeone');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const keyDirectory = await writeSshKeyFiles(
    context,
    state.pools.flatMap((pool) => pool.nodes.map((node) => ({ node, pool, clusterId: state.id }))),
  );
  const manifest = renderKubeOneManifest({
    state,
    facts: context.facts.current,
    keyDirectory,
    ...more,
  });
  await writeFile(join(directory, 'kubeone.yaml'), manifest, { mode: 0o600 });
  return { directory, keyDirectory };
}

/** What we accept of the kubeconfig becomes an artifact; the backup of the cluster's certificate authority another one, which is written and never read. */
async function keepWhatItLeft(
  context: ContextOf<'kubeone'>,
  state: ClusterState,
  { directory, leader }: { readonly directory: string; readonly leader: string | undefined },
): Promise<void> {
  const kubeconfig = await beginningOf(join(directory, `${state.name}-kubeconfig`));
  const keys = clusterKeys(context.document);
  if (kubeconfig.trim() === '') {
    if (context.facts.current.kubeconfigKey !== undefined) return;
    throw new StageFailure({
      class: 'bug',
      code: 'KubeconfigMissing',
      message: `KubeOne succeeded but wrote no ${state.name}-kubeconfig.`,
      hint: 'Report it with the log of the stage.',
    });
  }
  const cluster = { states: knownStates(context), facts: context.facts.current };
  const simulated = context.facts.current.simulated.includes('control plane');
  const { text, parts } = acceptedKubeconfig(context, kubeconfig, cluster, leader);
  await context.ports.artifacts.putText(keys.kubeconfig, text, 'application/yaml');
  const backup = await readFile(join(directory, `${state.name}.tar.gz`)).catch(() => undefined);
  if (backup !== undefined) {
    await context.ports.artifacts.putBytes(keys.authority, backup);
    await context.ports.artifacts.remove(keys.formerAuthority);
  }
  context.facts.kubeconfig(keys.kubeconfig, simulated ? [] : kubeconfigExpiries(parts));
}

/** As much of a file as an acceptable kubeconfig has, and a byte more; '' when there is no file. A control node chose its size. */
async function beginningOf(file: string): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(kubeconfigLimit + 1), 0, kubeconfigLimit + 1);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
