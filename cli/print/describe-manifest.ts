/** A manifest for people: status, clusters, nodes, load balancers, failures with what to do. */
import type { ClusterDescription, ManifestDescription, NodeRow, RunPage } from '#contracts/api-bodies.ts';
import type { FailureReport } from '#contracts/failure-report.ts';
import { type FailureLines, reportedLines } from '#domain/failure-lines.ts';
import { counted } from '#domain/words.ts';
import { shortName } from '../manifest-name.ts';
import { certificateLines } from './certificate-lines.ts';
import { shortList, terminalWidth, wrap } from './layout.ts';
import { paint, paintedTable, paintStatus } from './output.ts';
import { behindTemplateLines } from './template-lines.ts';
import { ago, until } from './times.ts';

type Run = RunPage['items'][number];

export interface DescribeOptions {
  /** A row for each node however many there are. @default rows of pools above 40 nodes in a cluster */
  readonly everyNode?: boolean;
  /** @default the terminal's */
  readonly width?: number;
}

const mostNodeRows = 40;

/** Everything `kubeloom describe` shows, as lines. */
export function describeManifest(manifest: ManifestDescription, options: DescribeOptions = {}): string {
  const run = manifest.lastRun
    ? ` (${[manifest.lastRun.reason, planText(manifest.lastRun)].filter(Boolean).join(', ')})`
    : '';
  const generation = `generation ${manifest.generation}, attempt ${manifest.attempt}, changed ${ago(manifest.updatedAt)}`;
  const head = [
    ...wrap(`${paint('bold', `${manifest.namespace}/${manifest.name}`)}  ${statusOf(manifest)}`, 2, options.width),
    ...wrap(`${generation}, run ${manifest.runId}${run}`, 2, options.width),
    ...stateLines(manifest, options.width),
    ...proposalLines(manifest, options.width),
    ...behindTemplateLines(manifest, options.width),
    ...(manifest.simulated.length > 0
      ? wrap(paint('yellow', `simulated: ${manifest.simulated.join(', ')}`), 2, options.width)
      : []),
  ];
  // Printed once, unless only some clusters are simulated.
  const sayWhatIsSimulated = manifest.clusters.some(({ simulated }) => simulated.length < manifest.simulated.length);
  const clusters = manifest.clusters.flatMap((cluster) => [
    '',
    ...clusterLines(cluster, { ...options, sayWhatIsSimulated }),
  ]);
  return [...head, ...clusters].join('\n');
}

/** The plan that a run carries out, and who approved it. */
export function planText({ plan }: Pick<Run, 'plan'>): string {
  if (plan === undefined) return '';
  return `plan ${plan.id}${plan.approvedBy === undefined ? '' : `, approved by ${plan.approvedBy}`}`;
}

/** Status word, and whether it is paused or being deleted, or a plan of it waits. */
export function statusOf(
  manifest: Pick<ManifestDescription, 'status' | 'deleting' | 'paused' | 'cancelling' | 'proposed' | 'behind'> &
    Partial<Pick<ManifestDescription, 'lastRun'>>,
): string {
  const more = [
    manifest.status === 'Failed' && manifest.lastRun?.status === 'Aborted' ? 'cancelled' : '',
    manifest.deleting && manifest.status !== 'Deleting' ? 'deleting' : '',
    manifest.cancelling ? 'is being cancelled' : '',
    manifest.paused ? paintStatus('paused') : '',
    manifest.proposed ? 'waits for an approval' : '',
    manifest.behind ? paint('yellow', 'behind its templates') : '',
  ].filter(Boolean);
  return `${paintStatus(manifest.status)}${more.length > 0 ? ` (${more.join(', ')})` : ''}`;
}

/** What can be done about the state as a whole. */
function stateLines(manifest: ManifestDescription, width?: number): string[] {
  const sentence = whatToDo(manifest, shortName(manifest));
  return sentence === undefined ? [] : wrap(sentence, 2, width);
}

