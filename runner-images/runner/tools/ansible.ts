/** The configuration and traffic stages: Ansible on the nodes that the plan names, and on no others. */
import { allNodes } from '#domain/cluster-state.ts';
import { type InventoryWork, renderInventory, type VisitedNode, visitedNodes } from '#rendering/inventory.ts';
import { apiAddress } from '#rendering/kubeone-manifest.ts';
import { publicAddressOf, sshKeyFileOf, sshPortOf } from '#rendering/node-access.ts';
import { keylessNodes, meshLeft } from '../ansible/mesh-keys.ts';
import { optionalNodes } from '../ansible/optional-nodes.ts';
import { Playbooks } from '../ansible/play.ts';
import { playbookError } from '../ansible/playbook-failure.ts';
import { PlaybookListener } from '../ansible/playbook-listener.ts';
import { waitForRoot } from '../ansible/root-login.ts';
import { waitForSsh } from '../ansible/ssh-banner.ts';
import { writeSshKeyFiles } from '../ssh-keys.ts';
import type { ContextOf, StageSummary, ToolOf } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';

export const ansible: ToolOf<'ansible'> = async (context) => {
  const recreated = recreatedNodes(context);
  const undo = context.mode === 'undo';
  // A rollback continues without them: the next visit sets them up.
  const without = new Set(undo ? recreated : []);
  const keyless = keylessNodes(context.target, context.facts.current, without);
  const planned = withKeyless(inventoryWork(context), keyless);
  const work = undo ? planned : withHealth(context, withRecreated(context, planned, recreated), recreated);
  const visits = visitedNodes({ ...context, work, without });
  const { restarted = [] } = work;
  const playbooks = playbooksOf(work, visits, keyless);
  if (visits.length === 0 || (playbooks.length === 0 && restarted.length === 0)) return { nodesVisited: 0 };
  const clusterId = (context.target ?? context.others[0])?.id ?? '';
  const keyDirectory = await writeSshKeyFiles(
    context,
    visits.map(({ node, pool }) => ({ node, pool, clusterId })),
  );
  const { target: goal, others } = context;
  const inventory = () =>
    renderInventory({
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
  const summary = await playAll(context, { playbooks, inventory, work, without });
  for (const name of work.uninstall) context.facts.forgetNode(name);
  return summary;
};

const prepare = 'prepare.yml';

function playbooksOf(
  work: InventoryWork,
  visits: readonly VisitedNode[],
  keyless: readonly string[],
): readonly string[] {
  const { install, peers, proxy, disks = [], boot, health, loadBalancers, endpoint = [], uninstall } = work;
  const when = (wanted: boolean, name: string) => (wanted ? [name] : []);
  return [
    ...when(install.length > 0 || peers.some((name) => keyless.includes(name)), prepare),
    ...when(
      [install, peers, proxy, disks].some((names) => names.length > 0),
      'configure.yml',
    ),
    // What a load balancer sends to a new machine, the machine should serve.
    ...when(
      visits.some(({ node }) => [boot, health].some((names) => names?.includes(node.name))),
      'boot.yml',
    ),
    ...when(loadBalancers.length > 0, 'load-balancers.yml'),
    // A load balancer has to serve the API before any client is pointed at it.
    ...when(endpoint.length > 0, 'endpoint.yml'),
    ...when(uninstall.length > 0, 'detach.yml'),
  ];
}

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

/** Where lists of peers are written, nodes whose keys are not known report them, whether or not the plan visits them. */
function withKeyless(work: InventoryWork, keyless: readonly string[]): InventoryWork {
  const more = keyless.filter((name) => !work.install.includes(name) && !work.peers.includes(name));
  return work.install.length + work.peers.length === 0 ? work : { ...work, peers: [...work.peers, ...more] };
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

interface Plan {
  readonly playbooks: readonly string[];
  /** It has what is known now. */
  readonly inventory: () => unknown;
  readonly work: InventoryWork;
  readonly without: ReadonlySet<string>;
}

/**
 * Keys of the mesh come from machines: those that new ones report are judged here, and go back as data into the inventory of the playbooks
 * that write lists of peers. So these are a run of their own, where there are new keys.
 */
async function playAll(context: ContextOf<'ansible'>, plan: Plan): Promise<StageSummary> {
  const { work, without } = plan;
  const listener = new PlaybookListener(context, work);
  const playbooks = await Playbooks.open(context, 'ansible');
  try {
    let rest = plan.playbooks;
    const codes: number[] = [];
    const play = async (names: readonly string[]): Promise<string> => {
      const left = { without: listener.failed, onEvent: listener.hear };
      listener.clocks.begin();
      const { code, words } = await playbooks.play({ playbooks: names, inventory: plan.inventory(), ...left });
      codes.push(code);
      listener.clocks.refuse();
      return words;
    };
    let words = '';
    if (rest.includes(prepare) && context.target?.meshless !== true) {
      words = await play([prepare]);
      rest = rest.filter((name) => name !== prepare);
      const keyless = keylessNodes(context.target, context.facts.current, without);
      if (keyless.length > 0)
        throw new StageFailure(
          listener.failed.length > 0 ? playbookError(listener.troubles, words) : meshLeft(keyless),
        );
    }
    words = (await play(rest)) || words;
    if (codes.some((code) => code !== 0) || listener.failed.length > 0)
      throw new StageFailure(playbookError(listener.troubles, words));
  } finally {
    await playbooks.close();
  }
  // Who answered once and then no longer is passed over by the mesh; a node that is to be configured is not done without it.
  const missed = context.mode === 'undo' ? [] : listener.unreachable(work.install);
  if (missed.length > 0) throw new StageFailure(playbookError(missed, ''));
  listener.reportDone();
  return listener.summary;
}
