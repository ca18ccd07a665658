/** What a load balancer runs with: the configuration of haproxy, and the lines of `templates/ansible/files/udp-balancer.sh`. */
import type { ClusterState, LoadBalancerState, NodeState, RoleState } from '#domain/cluster-state.ts';
import { apiPort, wireguardPort } from '#domain/manifest/schema/load-balancers.ts';
import { roleTargets } from '#domain/planning/states/role-targets.ts';

export interface BalancedRole
  extends Pick<RoleState, 'name' | 'protocol' | 'port' | 'targetPort' | 'proxyProtocol' | 'stickySessions'> {
  /** Addresses are those of the mesh. */
  readonly targets: readonly { readonly name: string; readonly address: string }[];
}

export interface BalancerFiles {
  /** With `@fingerprint@` where the machine puts the digest of this text: so it is known which one runs. */
  readonly haproxy: string;
  /** A line for each UDP role with targets; empty if there are no such roles. */
  readonly udp: string;
  /** Ports of all roles and of Kubeloom's own listeners: no outgoing connection may use them. */
  readonly ports: string;
}

/** Files of one node of a load balancer. */
export function balancerFilesOf(state: ClusterState, { roles }: LoadBalancerState, node: NodeState): BalancerFiles {
  const balanced = roles.map((role) => ({
    ...role,
    targets: roleTargets(state, role).map(({ name, privateAddress: address }) => ({ name, address })),
  }));
  return balancerFiles(balanced, node.privateAddress);
}

/** `address`: of this load balancer in the mesh. */
export function balancerFiles(roles: readonly BalancedRole[], address: string): BalancerFiles {
  const sorted = roles.toSorted(byName);
  const udp = sorted.filter(({ protocol, targets }) => protocol === 'udp' && targets.length > 0).map(udpLine);
  const ports = new Set([...roles.map(({ port }) => port), wireguardPort, nodeMetricsPort, ownPort]);
  return {
    haproxy: haproxyText(
      sorted.filter(({ protocol }) => protocol === 'tcp'),
      address,
    ),
    udp: udp.join('\n'),
    ports: [...ports].sort((one, other) => one - other).join(','),
  };
}

const [nodeMetricsPort, ownPort] = [65_533, 65_534];

/**
 * Roles and targets change with each node that comes or goes. So many idle workers, of 9 MB each (haproxy 2.6), are what a small machine
 * has room for; a connection that lasts through as many changes is ended, and its client connects again.
 */
const mostReloads = 50;

/** haproxy passes TCP. The same roles give the same text, in whatever order they and their targets come. */
function haproxyText(roles: readonly BalancedRole[], address: string): string {
  return `# Written by Kubeloom; changes are overwritten.
global
  log /dev/log local0 notice
  user haproxy
  group haproxy
  chroot /var/lib/haproxy
  stats socket /run/haproxy/admin.sock mode 660 level admin
  # A reload keeps the old worker for as long as one of its connections lives. One that has outlived so many reloads is ended.
  mworker-max-reloads ${mostReloads}

defaults
  mode tcp
  log global
  option dontlognull
  option clitcpka
  # A target that does not answer is left after a second, and each further try goes to another one. Connections are not cut when a
  # check fails (on-marked-down): that would end those that are being redispatched. Keepalives end the ones to a dead machine.
  option redispatch 1
  retries 3
  timeout connect 1s
  timeout check 1s
  option srvtcpka
  srvtcpka-idle 15s
  srvtcpka-intvl 5s
  srvtcpka-cnt 3
  timeout client 1h
  timeout server 1h
  # Named, so that connections to targets share their local ports with the listeners of new roles (SO_REUSEADDR).
  source ${address}
  default-server check inter 1s fastinter 500ms fall 2 rise 2

# Reports which configuration is running, and metrics at /metrics on the VPN. \`transparent\`: starts before wg0 has its address.
listen kubeloom
  bind 127.0.0.1:${ownPort}
  bind ${address}:${ownPort} transparent
  mode http
  timeout client 5s
  timeout server 5s
  http-request use-service prometheus-exporter if { path /metrics }
  http-request return content-type text/plain string @fingerprint@

${roles.map(listenSection).join('')}`;
}

function listenSection(role: BalancedRole): string {
  const api = role.targetPort === apiPort;
  const sticky = role.stickySessions && !api;
  const head = [
    `listen role-${role.name}`,
    `  bind :${role.port}`,
    `  balance ${sticky ? 'source' : 'roundrobin'}`,
    ...(sticky ? ['  hash-type consistent'] : []),
    ...(api ? readyApis : []),
  ];
  const targets = role.targets.toSorted(byName);
  const servers = targets.map((target) => `${serverLine(role, target)}\n`);
  const unready = api ? targets.map((target) => `${unreadyLine(target)}\n`) : [];
  return [...head, ...servers, ...unready, ''].map((line) => `${line}\n`).join('');
}

/**
 * An API server accepts connections while it starts, while its etcd is away and while it shuts down: only its own word counts. 401: it answers
 * no strangers. One that starts answers 403 to everyone until it has read its roles, which takes a second or two: one bad answer is enough.
 */
const readyApis = [
  '  option httpchk GET /readyz',
  '  http-check expect rstatus ^(200|401)$',
  '  # When none is ready all of them are asked: what they say is better than silence.',
  '  option allbackups',
];

const unreadyLine = ({ name, address }: BalancedRole['targets'][number]): string =>
  `  server ${name}-unready ${address}:${apiPort} tcp-ut 20s no-check backup`;

/**
 * `tcp-ut` ends connections to a dead machine that have unacknowledged data, for which keepalives wait; haproxy 2.6 does not take it from
 * default-server. It also ends those to a target that lives and takes no data for so long, so only the Kubernetes API has it: its clients
 * watch, and connect again. The id decides which clients a sticky target gets: the target's number in the network, so that others come and go.
 */
function serverLine(role: BalancedRole, { name, address }: BalancedRole['targets'][number]): string {
  const [, second = 0, third = 0, fourth = 0] = address.split('.').map(Number);
  const api = role.targetPort === apiPort;
  const dead = api ? ' tcp-ut 20s check-ssl verify none inter 500ms fall 1' : '';
  const proxied = role.proxyProtocol && !api ? ' send-proxy check-send-proxy' : '';
  const id = (second * 256 + third) * 256 + fourth;
  return `  server ${name} ${address}:${role.targetPort}${dead} id ${id}${proxied}`;
}

function udpLine({ port, targetPort, stickySessions, targets }: BalancedRole): string {
  const addresses = targets.toSorted(byName).map(({ address }) => address);
  return [port, targetPort, stickySessions ? 'sticky' : 'spread', ...addresses].join(' ');
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : Number(one.name > other.name);
}
