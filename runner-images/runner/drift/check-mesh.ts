/** Whether every node reaches every other over WireGuard: `templates/ansible/verify.yml` on all of them. */
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { DriftItem } from '#domain/drift.ts';
import { renderInventory, visitedNodes } from '#rendering/inventory.ts';
import { type Play, playPlaybooks } from '../ansible/play.ts';
import { type PlaybookEvent, readPlaybookLine } from '../ansible/playbook-events.ts';
import { writeSshKeyFiles } from '../ssh-keys.ts';
import type { DriftContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { type Findings, findingPlace, sentence } from './findings.ts';
import { lookTwice } from './look-twice.ts';

/** Which peers answer, by node; and nodes that were not reached, with why. */
interface Answers {
  readonly mesh: Map<string, Readonly<Record<string, boolean>>>;
  readonly silent: Map<string, string>;
}

export async function checkMesh(context: DriftContext): Promise<Findings> {
  const { target, facts } = context;
  const peers = allNodes(target).map(({ node }) => node.name);
  const work = { install: [], peers, proxy: [], uninstall: [], loadBalancers: [] };
  const visits = visitedNodes({ target, others: [], work });
  const keys = visits.map(({ node, pool }) => ({ node, pool, clusterId: target.id }));
  const inventory = renderInventory({
    ...{ target, others: [], work, facts: facts.current },
    keyDirectory: await writeSshKeyFiles(context, keys),
    adminCidrs: context.ports.config.KUBELOOM_RUNNER_CIDRS,
  });
  const items = await lookTwice(context, async (time) => itemsOf(target, await ask(context, inventory, time)));
  return { items, unchecked: [] };
}

async function ask(context: DriftContext, inventory: Play['inventory'], time: string): Promise<Answers> {
  const answers: Answers = { mesh: new Map(), silent: new Map() };
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

function hear(event: PlaybookEvent, { mesh, silent }: Answers): void {
  if (event.event === 'facts' && event.mesh) mesh.set(event.host, event.mesh);
  if (event.event === 'unreachable' || event.event === 'failed') silent.set(event.host, event.message);
}

/** One item for each node that does not answer at all, and for each that does not reach all others. */
function itemsOf(target: ClusterState, { mesh, silent }: Answers): readonly DriftItem[] {
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
    if (missing.length === 0) return [];
    return [item(name, `${name} does not reach ${missing.join(', ')} over WireGuard`)];
  });
  return [...unreached, ...deaf];
}

function notPlayed(words: string): StageFailure {
  return new StageFailure({
    ...{ class: 'transient', code: 'MeshNotChecked' },
    message: `the mesh could not be checked: ${words.trim().split('\n').slice(-3).join('\n') || 'Ansible printed nothing'}`,
    hint: 'The log of the check has all output of Ansible.',
  });
}