/** Plans that wait, each with the command that shows it and asks. */
function proposalLines(manifest: ManifestDescription, width?: number): string[] {
  return (manifest.proposed ?? []).flatMap(({ id, at, by, reason, summary }) => {
    const said = `a plan of ${by} waits for an approval since ${ago(at)} (${reason}: ${summary})`;
    return wrap(`${said}: \`kubeloom approve ${shortName(manifest)} --plan ${id}\``, 2, width);
  });
}

function whatToDo(manifest: ManifestDescription, name: string): string | undefined {
  if (manifest.unreadable !== undefined) return manifest.unreadable;
  if (manifest.paused) return `paused: nothing is started until \`kubeloom resume ${name}\``;
  if (manifest.status !== 'Failed') return undefined;
  const again = manifest.retryAt === undefined ? '' : `; it is retried automatically ${until(manifest.retryAt)}`;
  if (manifest.deleting)
    return `the deletion stopped: \`kubeloom delete ${name}\` continues it, \`--orphan NODE|all\` orphans what cannot be removed${again}`;
  const checked = manifest.checkAt === undefined ? '' : `; what exists is checked for drift ${until(manifest.checkAt)}`;
  const back = manifest.generation > 1 ? `; \`kubeloom rollback ${name} --plan\` shows whether it can go back` : '';
  if (manifest.lastRun?.status === 'Aborted' && onlyCancelled(manifest))
    return `cancelled: \`kubeloom retry ${name}\` continues; or apply a changed manifest${back}`;
  return `failed: fix the cause, then \`kubeloom retry ${name}\`; or apply a changed manifest${back}${again}${checked}`;
}

/** Nothing failed apart from the run that a user cancelled. */
function onlyCancelled({ clusters }: ManifestDescription): boolean {
  return clusters.every(({ failure }) => failure === null || failure.code === 'Cancelled');
}

function clusterLines(
  cluster: ClusterDescription,
  options: DescribeOptions & { readonly sayWhatIsSimulated: boolean },
): string[] {
  const { width } = options;
  const facts = [
    cluster.kubernetesVersion ? `Kubernetes ${cluster.kubernetesVersion}` : undefined,
    cluster.network ? `network ${cluster.network}` : undefined,
    cluster.apiEndpoint ? `API ${cluster.apiEndpoint}` : undefined,
    cluster.downloads ? `downloads through ${cluster.downloads}` : undefined,
    options.sayWhatIsSimulated && cluster.simulated.length > 0
      ? paint('yellow', `simulated ${cluster.simulated.join(', ')}`)
      : undefined,
  ].filter((fact) => fact !== undefined);
  const inner = (width ?? terminalWidth()) - 2;
  return [
    ...wrap(
      `cluster ${paint('bold', cluster.name)}  ${paintStatus(cluster.status)}  ${paint('dim', cluster.cluster)}`,
      2,
      width,
    ),
    ...(facts.length > 0 ? wrap(`  ${facts.join(' · ')}`, 2, width) : []),
    ...progressLines(cluster, width),
    ...(cluster.failure ? clusterFailureLines(cluster.failure, cluster.name, width) : []),
    ...cluster.heldPools.flatMap((pool) => heldPoolLines(pool, cluster.failure, width)),
    ...demandLines(cluster.demand, width),
    ...driftLines(cluster, width),
    ...certificateLines(cluster, width),
    ...indented(nodeTable(cluster, options.everyNode === true, inner)),
    ...indented(loadBalancerTable(cluster, inner)),
  ];
}

