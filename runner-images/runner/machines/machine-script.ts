/** The script that a drift check runs on a machine: files of `templates/ansible/files` that change nothing, and their data. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  allNodes,
  type ClusterState,
  hasKubernetes,
  type NodePoolState,
  type NodeState,
} from '#domain/cluster-state.ts';
import { certificateFiles } from '#domain/expiry.ts';
import { type HealthCheck, mostTries, secondsOf } from '#domain/health-check.ts';
import { balancerFilesOf } from '#rendering/balancer-files.ts';
import { healthLines } from '#rendering/health-lines.ts';
import type { ProxySettings } from '#rendering/no-proxy.ts';

/**
 * The files of each question. All machines get `mesh` and `proxy`, load balancers also `roles`, machines with health checks also `health`, those of a real
 * Kubernetes also `certificates`.
 */
export const filesOf = {
  mesh: ['verify.sh'],
  proxy: ['proxy-state.sh', 'verify-proxy.sh'],
  roles: ['haproxy-state.sh', 'verify-balancer.sh'],
  health: ['health-asks.sh', 'health.sh'],
  certificates: ['certificates.sh'],
} as const;
/** Comes before all questions: functions that they share. */
export const protocol = 'common.sh';

/** Texts of the files, by name. */
export type ScriptFiles = ReadonlyMap<string, string>;

export async function readScriptFiles(templatesDirectory: string): Promise<ScriptFiles> {
  const names = [protocol, ...Object.values(filesOf).flat()];
  const folder = join(templatesDirectory, 'ansible/files');
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}

export interface AskedMachine {
  readonly node: NodeState;
  readonly pool: NodePoolState;
  /** Its control plane is. @default false */
  readonly simulated?: boolean;
  /** What it should be set to. @default it is not asked */
  readonly proxy?: ProxySettings;
}

/** One script, so that a machine is visited once. Each question runs in its own subshell; the first failing one ends the script. */
export function machineScript(
  target: ClusterState,
  { node, pool, simulated = false, proxy }: AskedMachine,
  files: ScriptFiles,
): string {
  const balancer = target.loadBalancers.find(({ pools }) => pools.some(({ nodes }) => nodes.includes(node)));
  const certificates = simulated ? [] : certificatesOf(target, node.name);
  const balanced = balancer && balancerFilesOf(target, balancer, node);
  const question = (name: keyof typeof filesOf, data: Readonly<Record<string, string>>): string =>
    [
      '(',
      ...Object.entries(data).map(([key, value]) => `${key}=${quoted(value)}`),
      ...filesOf[name].map((file) => files.get(file) ?? ''),
      ')',
    ].join('\n');
  return [
    files.get(protocol) ?? '',
    question('mesh', { KUBELOOM_PEERS: peersOf(target, node) }),
    ...(proxy ? [question('proxy', { KUBELOOM_PROXY: proxy.endpoint, KUBELOOM_NO_PROXY: proxy.noProxy })] : []),
    ...(balanced
      ? [question('roles', { KUBELOOM_HAPROXY: base64(balanced.haproxy), KUBELOOM_UDP: base64(balanced.udp) })]
      : []),
    ...(pool.health
      ? [question('health', { KUBELOOM_CHECKS: healthLines(pool.health), KUBELOOM_ADDRESS: ownAddress(target, node) })]
      : []),
    ...(certificates.length > 0 ? [question('certificates', { KUBELOOM_CERTIFICATES: certificates.join(' ') })] : []),
    '',
  ].join('\n');
}

/** Files that may have certificates: a pool may be used as both. */
function certificatesOf(target: ClusterState, name: string): readonly string[] {
  if (!hasKubernetes(target)) return [];
  const roles = target.pools.flatMap(({ role, nodes }) => (nodes.some((node) => node.name === name) ? [role] : []));
  if (roles.includes('control')) return certificateFiles.control;
  return roles.includes('compute') ? certificateFiles.compute : [];
}

/** Time limit of a visit: the sum of its pings, its health checks, and the connection. A machine that needs longer counts as hanging. */
export function longestVisitMs(target: ClusterState, { pool }: AskedMachine): number {
  const pings = Math.ceil(allNodes(target).length / pingsAtOnce) * pingSeconds;
  const checks = Math.max(0, ...(pool.health ?? []).map((check) => secondsOf(check) + killSeconds(check)));
  return (pings + checks + otherSeconds) * 1000;
}

/** As in `health-asks.sh`: a command that exceeds its time is killed two seconds later, in each try. */
const killSeconds = (check: HealthCheck): number => (check.ask.kind === 'exec' ? 2 * mostTries(check) : 0);

/** As in `verify.sh`: three tries of two seconds each. */
const pingsAtOnce = 200;
const pingSeconds = 6;
/** Time for two logins, the checks of load balancers, and a slow machine. */
const otherSeconds = 60;

/** Words `name=address`; empty without a mesh. */
function peersOf(target: ClusterState, { name }: NodeState): string {
  if (target.meshless) return '';
  const peers = allNodes(target).filter(({ node }) => node.name !== name);
  return peers.map(({ node }) => `${node.name}=${node.privateAddress}`).join(' ');
}

/** The address for health checks; without a mesh, the loopback address. */
function ownAddress({ meshless }: ClusterState, { privateAddress }: NodeState): string {
  return meshless ? '127.0.0.1' : privateAddress;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
