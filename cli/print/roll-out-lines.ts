/** What the command line says of a roll-out. */
import type { RollOutDescription } from '#contracts/roll-outs.ts';
import { counted } from '#domain/words.ts';

import { ago } from './times.ts';

export function rollOutLines(rollOut: RollOutDescription): readonly string[] {
  const { id, namespace, status, direction, waves, states, settings, clusters } = rollOut;
  const named = clusters.filter(({ message }) => message !== undefined);
  const next = nextOf(rollOut);
  return [
    `${namespace}/${id}  ${status}${direction === 'back' ? ', back to what was before' : ''}`,
    `started ${ago(rollOut.startedAt)} by ${rollOut.startedBy}${rollOut.plan === null ? '' : `, plan ${rollOut.plan}`}`,
    `watched for ${settings.soak} after each wave; halts when ${counted(settings.maxFailed, 'cluster')} failed`,
    ...waves.map(({ clusters, done }, wave) => `  wave ${wave + 1}: ${done} of ${counted(clusters, 'cluster')} done`),
    `  ${Object.entries(states)
      .filter(([, count]) => count > 0)
      .map(([state, count]) => `${count} ${state}`)
      .join(', ')}`,
    ...named.map(({ name, state, message }) => `  ${name}  ${state}: ${message}`),
    ...(next === undefined ? [] : [next]),
  ];
}

function nextOf({ id, namespace, status, halted, interrupted, pausing, soakUntil }: RollOutDescription) {
  const one = `${id} -n ${namespace}`;
  const verbs = [
    `kubeloom rollout resume ${one}`,
    `kubeloom rollout undo ${one}`,
    `kubeloom rollout cancel ${one}`,
  ].join('\n');
  if (interrupted) return `its execution ended early; it continues automatically, or with one of:\n${verbs}`;
  if (status === 'Halted') return `halted: ${halted}\n${verbs}`;
  if (status === 'Paused') return verbs;
  if (pausing) return 'it pauses before its next clusters';
  return soakUntil === null ? undefined : `the next wave starts after ${soakUntil} if all is well`;
}