function progressLines({ progress, status }: ClusterDescription, width?: number): string[] {
  if (!progress || ['Converged', 'Degraded', 'Checking'].includes(status)) return [];
  const working = ['Planning', 'Running', 'RollingBack', 'BackingOff'].includes(status);
  const at = [progress.direction, progress.stage].filter(Boolean).join(', ');
  const waypoint = progress.waypoints > 1 ? `, waypoint ${progress.waypoint} of ${progress.waypoints}` : '';
  const step = `step ${Math.min(progress.step + 1, progress.steps)} of ${progress.steps} (${progress.percent} %)`;
  return working
    ? wrap(
        `  ${at}: ${step}${waypoint}, began ${ago(progress.startedAt)}, last progress ${ago(progress.updatedAt)}`,
        4,
        width,
      )
    : wrap(`  stopped in ${at}: ${step}${waypoint}, ${ago(progress.updatedAt)}`, 4, width);
}

/** The reason is left out where the cluster's failure, printed above, is the same. */
function heldPoolLines(
  { pool, role, reason, lines }: ClusterDescription['heldPools'][number],
  reported: FailureReport | null,
  width?: number,
): string[] {
  const known = reported !== null && reason.includes(reported.message);
  const why = known || lines !== undefined ? '' : `: ${reason}`;
  return [
    ...wrap(`  ${paint('yellow', 'left out:')} pool ${paint('bold', pool)} (${role})${why}`, 4, width),
    ...(known || lines === undefined ? [] : threeLines(lines, '', width)),
  ];
}

/** The three lines, and what Kubeloom did about it. */
export function clusterFailureLines(failure: FailureReport, cluster: string, width?: number): string[] {
  return [
    ...threeLines(reportedLines(failure, cluster), ` ${paint('dim', `(${ago(failure.at)})`)}`, width),
    ...wrap(`    ${paint('dim', 'done:')} ${failure.outcome}`, 10, width),
  ];
}

function threeLines({ what, cause, todo }: FailureLines, when: string, width?: number): string[] {
  return [
    ...wrap(`  ${paint('red', what)}${when}`, 4, width),
    ...[cause, todo].flatMap((line) => wrap(`    ${line}`, 6, width)),
  ];
}

function nodeTable(cluster: ClusterDescription, everyNode: boolean, width?: number): string[] {
  if (cluster.nodes.length === 0) return [];
  if (cluster.nodes.length > mostNodeRows && !everyNode) return poolTable(cluster, width);
  const rows = cluster.nodes.map((node) => nodeColumns.map(([, cell]) => cell(node)));
  const titles = nodeColumns.map(([title]) => title);
  return paintedTable(titles, rows, { width, drop: ['POOL', 'ROLE', 'PROVIDER', 'WIREGUARD', 'ADDRESS'] });
}

const nodeColumns: readonly (readonly [title: string, cell: (node: NodeRow) => string])[] = [
  ['NODE', ({ name }) => name],
  ['ROLE', ({ role }) => roleNames[role]],
  ['POOL', ({ pool }) => pool],
  ['PROVIDER', ({ provider }) => provider],
  ['ADDRESS', ({ publicAddress }) => publicAddress ?? '-'],
  ['WIREGUARD', ({ privateAddress }) => privateAddress || '-'],
  ['STATUS', statusOfNode],
];

function statusOfNode({ status, unreachableSince, unhealthySince }: NodeRow): string {
  const noticed = status === 'Unreachable' ? unreachableSince : unhealthySince;
  const seen = noticed === undefined ? '' : ` (noticed ${ago(noticed)})`;
  return `${paintStatus(status)}${seen}`;
}

const roleNames = {
  control: 'control',
  compute: 'compute',
  loadBalancer: 'load balancer',
  machine: 'machine',
} as const satisfies Record<NodeRow['role'], string>;

