/** What the health checks of machine groups say of each machine. */
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { DriftItem, NodeObservation } from '#domain/drift.ts';
import type { PlaybookEvent } from '../ansible/playbook-events.ts';
import { findingPlace, sentence } from './findings.ts';

type Facts = Extract<PlaybookEvent, { event: 'facts' }>;

/** Of one machine, in the order of its checks. */
export interface HealthAnswer {
  readonly answers: NonNullable<Facts['health']>;
  readonly setUpAt: Facts['setUpAt'];
}

export interface HealthAnswers {
  readonly health: ReadonlyMap<string, HealthAnswer>;
  /** Which peers answer, by the node that asked. */
  readonly mesh: ReadonlyMap<string, Readonly<Record<string, boolean>>>;
  /** Machines that were not reached over SSH, or on which the play failed, with why. */
  readonly silent: ReadonlyMap<string, string>;
}

/** Of all machines with health checks. */
export function machineHealth(target: ClusterState, answers: HealthAnswers): readonly NodeObservation[] {
  return allNodes(target).flatMap(({ node: { name }, pool }) => (pool.health ? [observed(name, answers)] : []));
}

/** One for each machine with a check that fails: no stage of ours repairs it. */
export function healthItems(target: ClusterState, { health }: HealthAnswers): readonly DriftItem[] {
  return [...health].flatMap(([name, answer]): DriftItem[] => {
    const failing = wordsOf(answer, false);
    if (failing === undefined) return [];
    const message = sentence(`${name} is unhealthy: ${failing}`);
    return [{ kind: 'health', where: findingPlace(target, name), message, repairable: false }];
  });
}

/** Nodes that answered over SSH, or that a peer reached. */
export function aliveIn({ mesh, silent }: Pick<HealthAnswers, 'mesh' | 'silent'>): ReadonlySet<string> {
  const reached = [...mesh.values()].flatMap((peers) => Object.keys(peers).filter((peer) => peers[peer] === true));
  return new Set([...[...mesh.keys()].filter((node) => !silent.has(node)), ...reached]);
}

/**
 * A machine that is silent over SSH is unhealthy only if others answer and none of them reaches it over the mesh: else the fault may be
 * with the way from the runner, or with its SSH alone, and no one knows.
 */
function observed(node: string, { health, mesh, silent }: HealthAnswers): NodeObservation {
  const answer = health.get(node);
  if (answer !== undefined) {
    const { setUpAt: createdAt } = answer;
    const about = { node, ...(createdAt !== undefined && { createdAt }) };
    const failing = wordsOf(answer, false);
    if (failing !== undefined) return { ...about, health: 'unhealthy', failing };
    const unknown = wordsOf(answer, null);
    return unknown === undefined ? { ...about, health: 'healthy' } : { ...about, health: 'unknown', failing: unknown };
  }
  const peers = [...mesh].flatMap(([peer, reached]) => (peer === node ? [] : [reached[node]]));
  const lost = silent.has(node) && peers.length > 0 && peers.every((reached) => reached === false);
  if (lost) return { node, health: 'unhealthy', failing: 'it answers neither over SSH nor to its peers' };
  return { node, health: 'unknown', failing: sentence(`it could not be asked: ${silent.get(node) ?? 'no answer'}`) };
}

/** Of the checks with this outcome; undefined: there is none. */
function wordsOf({ answers }: HealthAnswer, outcome: false | null): string | undefined {
  const found = answers.filter(({ ok }) => ok === outcome);
  return found.length === 0 ? undefined : sentence(found.map(({ why = 'it fails' }) => why).join('; '));
}
