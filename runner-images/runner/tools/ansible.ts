/** The configuration and traffic stages: Ansible on the nodes that the plan names, and on no others. */
import { allNodes } from '#domain/cluster-state.ts';
import { type InventoryWork, renderInventory, type VisitedNode, visitedNodes } from '#rendering/inventory.ts';
import { apiAddress } from '#rendering/kubeone-manifest.ts';
import { publicAddressOf, sshKeyFileOf, sshPortOf } from '#rendering/node-access.ts';
import { optionalNodes } from '../ansible/optional-nodes.ts';
import { playPlaybooks } from '../ansible/play.ts';
import { type PlaybookEvent, readPlaybookLine } from '../ansible/playbook-events.ts';
import { playbookError } from '../ansible/playbook-failure.ts';
import { waitForRoot } from '../ansible/root-login.ts';
import { waitForSsh } from '../ansible/ssh-banner.ts';
import { writeSshKeyFiles } from '../ssh-keys.ts';
import type { ContextOf, StageSummary, ToolOf } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';

export const ansible: ToolOf<'ansible'> = async (context) => {
  const recreated = recreatedNodes(context);
  const undo = context.mode === 'undo';
  const work = undo
    ? inventoryWork(context)
    : withHealth(context, withRecreated(context, inventoryWork(context), recreated), recreated);
  // A rollback continues without them: the next visit sets them up.
  const without = new Set(undo ? recreated : []);
  const visits = visitedNodes({ ...context, work, without });
  const { restarted = [] } = work;
  const playbooks = [
    ...([work.install, work.peers, work.proxy, work.disks ?? []].some((names) => names.length > 0)
      ? ['configure.yml']
      : []),
    // What a load balancer sends to a new machine, the machine should serve.
    ...(visits.some(({ node }) => [work.boot, work.health].some((names) => names?.includes(node.name)))
      ? ['boot.yml']
      : []),
    ...(work.loadBalancers.length > 0 ? ['load-balancers.yml'] : []),
    // A load balancer has to serve the API before any client is pointed at it.
    ...((work.endpoint ?? []).length > 0 ? ['endpoint.yml'] : []),
    ...(work.uninstall.length > 0 ? ['detach.yml'] : []),
  ];
  if (visits.length === 0 || (playbooks.length === 0 && restarted.length === 0)) return { nodesVisited: 0 };
  const clusterId = (context.target ?? context.others[0])?.id ?? '';
  const keyDirectory = await writeSshKeyFiles(
    context,
    visits.map(({ node, pool }) => ({ node, pool, clusterId })),
  );
  const { target: goal, others } = context;
  const inventory = renderInventory({
    target: goal,
    others,
    work,
    keyDirectory,
    optional: optionalNodes(context),
    without,
    facts: context.facts.current,
    oldEndpoints: oldEndpoints(context),
    adminCidrs: context.ports.config.KUBELOOM_RUNNER_CIDRS,
  });
  const fresh = visits.filter(({ node }) => work.install.includes(node.name));
  const target = ({ node, pool }: VisitedNode) => ({
    name: node.name,
    host: publicAddressOf(node, context.facts.current),
    port: sshPortOf(node, pool, context.facts.current),
    keyFile: sshKeyFileOf(node, pool, keyDirectory),
  });
  await waitForSsh(
    [...fresh, ...visits.filter(({ node }) => restarted.includes(node.name))].map((visit) => ({
      ...target(visit),
      totalMs: 1000 * sshWaitSeconds(context, visit),
    })),
    { signal: context.signal, report: (message, node) => context.emit({ kind: 'WaitsForSsh', message, node }) },
  );
  await waitForRoot(context, fresh.filter((visit) => isUnseen(context, visit)).map(target));
  if (playbooks.length === 0) return { nodesVisited: visits.length };
  const summary = await playAll(context, playbooks, inventory, work);
  for (const name of work.uninstall) context.facts.forgetNode(name);
  return summary;
};

/** A static machine exists already; one that was just created has to boot. */
function sshWaitSeconds({ ports: { config } }: ContextOf<'ansible'>, { node }: VisitedNode): number {
  return node.static === undefined ? config.KUBELOOM_SSH_WAIT_SECONDS : config.KUBELOOM_STATIC_SSH_WAIT_SECONDS;
}