/** A row for each pool; nodes that are not Ready by name. */
function poolTable(cluster: ClusterDescription, width?: number): string[] {
  const pools = Map.groupBy(cluster.nodes, (node) => `${node.role} ${node.pool}`);
  const rows = [...pools.values()].map((nodes) => {
    const byStatus = [...Map.groupBy(nodes, (node) => node.status)];
    const states = byStatus.map(([status, some]) => {
      const names = status === 'Ready' ? '' : ` (${shortList(some.map(({ name }) => name))})`;
      return `${some.length} ${paintStatus(status)}${names}`;
    });
    const [first] = nodes;
    return [
      first?.pool ?? '',
      first ? roleNames[first.role] : '',
      first?.provider ?? '',
      String(nodes.length),
      states.join(', '),
    ];
  });
  return [
    ...paintedTable(['POOL', 'ROLE', 'PROVIDER', 'NODES', 'STATUS'], rows, { width, drop: ['PROVIDER', 'ROLE'] }),
    paint('dim', `${counted(cluster.nodes.length, 'node')}; --nodes lists each`),
  ];
}

function loadBalancerTable(cluster: ClusterDescription, width?: number): string[] {
  if (cluster.loadBalancers.length === 0) return [];
  return paintedTable(
    ['LOAD BALANCER', 'ENDPOINT', 'ROLES'],
    cluster.loadBalancers.map((lb) => [
      lb.name,
      lb.endpoint ?? '-',
      lb.roles.map((role) => `${role.name} ${role.protocol}/${role.port}→${role.targetPort}`).join(', '),
    ]),
    { width },
  );
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

/** Further ones are only counted; `--json` has all. */
const mostShown = 20;

/** What is asked for apart from the manifest, by whom and when. */
export function demandLines(demand: ClusterDescription['demand'], width?: number): string[] {
  if (demand === null) return [];
  const by = (one: { readonly by: string; readonly at: string }) => paint('dim', `(${one.by}, ${ago(one.at)})`);
  const asked = [
    ...demand.sizes.map((size) => `${counted(size.count, 'node')} in pool ${paint('bold', size.pool)} ${by(size)}`),
    ...demand.replace.map((one) => `node ${paint('bold', one.node)} replaced: ${one.because} ${by(one)}`),
  ];
  return [
    ...asked.flatMap((text) => wrap(`  ${paint('cyan', 'requested:')} ${text}`, 4, width)),
    ...demand.failures.flatMap(({ pool, count, code, message, at }) => {
      const text = `pool ${paint('bold', pool)} did not get ${counted(count, 'node')}: ${code}: ${message}`;
      return wrap(`  ${paint('yellow', 'not reached:')} ${text} ${paint('dim', `(${ago(at)})`)}`, 4, width);
    }),
  ];
}

/** Nothing before the first check. */
function driftLines({ drift, nodes }: ClusterDescription, width?: number): string[] {
  if (drift === null) return [];
  const { checkedAt, items, unchecked, outcome } = drift;
  const color = items.length === 0 ? 'green' : 'yellow';
  const more = items.length > mostShown ? [`    and ${items.length - mostShown} more`] : [];
  return [
    ...wrap(`  ${paint(color, 'drift:')} ${outcome} ${paint('dim', `(checked ${ago(checkedAt)})`)}`, 4, width),
    ...items.slice(0, mostShown).flatMap(({ kind, message, repairable }) => {
      const byHand = repairable ? '' : paint('dim', ' (has to be fixed by hand)');
      return wrap(`    ${paint('yellow', kind)}: ${message}${byHand}`, 6, width);
    }),
    ...more,
    ...(drift.agentSilent === undefined
      ? []
      : wrap(`    ${paint('yellow', 'agent:')} it has reported nothing since ${ago(drift.agentSilent)}`, 6, width)),
    ...(drift.outage === undefined ? [] : wrap(`    ${paint('red', 'outage:')} ${drift.outage}`, 6, width)),
    ...nodes.flatMap(({ name, notReplaced }) =>
      notReplaced === undefined ? [] : wrap(`    ${paint('dim', 'not replaced:')} ${name}: ${notReplaced}`, 6, width),
    ),
    ...unchecked.flatMap((why) => wrap(`    ${paint('dim', 'not checked:')} ${why}`, 6, width)),
  ];
}
