/**
 * Whether every node reaches every other over WireGuard, load balancers serve their roles, and what the users' health checks say:
 * `templates/ansible/verify.yml` on all nodes.
 */
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { DriftItem, NodeObservation } from '#domain/drift.ts';
import { renderInventory, visitedNodes } from '#rendering/inventory.ts';
import { type Play, playPlaybooks } from '../ansible/play.ts';
import { type PlaybookEvent, readPlaybookLine } from '../ansible/playbook-events.ts';
import { writeSshKeyFiles } from '../ssh-keys.ts';
import type { DriftContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { type Findings, findingPlace, sentence } from './findings.ts';
import { lookTwice } from './look-twice.ts';
import { aliveIn, type HealthAnswer, type HealthAnswers, healthItems, machineHealth } from './machine-health.ts';

/** Which peers answer, by node; what their health checks say; and nodes that were not reached, with why. */
interface Answers extends HealthAnswers {
  readonly mesh: Map<string, Readonly<Record<string, boolean>>>;
  readonly health: Map<string, HealthAnswer>;
  /** Addresses of peers that do not belong to the cluster. */
  readonly surplus: Map<string, readonly string[]>;
  /** What differs from the roles of its load balancer. */
  readonly roles: Map<string, readonly string[]>;
  readonly silent: Map<string, string>;
}

export async function checkMesh(context: DriftContext): Promise<Findings> {
  const { target, facts } = context;
  const peers = allNodes(target).map(({ node }) => node.name);
  const work = {
    install: [],
    peers,
    proxy: [],
    uninstall: [],
    loadBalancers: target.loadBalancers.map(({ name }) => name),
    health: allNodes(target).flatMap(({ node, pool }) => (pool.health ? [node.name] : [])),
  };
  const visits = visitedNodes({ target, others: [], work });
  const keys = visits.map(({ node, pool }) => ({ node, pool, clusterId: target.id }));
  const inventory = renderInventory({
    ...{ target, others: [], work, facts: facts.current },
    keyDirectory: await writeSshKeyFiles(context, keys),
    adminCidrs: context.ports.config.KUBELOOM_RUNNER_CIDRS,
  });
  // Of the last look: a machine that has recovered meanwhile is healthy.
  let health: readonly NodeObservation[] = [];
  let alive: ReadonlySet<string> = new Set();
  const items = await lookTwice(context, async (time) => {
    const answers = await ask(context, inventory, time);
    health = machineHealth(target, answers);
    alive = aliveIn(answers);
    return [...itemsOf(target, answers), ...healthItems(target, answers)];
  });
  return { items, health, alive, unchecked: [] };
}

async function ask(context: DriftContext, inventory: Play['inventory'], time: string): Promise<Answers> {
  const answers: Answers = {
    ...{ mesh: new Map(), health: new Map(), surplus: new Map(), roles: new Map(), silent: new Map() },
  };
  const result = await playPlaybooks(context, {
    ...{ playbooks: ['verify.yml'], inventory, directoryName: `mesh-${time}` },
    onLine: (line) => {
      const { event, words } = readPlaybookLine(line);
      if (event) hear(event, answers);
      return words;
    },
  });
  if (answers.mesh.size + answers.silent.size === 0) throw notPlayed(result.stderr || result.stdout);
  return answers;
}

function hear(event: PlaybookEvent, { mesh, health, surplus, roles, silent }: Answers): void {
  if (event.event === 'facts') {
    if (event.mesh) mesh.set(event.host, event.mesh);
    if (event.surplus) surplus.set(event.host, event.surplus);
    if (event.roles) roles.set(event.host, event.roles);
    if (event.health) health.set(event.host, { answers: event.health, setUpAt: event.setUpAt });
  }
  if (event.event === 'unreachable' || event.event === 'failed') silent.set(event.host, event.message);
}

/** One item for each node that does not answer at all, for each whose peers are not those of the cluster, and for each whose roles differ. */
function itemsOf(target: ClusterState, { mesh, surplus, roles, silent }: Answers): readonly DriftItem[] {
  const item = (name: string, message: string): DriftItem => ({
    ...{ kind: 'mesh', where: findingPlace(target, name), message: sentence(message), repairable: true },
  });
  const unreached = [...silent].map(([name, why]) => ({
    ...item(name, `${name} cannot be reached over SSH: ${why}`),
    // A node that cannot be reached cannot be repaired either, unless its machine turns out to be gone.
    repairable: false,
  }));
  const deaf = [...mesh].flatMap(([name, answers]) => {
    const missing = Object.keys(answers).filter((peer) => answers[peer] === false && !silent.has(peer));
    const strangers = surplus.get(name) ?? [];
    const faults = [
      ...(missing.length > 0 ? [`does not reach ${missing.join(', ')} over WireGuard`] : []),
      ...(strangers.length > 0 ? [`has WireGuard peers that are not of this cluster: ${strangers.join(', ')}`] : []),
    ];
    return faults.length === 0 ? [] : [item(name, `${name} ${faults.join(', and ')}`)];
  });
  const unserved = [...roles].flatMap(([name, faults]): DriftItem[] => {
    const balancer = target.loadBalancers.find(({ pools }) =>
      pools.some(({ nodes }) => nodes.some((node) => node.name === name)),
    );
    if (balancer === undefined || faults.length === 0) return [];
    const message = sentence(`load balancer ${balancer.name}, ${name}: ${faults.join(', ')}`);
    const where = { ...findingPlace(target, name), name: balancer.name };
    return [{ kind: 'traffic', where, message, repairable: true }];
  });
  return [...unreached, ...deaf, ...unserved];
}

function notPlayed(words: string): StageFailure {
  return new StageFailure({
    ...{ class: 'transient', code: 'MeshNotChecked' },
    message: `the mesh could not be checked: ${words.trim().split('\n').slice(-3).join('\n') || 'Ansible printed nothing'}`,
    hint: 'The log of the check has all output of Ansible.',
  });
}