/** A machine of ours that no playbook has reached yet: its first boot may still be running. */
function isUnseen({ facts }: ContextOf<'ansible'>, { node }: VisitedNode): boolean {
  return node.static === undefined && facts.current.nodes[node.name]?.bootId === undefined;
}

/** Hosts that were the API endpoint, under the names at the start of the waypoint: a load balancer may be renamed by now. */
function oldEndpoints({ others, document }: ContextOf<'ansible'>): readonly string[] {
  return [...new Set(others.map((state) => apiAddress(state, document.facts).host))].filter(Boolean);
}

function inventoryWork({ plan }: ContextOf<'ansible'>): InventoryWork {
  const none = { install: [], peers: [], proxy: [], uninstall: [] };
  if (plan.stage === 'configuration') {
    const { firewall = [], ...work } = plan.work;
    // It is set with the list of peers.
    return { ...work, peers: [...work.peers, ...firewall.filter((name) => !work.peers.includes(name))] };
  }
  if (plan.stage === 'traffic') return { ...none, loadBalancers: plan.work.loadBalancers };
  throw new Error(`ansible cannot run stage ${plan.stage}`);
}

/** Machines that Terraform found lost and recreated, on its way to something else or before an earlier try: no playbook has reached them. */
function recreatedNodes({ target, document, facts }: ContextOf<'ansible'>): readonly string[] {
  if (target === null || document.before === null) return [];
  const earlier = new Set(allNodes(document.before).map(({ node }) => node.name));
  const known = facts.current.nodes;
  return allNodes(target).flatMap(({ node: { name, static: owned } }) => {
    const { publicAddress, wireguardPublicKey, bootId } = known[name] ?? {};
    const bare = publicAddress !== undefined && (target.meshless ? bootId : wireguardPublicKey) === undefined;
    return owned === undefined && bare && earlier.has(name) ? [name] : [];
  });
}

/** They get everything, whatever the plan has for them, and all others their new keys. What Kubernetes has of the lost ones: docs/nodes.md. */
function withRecreated(
  { target }: ContextOf<'ansible'>,
  work: InventoryWork,
  recreated: readonly string[],
): InventoryWork {
  const more = recreated.filter((name) => !work.install.includes(name));
  if (target === null || more.length === 0) return work;
  const install = [...work.install, ...more];
  const others = allNodes(target).map(({ node }) => node.name);
  const without = (names: readonly string[]) => names.filter((name) => !install.includes(name));
  const booting = allNodes(target).flatMap(({ node, pool }) =>
    pool.boot !== undefined && install.includes(node.name) ? [node.name] : [],
  );
  const boot = [...new Set([...(work.boot ?? []), ...booting])];
  return { ...work, install, peers: without(others), proxy: without(work.proxy), boot };
}

/**
 * Machines that are new, run their boot script or restarted are done when they are healthy. A repair waits for none that existed: maybe it is not
 * healthy for other reasons, about which healing decides.
 */
function withHealth(
  { target, document: { direction } }: ContextOf<'ansible'>,
  work: InventoryWork,
  recreated: readonly string[],
): InventoryWork {
  const changed = new Set(
    direction === 'repair' ? recreated : [...work.install, ...(work.boot ?? []), ...(work.restarted ?? [])],
  );
  const health = (target === null ? [] : allNodes(target)).flatMap(({ node: { name }, pool }) =>
    pool.health && changed.has(name) ? [name] : [],
  );
  return health.length === 0 ? work : { ...work, health };
}

async function playAll(
  context: ContextOf<'ansible'>,
  playbooks: readonly string[],
  inventory: unknown,
  work: InventoryWork,
): Promise<StageSummary> {
  const listener = new PlaybookListener(context);
  const onLine = (line: string) => listener.hear(line);
  const result = await playPlaybooks(context, { playbooks, inventory, directoryName: 'ansible', onLine });
  if (result.code !== 0) {
    const last = (result.stderr.trim() || result.stdout.trim()).split('\n').slice(-3).join('\n');
    throw new StageFailure(playbookError(listener.troubles, last || `ansible-playbook ended with ${result.code}`));
  }
  // Who answered once and then no longer is passed over by the mesh; a node that is to be configured is not done without it.
  const missed = context.mode === 'undo' ? [] : listener.unreachable(work.install);
  if (missed.length > 0) throw new StageFailure(playbookError(missed, ''));
  listener.reportDone(work);
  return listener.summary;
}

type Trouble = Extract<PlaybookEvent, { event: 'failed' | 'unreachable' }>;

