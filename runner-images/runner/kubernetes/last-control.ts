/** A control node leaves only while others that answer stay, and have the majority of etcd without it. */

import { keepsQuorum, whatStays } from '#domain/what-stays.ts';
import { knownStates, type StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import type { ClusterNode } from './kubectl.ts';
import { controlNames } from './members.ts';
import { isReadyNow, nodeAlternatives } from './staying-nodes.ts';

/** Names of the control nodes that answer and stay, for etcd. `seen`: all nodes of Kubernetes now. Throws `LastControlNode`. */
export function refuseLastControl(
  context: StageContext,
  name: string,
  seen: ReadonlyMap<string, ClusterNode>,
): readonly string[] {
  const all = new Set(knownStates(context).flatMap(controlNames));
  const control = nodeAlternatives(context, seen).filter((one) => all.has(one.name));
  const stays = whatStays(control);
  const staying = control.filter(({ leaves }) => !leaves).map((one) => one.name);
  if (staying.length === 0) throw noneStays(name);
  if (stays.size === 0) throw lastThatAnswers(name, staying);
  const members = control.map((one) => one.name);
  const living = livingOf(seen);
  if (!keepsQuorum(name, { members, living })) throw noMajority(name, members, living);
  return [...stays];
}

/** Names of the nodes that answer. */
export function livingOf(seen: ReadonlyMap<string, ClusterNode>): ReadonlySet<string> {
  return new Set([...seen].flatMap(([name, node]) => (isReadyNow(node) ? [name] : [])));
}

function noneStays(name: string): StageFailure {
  return new StageFailure({
    class: 'bug',
    code: 'LastControlNode',
    message: `${name} is the last control node that answers; without it the cluster is lost, so it is not removed.`,
    resource: name,
    hint: 'Add another control node first, or delete the whole cluster.',
  });
}

function lastThatAnswers(name: string, staying: readonly string[]): StageFailure {
  return new StageFailure({
    class: 'conflict',
    code: 'LastControlNode',
    message: `${name} is the last control node that answers: ${staying.join(', ')}, which would stay, ${staying.length === 1 ? 'is' : 'are'} not ready. It is not removed.`,
    resource: name,
    hint: `Bring ${staying.join(', ')} back, or replace it.`,
  });
}

/** Everything is as it was: a member that leaves cannot come back where no majority is left to accept it. */
export function noMajority(name: string, members: readonly string[], living: ReadonlySet<string>): StageFailure {
  const left = members.filter((one) => one !== name);
  const silent = left.filter((one) => !living.has(one));
  return new StageFailure({
    class: 'conflict',
    code: 'LastControlNode',
    message: `Without ${name} etcd would have no majority: ${left.length - silent.length} of ${left.length} members that are left would answer (${silent.join(', ')} not). It is not removed.`,
    resource: name,
    hint: `Bring ${silent.join(', ')} back, or remove it first.`,
  });
}
