/** What the health checks of machine groups say of each machine. */
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { DriftItem, NodeObservation } from '#domain/drift.ts';
import type { MachineReport } from '../machines/machine-report.ts';
import { findingPlace, sentence } from './findings.ts';

/** Reports of all machines that were asked. */
export interface MachineAnswers {
  readonly reports: ReadonlyMap<string, Pick<MachineReport, 'mesh' | 'health' | 'setUpAt'>>;
  /** Machines that were not reached, with why. */
  readonly silent: ReadonlyMap<string, string>;
  /** Machines that were reached and did not answer all, with why. */
  readonly unfinished: ReadonlyMap<string, string>;
  /** Machines for which there was no time. */
  readonly unasked: readonly string[];
}

/** Health of all machines with health checks. */
export function machineHealth(target: ClusterState, answers: MachineAnswers): readonly NodeObservation[] {
  return allNodes(target).flatMap(({ node: { name }, pool }) => (pool.health ? [observed(name, answers)] : []));
}

/** One for each machine with a check that fails: no stage of ours repairs it. */
export function healthItems(target: ClusterState, { reports }: Pick<MachineAnswers, 'reports'>): readonly DriftItem[] {
  return [...reports].flatMap(([name, { health = [] }]): DriftItem[] => {
    const failing = wordsOf(health, false);
    if (failing === undefined) return [];
    const message = sentence(`${name} is unhealthy: ${failing}`);
    return [{ kind: 'health', where: findingPlace(target, name), message, repairable: false }];
  });
}

/** Nodes that answered over SSH, or that a peer reached. */
export function aliveIn({ reports }: Pick<MachineAnswers, 'reports'>): ReadonlySet<string> {
  const reached = [...reports.values()].flatMap(({ mesh }) => Object.keys(mesh).filter((peer) => mesh[peer] === true));
  return new Set([...reports.keys(), ...reached]);
}

/**
 * A machine that is silent over SSH is unhealthy only if others answer and none of them reaches it over the mesh: else the fault may be
 * with the way from the runner, or with its SSH alone, and no one knows. Nor if some were not asked.
 */
function observed(node: string, { reports, silent, unfinished, unasked }: MachineAnswers): NodeObservation {
  const { health, setUpAt: createdAt } = reports.get(node) ?? {};
  if (health !== undefined) {
    const about = { node, ...(createdAt !== undefined && { createdAt }) };
    const failing = wordsOf(health, false);
    if (failing !== undefined) return { ...about, health: 'unhealthy', failing };
    const unknown = wordsOf(health, null);
    return unknown === undefined ? { ...about, health: 'healthy' } : { ...about, health: 'unknown', failing: unknown };
  }
  const peers = [...reports].flatMap(([peer, { mesh }]) => (peer === node ? [] : [mesh[node]]));
  const asked = silent.has(node) && unasked.length === 0;
  const lost = asked && peers.length > 0 && peers.every((reached) => reached === false);
  if (lost) return { node, health: 'unhealthy', failing: 'it answers neither over SSH nor to its peers' };
  const why = silent.get(node) ?? unfinished.get(node) ?? 'no answer';
  return { node, health: 'unknown', failing: sentence(`it could not be asked: ${why}`) };
}

/** Names of the checks with this outcome; undefined if no check has it. */
function wordsOf(answers: NonNullable<MachineReport['health']>, outcome: false | null): string | undefined {
  const found = answers.filter(({ ok }) => ok === outcome);
  return found.length === 0 ? undefined : sentence(found.map(({ why = 'it fails' }) => why).join('; '));
}