/** Collects facts and failures of all playbooks of a run, and the nodes that they configured without failure. */
class PlaybookListener {
  readonly troubles: Trouble[] = [];
  readonly #context: ContextOf<'ansible'>;
  readonly #visited = new Set<string>();
  readonly #changed = new Set<string>();
  /** Did not answer, whether or not that was tolerated. */
  readonly #silent = new Set<string>();

  constructor(context: ContextOf<'ansible'>) {
    this.#context = context;
  }

  hear(line: string): string | undefined {
    const { event, words } = readPlaybookLine(line);
    if (event?.event === 'failed' || event?.event === 'unreachable') this.troubles.push(event);
    if (event?.event === 'unreachable') this.#silent.add(event.host);
    if (event?.event === 'facts') this.#note(event);
    if (event?.event === 'stats') this.#count(event.hosts);
    return words;
  }

  get summary(): StageSummary {
    return {
      nodesVisited: this.#visited.size,
      nodesChanged: this.#changed.size,
      ...(this.#silent.size > 0 && { nodesUnreachable: this.#silent.size }),
    };
  }

  /** Those of these nodes that did not answer, as failures: whatever the playbook tolerates. */
  unreachable(nodes: readonly string[]): readonly Trouble[] {
    const silent = this.troubles.filter(({ event, host }) => event === 'unreachable' && nodes.includes(host));
    return silent.map((trouble) => ({ ...trouble, ignored: false }));
  }

  /** Reports what was done. */
  reportDone({ install, peers, uninstall, loadBalancers, endpoint = [] }: InventoryWork): void {
    const { emit, target } = this.#context;
    const balancers =
      target?.loadBalancers.filter(({ name, id }) => loadBalancers.some((one) => one === name || one === id)) ?? [];
    const balancing = balancers.flatMap(({ pools }) => pools.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
    for (const node of uninstall.filter((name) => this.#silent.has(name))) {
      const message = `${node} could not be reached: what Kubeloom installed on it, if anything, is still there`;
      emit({ kind: 'NodeNotCleaned', message, node });
    }
    for (const node of peers.filter((name) => this.#silent.has(name))) {
      const message = `${node} could not be reached: it keeps its list of peers until it is reached again`;
      emit({ kind: 'PeerNotReached', message, node });
    }
    for (const node of balancing.filter((name) => this.#silent.has(name))) {
      const message = `${node} could not be reached: it keeps its roles and targets until it is reached again`;
      emit({ kind: 'LoadBalancerNotReached', message, node });
    }
    for (const node of install.filter((name) => this.#visited.has(name))) {
      emit({
        kind: 'NodeConfigured',
        message: target?.meshless ? `${node} is configured` : `${node} is configured and in the mesh`,
        node,
      });
    }
    if (endpoint.length > 0) {
      emit({ kind: 'EndpointMoved', message: `${endpoint.length} nodes are pointed at the new API endpoint` });
    }
    for (const name of loadBalancers.filter((one) => this.#reached(one))) {
      emit({ kind: 'TrafficDirected', message: `load balancer ${name} is up to date` });
    }
  }

  /** For each load balancer, by name or id: whether at least one of its nodes was visited. */
  #reached(balancer: string): boolean {
    const found = this.#context.target?.loadBalancers.find(({ name, id }) => name === balancer || id === balancer);
    return found?.pools.some(({ nodes }) => nodes.some(({ name }) => this.#visited.has(name))) === true;
  }

  #note({ host, wireguardPublicKey, wireguardPort, bootId }: Extract<PlaybookEvent, { event: 'facts' }>): void {
    const { facts } = this.#context;
    // A provider may map the port: its value counts, since clients connect to it.
    const mapped = facts.current.nodes[host]?.wireguardPort !== undefined;
    facts.node(host, {
      ...(wireguardPublicKey === undefined ? {} : { wireguardPublicKey }),
      ...(bootId === undefined ? {} : { bootId }),
      ...(wireguardPort === undefined || mapped ? {} : { wireguardPort }),
    });
  }

  #count(hosts: Extract<PlaybookEvent, { event: 'stats' }>['hosts']): void {
    for (const [host, stats] of Object.entries(hosts)) {
      this.#context.facts.answers(host, !this.#silent.has(host), this.#context.ports.clock.now());
      if (this.#silent.has(host)) continue;
      this.#visited.add(host);
      if (stats.changed > 0) this.#changed.add(host);
    }
  }
}
