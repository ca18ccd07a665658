/** Classifies a failed playbook: one table from the output of nodes to our error classes. Pure. */
import type { StageError } from '#contracts/stage.ts';
import { wireguardPort } from '#domain/manifest/schema/load-balancers.ts';
import type { PlaybookEvent } from '#domain/observed/playbook-event.ts';
import { counted } from '#domain/planning/text/words.ts';
import type { FailureRow } from '../stage-failure.ts';

/** First match wins. */
const table: readonly FailureRow[] = [
  {
    class: 'user',
    // A script that failed only because of the network is retried.
    pattern:
      /the boot script (ended with|was stopped)(?!.*(temporary failure|could not resolve|failed to fetch|connection (timed out|reset)))/is,
    hint: 'The log of the stage has the last lines of the script, and the machine has it as /var/lib/kubeloom/boot.sh. Correct `boot` of its group.',
  },
  {
    class: 'user',
    pattern: /the machine did not become healthy within/i,
    hint: 'A check of `health` fails on this machine after its set-up, so it gets no traffic and no other machine follows. Correct the checks, `boot` or the image of its group.',
  },
  {
    class: 'credentials',
    pattern:
      /permission denied|authentication failure|a password is required|incorrect sudo password|not in the sudoers/i,
    hint: 'Check the SSH key and the user of this node; the user needs `sudo` without a password.',
  },
  {
    class: 'conflict',
    pattern: /could not get lock|dpkg frontend lock|is another process using it|unable to lock/i,
    hint: 'Another package manager runs on the node. Kubeloom retries automatically.',
  },
  {
    class: 'conflict',
    pattern: /address already in use|is in use on the load balancer/i,
    hint: `Another program on this machine uses a port of a role or of WireGuard (${wireguardPort}): stop it, or choose another port for the role. Kubeloom retries automatically.`,
  },
  {
    class: 'user',
    pattern: /WireGuard does not start.{0,2000}(unknown device type|(operation|protocol) not supported)/is,
    hint: 'The kernel that runs on this machine has no WireGuard, or was replaced and waits for a restart: restart the machine, or choose an image with Linux 5.6 or newer.',
  },
  {
    class: 'transient',
    pattern:
      /temporary failure (in name resolution|resolving)|could not resolve|failed to fetch|unable to connect|connection (timed out|reset|refused)|timed? ?out|network is unreachable|hash sum mismatch/i,
    hint: 'The node could not reach the network or its package mirror. Kubeloom retries automatically.',
  },
  {
    class: 'user',
    pattern:
      /no space left|read-only file system|unsupported (os|operating system|distribution)|unable to locate package/i,
    hint: 'Check the disk, the operating system and the package sources of the node.',
  },
  {
    class: 'transient',
    // A busy machine may start it a moment later; of a broken one a grow is undone, and the next attempt has another machine.
    pattern: /WireGuard does not start/,
    hint: 'Kubeloom retries automatically. If it stays, see `journalctl -u wg-quick@wg0` on the machine.',
  },
];

type Failed = Extract<PlaybookEvent, { event: 'failed' | 'unreachable' }>;

/** `refused`: the host answered what our scripts do not print. */
export type HostTrouble = Omit<Failed, 'event'> & { readonly event: Failed['event'] | 'refused' };

/**
 * The error of a playbook run. A host that was not reached is the cause of errors on other hosts, so it is
 * named first.
 */
export function playbookError(troubles: readonly HostTrouble[], fallback: string): Omit<StageError, 'retryable'> {
  const real = troubles.filter(({ ignored }) => !ignored);
  const chosen = real.find(({ event }) => event === 'unreachable') ?? real[0];
  if (chosen === undefined) {
    return {
      class: 'bug',
      code: 'PlaybookFailed',
      message: fallback,
      hint: 'Ansible itself failed. Report it with the log of the stage.',
    };
  }
  const others = new Set(real.map(({ host }) => host)).size - 1;
  const row = table.find(({ pattern }) => pattern.test(chosen.message));
  const more = others > 0 ? ` (and ${counted(others, 'more node')})` : '';
  if (chosen.event === 'unreachable') {
    return {
      class: row?.class === 'credentials' ? 'credentials' : 'transient',
      code: 'HostUnreachable',
      message: `${chosen.host} was not reached over SSH: ${chosen.message}${more}`,
      resource: chosen.host,
      hint: row?.class === 'credentials' ? row.hint : 'Check that the machine runs and that its SSH port is open.',
    };
  }
  if (chosen.event === 'refused') {
    return {
      class: 'user',
      code: 'MachineAnswerRefused',
      message: `The answer of ${chosen.host} was refused: ${chosen.message}${more}`,
      resource: chosen.host,
      hint: 'Nothing of the answer was used. Look at the machine: another program answers in place of our scripts. If no one knows why, replace the machine.',
    };
  }
  return {
    class: row?.class ?? 'bug',
    code: 'NodeConfigurationFailed',
    message: `${chosen.host}, ${chosen.task}: ${chosen.message}${more}`,
    resource: chosen.host,
    hint: row?.hint ?? 'The log of the stage has the output of the node.',
  };
}
