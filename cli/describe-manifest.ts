/** A manifest for people: status, clusters, nodes, load balancers, failures with what to do. */
import type { ClusterDescription, FailureReport, ManifestDescription } from '#contracts/http.ts';
import { ago, paint, paintStatus, table } from './output.ts';

/** Everything `kubeloom describe` shows, as lines. */
export function describeManifest(manifest: ManifestDescription): string {
  const head = [
    `${paint('bold', `${manifest.namespace}/${manifest.name}`)}  ${paintStatus(manifest.status)}`,
    `generation ${manifest.generation}, attempt ${manifest.attempt}, run ${manifest.runId}, changed ${ago(manifest.updatedAt)}`,
    ...(manifest.simulated.length > 0 ? [paint('yellow', `simulated: ${manifest.simulated.join(', ')}`)] : []),
  ];
  return [...head, ...manifest.clusters.flatMap((cluster) => ['', ...clusterLines(cluster)])].join('\n');
}

function clusterLines(cluster: ClusterDescription): string[] {
  const facts = [
    cluster.kubernetesVersion ? `Kubernetes ${cluster.kubernetesVersion}` : undefined,
    cluster.network ? `network ${cluster.network}` : undefined,
    cluster.apiEndpoint ? `API ${cluster.apiEndpoint}` : undefined,
    cluster.simulated.length > 0 ? paint('yellow', `simulated ${cluster.simulated.join(', ')}`) : undefined,
  ].filter((fact) => fact !== undefined);
  return [
    `cluster ${paint('bold', cluster.name ?? cluster.cluster)}  ${paintStatus(cluster.status)}${facts.length > 0 ? `  ${facts.join(' · ')}` : ''}`,
    ...progressLines(cluster),
    ...(cluster.failure ? failureLines(cluster.failure) : []),
    ...indent(nodeTable(cluster)),
    ...indent(loadBalancerTable(cluster)),
  ];
}

function progressLines(cluster: ClusterDescription): string[] {
  const progress = cluster.progress;
  if (!progress || cluster.status === 'Converged') return [];
  const stage = progress.stage ? `, ${progress.stage}` : '';
  return [
    `  ${progress.direction}${stage}: step ${Math.min(progress.step + 1, progress.steps)} of ${progress.steps} (${progress.percent} %), waypoint ${progress.waypoint} of ${progress.waypoints}, started ${ago(progress.startedAt)}, last progress ${ago(progress.updatedAt)}`,
  ];
}

/** What failed, why in the tool's words, what was done about it, what to do, where the log is. */
export function failureLines(failure: FailureReport): string[] {
  const where = [failure.stage, failure.resource].filter(Boolean).join(', ');
  return [
    `  ${paint('red', `${failure.code} (${failure.class})`)}${where ? ` in ${where}` : ''}, ${ago(failure.at)}`,
    ...failure.message.split('\n').map((line) => `    ${line}`),
    `    ${failure.outcome}`,
    `    ${paint('dim', '→')} ${failure.hint}`,
    ...(failure.logCommand ? [`    ${paint('dim', 'log:')} ${failure.logCommand}`] : []),
  ];
}

function nodeTable(cluster: ClusterDescription): string {
  if (cluster.nodes.length === 0) return '';
  return table(
    ['NODE', 'ROLE', 'POOL', 'PROVIDER', 'ADDRESS', 'WIREGUARD', 'STATUS'],
    cluster.nodes.map((node) => [
      node.name,
      node.role,
      node.pool,
      node.provider,
      node.publicAddress ?? '-',
      node.privateAddress,
      paintStatus(node.status),
    ]),
  );
}

function loadBalancerTable(cluster: ClusterDescription): string {
  if (cluster.loadBalancers.length === 0) return '';
  return table(
    ['LOAD BALANCER', 'ENDPOINT', 'ROLES'],
    cluster.loadBalancers.map((lb) => [
      lb.name,
      lb.endpoint ?? '-',
      lb.roles.map((role) => `${role.name} ${role.protocol}/${role.port}→${role.targetPort}`).join(', '),
    ]),
  );
}

const indent = (text: string): string[] => (text ? text.split('\n').map((line) => `  ${line}`) : []);
